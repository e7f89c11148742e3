/** Loss and gradient of a set of examples: micro-batches through one compiled graph, summed. */
import type { Graph } from "../graph/graph.ts";
import { peakBytes } from "../graph/memory.ts";
import { compileGraph, floats, type Executable } from "../runtime/executable.ts";
import type { Runtime } from "../runtime/session.ts";
import type { FlatLayout } from "../model/parameters.ts";
import type { DecoderConfig } from "../model/decoder-config.ts";
import { microBatches, totalWeight, type MicroBatchOptions } from "./batch.ts";
import type { Example } from "./example.ts";
import { buildTrainingGraph, lengthMultiple, type Trainable } from "./step-graph.ts";

/** What one pass over `examples` gives. */
export type LossGradient = {
  /** Weighted mean negative log-likelihood, in nats. */
  readonly loss: number;
  /** [P] gradient of `loss`. */
  readonly gradient: Float32Array;
  /** Targets seen. */
  readonly targets: number;
  /** Positions computed, padding included. */
  readonly positions: number;
};

/** A compiled training graph. */
export type GradientMachine = AsyncDisposable & {
  readonly layout: FlatLayout;
  /** Loss and gradient at `trained` [P]; the mean is over all targets of `examples`, however they are grouped. */
  readonly lossGradient: (trained: Float32Array, examples: readonly Example[]) => Promise<LossGradient>;
};

/** What `createGradientMachine` needs. */
export type GradientMachineParts = {
  readonly runtime: Runtime;
  readonly config: DecoderConfig;
  readonly trainable: Trainable;
  /** Most positions of one graph run; a longer sequence stands alone. @default as many as `bytes` allow, at most 4096 */
  readonly positions?: number;
  /** What the values of one graph run may take by estimate, weights not counted. @default 4 GiB */
  readonly bytes?: number;
};

const MOST_POSITIONS = 4096;
const DEFAULT_BYTES = 2 ** 32;
/** Length of the sequences of which an estimate is made; attention takes more for longer ones. */
const TYPICAL_LENGTH = 512;
/** From this size on, the memory for packed weights costs more than packing them for every run. */
const MOST_PACKED_VALUES = 64e6;

/** Compiles the training graph. */
export async function createGradientMachine(parts: GradientMachineParts): Promise<GradientMachine> {
  const { runtime, config, trainable, bytes = DEFAULT_BYTES } = parts;
  const { graph, layout } = buildTrainingGraph(config, trainable);
  const positions = parts.positions ?? positionsWithin(bytes, { graph, config });
  const executable = await compileGraph(graph, runtime, { packsWeights: constantValues(graph) <= MOST_PACKED_VALUES });
  return {
    layout,
    lossGradient: (trained, examples) =>
      accumulate(executable, { trained, examples, grouping: { positions, multiple: lengthMultiple(config) } }),
    [Symbol.asyncDispose]: () => executable[Symbol.asyncDispose](),
  };
}

/** Positions of a run whose values take about `bytes`, all of them targets; depends on the graph alone. */
function positionsWithin(
  bytes: number,
  { graph, config }: { readonly graph: Graph; readonly config: DecoderConfig },
): number {
  const sizes = { B: 1, T: TYPICAL_LENGTH, N: TYPICAL_LENGTH / lengthMultiple(config), M: TYPICAL_LENGTH };
  const each = peakBytes(graph, new Map(Object.entries(sizes))) / TYPICAL_LENGTH;
  return Math.min(MOST_POSITIONS, Math.max(1, Math.floor(bytes / each)));
}

function constantValues({ nodes }: Graph): number {
  return nodes.reduce((sum, node) => sum + (node.kind === "constant" ? node.attributes.data.length : 0), 0);
}

type Pass = {
  readonly trained: Float32Array;
  readonly examples: readonly Example[];
  readonly grouping: MicroBatchOptions;
};

async function accumulate(executable: Executable, { trained, examples, grouping }: Pass): Promise<LossGradient> {
  const share = 1 / totalWeight(examples);
  const gradient = new Float32Array(trained.length);
  const sums = { loss: 0, targets: 0, positions: 0 };
  for (const batch of microBatches(examples, grouping)) {
    const { weights } = batch.feeds;
    // Dividing by the whole pass's weight here makes every micro-batch's gradient add up to that of the mean.
    const scaled = Float32Array.from(weights.data as Float32Array, (weight) => weight * share);
    const outputs = await executable.run({
      ...batch.feeds,
      weights: { type: "f32", shape: weights.shape, data: scaled },
      trained: { type: "f32", shape: [trained.length], data: trained },
    });
    const part = floats(outputs, "gradient");
    for (let i = 0; i < part.length; i += 1) gradient[i] = (gradient[i] ?? 0) + (part[i] ?? 0);
    sums.loss += floats(outputs, "loss")[0] ?? NaN;
    sums.targets += batch.targets;
    sums.positions += batch.positions;
  }
  return { ...sums, gradient };
}
