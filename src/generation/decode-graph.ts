/**
 * `DecodeModel` over the decoder's graphs: the same definition that is trained, with a cache.
 *
 * How the weights enter depends on their size. Small models have them baked in as constants with the adapter merged, which
 * ONNX Runtime packs once for its products; the sessions are compiled again whenever the adapter changes, in milliseconds.
 * Middling ones take all weights as inputs, merged once an update. Large ones keep the base as constants of a single
 * session (they may live on a device that copies inputs) and add the adapter as a low-rank product.
 */
import type { DecoderConfig } from "../model/decoder-config.ts";
import { adaptedParameters, adapterInput, mergeAdapter, type AdapterValues } from "../model/lora.ts";
import type { Decoder } from "../model/load.ts";
import { causalMask } from "../model/masks.ts";
import {
  constantParameters,
  inputParameters,
  parameterSpecs,
  type ParameterSource,
  type ParameterValues,
} from "../model/parameters.ts";
import { compileGraph, floats, integers, type Executable } from "../runtime/executable.ts";
import type { HostTensor, Runtime, TensorValue } from "../runtime/session.ts";
import type { SamplingConfig } from "./completer.ts";
import type {
  BurstInputs,
  BurstOutputs,
  DecodeBurst,
  DecodeInputs,
  DecodeModel,
  DecodeOutputs,
  DecodeShape,
} from "./decode-model.ts";
import {
  attentionLayers,
  buildBurstGraph,
  buildStepGraph,
  buildWindowGraph,
  stateName,
  stateShapes,
  windowMultiple,
  type BurstRule,
} from "./forward-graphs.ts";

/** How the weights enter the decode graphs. */
export type WeightPlacement = "baked" | "inputs" | "constants";

/** A decode model whose adapter can change between runs. */
export type AdaptableDecodeModel = DecodeModel &
  AsyncDisposable & {
    /** Decodes with the values that `adapter` has now; call again whenever they change. */
    readonly setAdapter: (adapter: AdapterValues | undefined) => void;
  };

/** What `createDecodeModel` needs. */
export type DecodeModelParts = {
  readonly runtime: Runtime;
  readonly decoder: Decoder;
  /** The adapter's shape and first values; without one only the base can be decoded. */
  readonly adapter?: AdapterValues;
  /** @default on cpu and wasm "baked" up to 16 M values and "inputs" up to 64 M, else "constants" */
  readonly placement?: WeightPlacement;
  /** Most tokens in a row. @default the model's context length */
  readonly contextLength?: number;
  /** How tokens will be drawn, for a model that may draw them itself. @default single steps only */
  readonly sampling?: SamplingConfig;
  /**
   * Tokens of a burst; 1 for single steps only.
   * @default 8 on webgpu and cuda up to 2,000 M values, since each run there moves all caches, but a second session holds
   * the weights again; else 1: on the CPU sampling in the graph costs what it saves
   */
  readonly burstSteps?: number;
};

const DEVICE_BURST = 8;
const MOST_BURST_VALUES = 2e9;
/** Baked weights are held by two sessions, each with a packed copy. */
const MOST_BAKED_VALUES = 16e6;
const MOST_INPUT_VALUES = 64e6;

/**
 * Compiles the decode graphs.
 * @throws {DeviceError} If the device refuses them.
 */
export async function createDecodeModel(parts: DecodeModelParts): Promise<AdaptableDecodeModel> {
  const { runtime, decoder, adapter } = parts;
  const contextLength = Math.min(parts.contextLength ?? Infinity, decoder.config.contextLength);
  const config = { ...decoder.config, contextLength };
  const placement = parts.placement ?? defaultPlacement(runtime, decoder.values);
  const model = new GraphDecodeModel({ ...parts, config, placement, rule: burstRule(parts) });
  model.setAdapter(adapter);
  await model.compile();
  return model;
}

function defaultPlacement({ device }: Runtime, values: ParameterValues): WeightPlacement {
  const total = countValues(values);
  if (device !== "cpu" && device !== "wasm") return "constants";
  if (total <= MOST_BAKED_VALUES) return "baked";
  return total <= MOST_INPUT_VALUES ? "inputs" : "constants";
}

function countValues(values: ParameterValues): number {
  return [...values.values()].reduce((sum, { length }) => sum + length, 0);
}

/** What a burst unrolls; undefined where single steps are taken, as for rules that only the host's sampler knows. */
function burstRule({ runtime, decoder, sampling, burstSteps }: DecodeModelParts): BurstRule | undefined {
  const isElsewhere = runtime.device === "webgpu" || runtime.device === "cuda";
  const isDoubled = isElsewhere && countValues(decoder.values) <= MOST_BURST_VALUES;
  const steps = burstSteps ?? (isDoubled ? DEVICE_BURST : 1);
  if (steps <= 1 || sampling === undefined || sampling.topP < 1 || sampling.temperature === 0) return undefined;
  const topK = sampling.topK < decoder.config.vocabulary ? sampling.topK : 0;
  return { steps, sampling: { topK, temperature: sampling.temperature } };
}

type Feeds = Readonly<Record<string, TensorValue>>;
type ModelParts = DecodeModelParts & {
  readonly config: DecoderConfig;
  readonly placement: WeightPlacement;
  readonly rule: BurstRule | undefined;
};

class GraphDecodeModel implements AdaptableDecodeModel {
  readonly shape: DecodeShape;
  readonly burst: DecodeBurst | undefined;
  readonly #parts: ModelParts;
  #window: Executable | undefined;
  /** Only where a second session may hold the weights again. */
  #step: Executable | undefined;
  #bursts: Executable | undefined;
  #compileStep: (() => Promise<Executable>) | undefined;
  #weights: Feeds = {};
  /** Weights to compile before the next run. */
  #unbaked: ParameterValues | undefined;

  constructor(parts: ModelParts) {
    const { config } = parts;
    const { kvHeads, headSize, vocabulary, contextLength } = config;
    this.#parts = parts;
    this.shape = {
      layers: attentionLayers(config),
      kvHeads,
      headSize,
      stateShapes: stateShapes(config),
      tokenMultiple: windowMultiple(config),
      vocabulary,
      contextLength,
    };
    const { rule, sampling } = parts;
    if (rule && sampling) this.burst = { steps: rule.steps, sampling, run: (inputs) => this.#runBurst(inputs) };
  }

  setAdapter(values: AdapterValues | undefined): void {
    const { placement, decoder, adapter } = this.#parts;
    if (placement === "baked") this.#unbaked = mergedValues(decoder, values);
    else this.#weights = placement === "inputs" ? mergedFeeds(decoder, values) : adapterFeeds(adapter, values);
  }

  /** Compiles the graphs, at first and whenever weights are baked anew. */
  async compile(): Promise<void> {
    await this[Symbol.asyncDispose]();
    const { config, runtime, placement, rule } = this.#parts;
    const unbaked = this.#unbaked;
    const parameters = unbaked ? constantParameters(config, unbaked) : placedParameters(this.#parts);
    this.#window = await compileGraph(buildWindowGraph(config, parameters), runtime);
    this.#compileStep = () => compileGraph(buildStepGraph(config, parameters), runtime);
    if (rule) this.#bursts = await compileGraph(buildBurstGraph(config, parameters, rule), runtime);
    else if (placement !== "constants") this.#step = await this.#compileStep();
    if (unbaked === this.#unbaked) this.#unbaked = undefined;
  }

  async run(inputs: DecodeInputs): Promise<DecodeOutputs> {
    if (this.#unbaked) await this.compile();
    const { rows, tokens, cached } = inputs;
    // Delta layers would have to pad a window of one token to a chunk.
    if (tokens === 1 && this.#parts.config.delta) this.#step ??= await this.#compileStep?.();
    const step = tokens === 1 ? this.#step : undefined;
    const executable = step ?? this.#window;
    if (!executable) throw new TypeError("decode model: used after it was disposed");
    const outputs = await executable.run({
      ...this.#weights,
      ids: { type: "i32", shape: [rows, tokens], data: inputs.ids },
      positions: { type: "i32", shape: [rows, tokens], data: inputs.positions },
      ...(step
        ? { mask: { type: "f32", shape: [rows, cached], data: inputs.cacheMask } }
        : {
            last: { type: "i32", shape: [rows], data: inputs.last },
            mask: { type: "f32", shape: [rows, tokens, cached + tokens], data: windowMask(inputs) },
            ...deltaWindow(inputs, this.#parts.config),
          }),
      ...this.#caches(inputs, step ? [1] : []),
    });
    const [logits, logSumExp] = [floats(outputs, "logits"), floats(outputs, "logSumExp")];
    return { logits, logSumExp, ...this.#newTokens(outputs) };
  }

  async #runBurst(inputs: BurstInputs): Promise<BurstOutputs> {
    if (this.#unbaked) await this.compile();
    const { rows, cached } = inputs;
    const steps = inputs.positions.length / rows;
    if (!this.#bursts) throw new TypeError("decode model: used after it was disposed");
    const outputs = await this.#bursts.run({
      ...this.#weights,
      ids: { type: "i32", shape: [rows, 1], data: inputs.ids },
      positions: { type: "i32", shape: [rows, steps], data: inputs.positions },
      uniforms: { type: "f32", shape: [rows, steps], data: inputs.uniforms },
      mask: { type: "f32", shape: [rows, cached], data: inputs.cacheMask },
      ...this.#caches(inputs, [1]),
    });
    return { ids: integers(outputs, "sampled"), logprobs: floats(outputs, "logprobs"), ...this.#newTokens(outputs) };
  }

  #newTokens(outputs: Feeds): Pick<DecodeOutputs, "keys" | "values" | "states"> {
    const perLayer = (name: string): Float32Array[] =>
      Array.from({ length: this.shape.layers }, (_, layer) => floats(outputs, `${name}.${String(layer)}`));
    const states = this.shape.stateShapes.map((_, index) => floats(outputs, stateName(index, true)));
    return { keys: perLayer("newKeys"), values: perLayer("newValues"), states };
  }

  #caches({ rows, cached, keys, values, states }: CacheInputs, group: readonly number[]): Record<string, HostTensor> {
    const { kvHeads, headSize, layers } = this.shape;
    const shape = [rows, kvHeads, ...group, cached, headSize];
    const feeds: Record<string, HostTensor> = {};
    for (let layer = 0; layer < layers; layer += 1) {
      feeds[`keys.${String(layer)}`] = { type: "f32", shape, data: keys[layer] as Float32Array };
      feeds[`values.${String(layer)}`] = { type: "f32", shape, data: values[layer] as Float32Array };
    }
    this.shape.stateShapes.forEach((sizes, index) => {
      feeds[stateName(index)] = { type: "f32", shape: [rows, ...sizes], data: states[index] as Float32Array };
    });
    return feeds;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const sessions = [this.#window, this.#step, this.#bursts];
    this.#window = undefined;
    this.#step = undefined;
    this.#bursts = undefined;
    this.#compileStep = undefined;
    for (const session of sessions) await session?.[Symbol.asyncDispose]();
  }
}

type CacheInputs = Pick<DecodeInputs, "rows" | "cached" | "keys" | "values" | "states">;

/** What `DeltaWindow` holds, for rows whose real tokens end at `last`. */
function deltaWindow({ rows, tokens, last }: DecodeInputs, { delta }: DecoderConfig): Record<string, HostTensor> {
  if (!delta) return {};
  const before = delta.taps - 1;
  const real = new Float32Array(rows * tokens);
  const tail = new Int32Array(rows * before);
  for (let b = 0; b < rows; b += 1) {
    const end = (last[b] as number) + 1;
    real.fill(1, b * tokens, end);
    for (let t = 0; t < before; t += 1) tail[b * before + t] = b * before + end + t;
  }
  return {
    real: { type: "f32", shape: [rows, tokens], data: real },
    tail: { type: "i32", shape: [rows, before], data: tail },
  };
}

/** [B, T, S + T]: what is cached, then the new tokens up to each one itself. */
function windowMask({ rows, tokens, cached, cacheMask }: DecodeInputs): Float32Array {
  const causal = causalMask(tokens);
  const width = cached + tokens;
  const mask = new Float32Array(rows * tokens * width);
  for (let b = 0; b < rows; b += 1) {
    const before = cacheMask.subarray(b * cached, (b + 1) * cached);
    for (let t = 0; t < tokens; t += 1) {
      const start = (b * tokens + t) * width;
      mask.set(before, start);
      mask.set(causal.subarray(t * tokens, (t + 1) * tokens), start + cached);
    }
  }
  return mask;
}

function placedParameters(parts: ModelParts): ParameterSource {
  return parts.placement === "inputs" ? inputParameters(parts.config) : constantSource(parts.config, parts);
}

function constantSource(config: DecoderConfig, { decoder, adapter }: DecodeModelParts): ParameterSource {
  const base = constantParameters(config, decoder.values);
  if (!adapter) return base;
  return adaptedParameters(base, { lora: adapter.lora, nodes: adapterInput(adapter.layout), mode: "low-rank" });
}

/** The decoder's values with the adapter's product added; what is not adapted is not copied. */
function mergedValues({ values }: Decoder, adapter: AdapterValues | undefined): ParameterValues {
  if (!adapter) return values;
  const adapted = new Set(adapter.layout.entries.map(({ name }) => baseName(name)));
  const merged = new Map([...values].map(([name, data]) => [name, adapted.has(name) ? data.slice() : data]));
  mergeAdapter(merged, adapter);
  return merged;
}

function mergedFeeds(decoder: Decoder, adapter: AdapterValues | undefined): Record<string, HostTensor> {
  const merged = mergedValues(decoder, adapter);
  return Object.fromEntries(
    parameterSpecs(decoder.config).map(({ name, shape }) => [
      name,
      { type: "f32" as const, shape, data: merged.get(name) ?? new Float32Array() },
    ]),
  );
}

function baseName(peftName: string): string {
  return peftName.replace("base_model.model.", "").replace(/lora_[AB]\.weight$/, "weight");
}

function adapterFeeds(shape: AdapterValues | undefined, values: AdapterValues | undefined): Record<string, HostTensor> {
  if (!shape) return {};
  // Without values the adapter is all zeros, which is the base model.
  const data = values?.flat ?? new Float32Array(shape.layout.size);
  return { adapter: { type: "f32", shape: [data.length], data } };
}
