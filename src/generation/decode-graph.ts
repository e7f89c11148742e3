/**
 * `DecodeModel` over the decoder's graph: the same definition that is trained, with a cache.
 *
 * Small models take all weights as inputs, so that an adapter is merged once an update and a step costs what the base
 * costs. Large ones keep the weights as constants (they may live on a device that copies inputs) and add the adapter as a
 * low-rank product. Both read the one adapter vector that the trainer changes.
 */
import * as g from "../graph/builder.ts";
import { buildGraph, type Graph, type Node } from "../graph/graph.ts";
import { decode, scoreRows, tokenInputs } from "../model/decoder.ts";
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
import { compileGraph, floats, type Executable } from "../runtime/executable.ts";
import type { HostTensor, Runtime, TensorValue } from "../runtime/session.ts";
import type { DecodeInputs, DecodeModel, DecodeOutputs, DecodeShape } from "./decode-model.ts";

/** How the weights enter the decode graph. */
export type WeightPlacement = "inputs" | "constants";

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
  /** @default "inputs" below 64 M values on cpu and wasm, else "constants" */
  readonly placement?: WeightPlacement;
  /** Most tokens in a row. @default the model's context length */
  readonly contextLength?: number;
};

const MOST_INPUT_VALUES = 64e6;

/** Compiles the decode graph. */
export async function createDecodeModel(parts: DecodeModelParts): Promise<AdaptableDecodeModel> {
  const { runtime, decoder, adapter } = parts;
  const contextLength = Math.min(parts.contextLength ?? Infinity, decoder.config.contextLength);
  const config = { ...decoder.config, contextLength };
  const placement = parts.placement ?? defaultPlacement(runtime, decoder.values);
  const parameters = placement === "inputs" ? inputParameters(config) : constantSource(config, parts);
  const executable = await compileGraph(buildDecodeGraph(config, parameters), runtime);
  const shape: DecodeShape = {
    layers: config.layers,
    kvHeads: config.kvHeads,
    headSize: config.headSize,
    vocabulary: config.vocabulary,
    contextLength,
  };
  let weightFeeds: Readonly<Record<string, TensorValue>> = {};
  const setAdapter = (values: AdapterValues | undefined): void => {
    weightFeeds = placement === "inputs" ? mergedFeeds(decoder, values) : adapterFeeds(adapter, values);
  };
  setAdapter(adapter);
  return {
    shape,
    setAdapter,
    run: (inputs) => runDecode(executable, { inputs, shape, weightFeeds }),
    [Symbol.asyncDispose]: () => executable[Symbol.asyncDispose](),
  };
}

function defaultPlacement({ device }: Runtime, values: ParameterValues): WeightPlacement {
  const total = [...values.values()].reduce((sum, { length }) => sum + length, 0);
  return (device === "cpu" || device === "wasm") && total <= MOST_INPUT_VALUES ? "inputs" : "constants";
}

function constantSource(config: DecoderConfig, { decoder, adapter }: DecodeModelParts): ParameterSource {
  const base = constantParameters(config, decoder.values);
  if (!adapter) return base;
  return adaptedParameters(base, { lora: adapter.lora, nodes: adapterInput(adapter.layout), mode: "low-rank" });
}

/**
 * Inputs as in `DecodeInputs`: `ids`, `positions` [B, T], `last` [B] i32; `cacheMask` [B, S], `causal` [T, T], `keys.l`
 * [B, K, E, S], `values.l` [B, K, S, E] f32. Outputs: `logits` [B, V], `logSumExp` [B, 1], `newKeys.l` and `newValues.l` [B, K, T, E].
 */
function buildDecodeGraph(config: DecoderConfig, parameters: ParameterSource): Graph {
  const { layers, kvHeads, headSize } = config;
  const cached = (name: string, shape: readonly (string | number)[]): Node[] =>
    Array.from({ length: layers }, (_, layer) => g.input(`${name}.${String(layer)}`, "f32", shape));
  const attention = {
    mask: g.input("causal", "f32", ["T", "T"]),
    cache: {
      mask: g.reshape(g.input("cacheMask", "f32", ["B", "S"]), ["B", 1, 1, 1, "S"]),
      length: "S",
      keys: cached("keys", ["B", kvHeads, headSize, "S"]),
      values: cached("values", ["B", kvHeads, "S", headSize]),
    },
  };
  const parts = { config, parameters, attention };
  const { hidden, keys, values } = decode(tokenInputs(), parts);
  const named = (name: string, nodes: readonly Node[]): [string, Node][] =>
    nodes.map((node, layer) => [`${name}.${String(layer)}`, node]);
  const logits = scoreRows(hidden, g.input("last", "i32", ["B"]), parts);
  return buildGraph({
    logits,
    logSumExp: g.logSumExp(logits),
    ...Object.fromEntries([...named("newKeys", keys), ...named("newValues", values)]),
  });
}

function mergedFeeds({ config, values }: Decoder, adapter: AdapterValues | undefined): Record<string, HostTensor> {
  const adapted = new Set(adapter?.layout.entries.map(({ name }) => baseName(name)));
  const merged = new Map([...values].map(([name, data]) => [name, adapted.has(name) ? data.slice() : data]));
  if (adapter) mergeAdapter(merged, adapter);
  return Object.fromEntries(
    parameterSpecs(config).map(({ name, shape }) => [
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

type Run = {
  readonly inputs: DecodeInputs;
  readonly shape: DecodeShape;
  readonly weightFeeds: Readonly<Record<string, TensorValue>>;
};

async function runDecode(executable: Executable, { inputs, shape, weightFeeds }: Run): Promise<DecodeOutputs> {
  const { rows, tokens, cached } = inputs;
  const { layers, kvHeads, headSize } = shape;
  const feeds: Record<string, TensorValue> = {
    ...weightFeeds,
    ids: { type: "i32", shape: [rows, tokens], data: inputs.ids },
    positions: { type: "i32", shape: [rows, tokens], data: inputs.positions },
    last: { type: "i32", shape: [rows], data: inputs.last },
    cacheMask: { type: "f32", shape: [rows, cached], data: inputs.cacheMask },
    causal: { type: "f32", shape: [tokens, tokens], data: causalMask(tokens) },
  };
  const cacheFeed = (name: string, data: readonly Float32Array[], sizes: readonly number[]): void => {
    data.forEach((values, layer) => {
      feeds[`${name}.${String(layer)}`] = { type: "f32", shape: [rows, kvHeads, ...sizes], data: values };
    });
  };
  cacheFeed("keys", inputs.keys, [headSize, cached]);
  cacheFeed("values", inputs.values, [cached, headSize]);
  const outputs = await executable.run(feeds);
  const perLayer = (name: string): Float32Array[] =>
    Array.from({ length: layers }, (_, layer) => floats(outputs, `${name}.${String(layer)}`));
  const [logits, logSumExp] = [floats(outputs, "logits"), floats(outputs, "logSumExp")];
  return { logits, logSumExp, keys: perLayer("newKeys"), values: perLayer("newValues") };
}
