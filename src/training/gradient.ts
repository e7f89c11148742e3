/** Loss and gradient of a set of examples: micro-batches through one compiled graph, summed. */
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
  /** Most positions of one graph run. @default 4096 */
  readonly positions?: number;
};

/** Compiles the training graph. */
export async function createGradientMachine(parts: GradientMachineParts): Promise<GradientMachine> {
  const { runtime, config, trainable, positions = 4096 } = parts;
  const { graph, layout } = buildTrainingGraph(config, trainable);
  const executable = await compileGraph(graph, runtime);
  return {
    layout,
    lossGradient: (trained, examples) =>
      accumulate(executable, { trained, examples, grouping: { positions, multiple: lengthMultiple(config) } }),
    [Symbol.asyncDispose]: () => executable[Symbol.asyncDispose](),
  };
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
