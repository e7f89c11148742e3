/**
 * The graph of one training or scoring pass: forward, token losses, and with something to train the gradient, all in one
 * ONNX model. Nothing is written for one device; see `onnx/rules.ts` for what that rules out.
 */
import { gradients } from "../graph/autograd.ts";
import * as g from "../graph/builder.ts";
import { buildGraph, type Graph, type Node } from "../graph/graph.ts";
import { decode, scoreRows, tokenInputs } from "../model/decoder.ts";
import { tokenLength } from "../model/delta-net.ts";
import type { DecoderConfig } from "../model/decoder-config.ts";
import { adaptedParameters, adapterInput, adapterLayout, type AdapterMode, type LoraConfig } from "../model/lora.ts";
import {
  constantParameters,
  flatLayout,
  parameterSource,
  parameterSpecs,
  unpackFlat,
  type FlatLayout,
  type ParameterSource,
  type ParameterValues,
} from "../model/parameters.ts";

/** Tokens that delta layers work out together: longer chunks keep fewer memories for the gradient. */
const CHUNK = 64;

/** Multiple to which sequences of a decoder of `config` have to be padded. */
export function lengthMultiple({ delta }: DecoderConfig): number {
  return delta ? CHUNK : 1;
}

/** What is trained: an adapter on constant weights, or all weights (then they are an input). */
export type Trainable =
  | {
      readonly kind: "adapter";
      readonly values: ParameterValues;
      readonly lora: LoraConfig;
      readonly mode: AdapterMode;
    }
  | { readonly kind: "full" };

/** A graph to train with, and the layout of its flat input `trained` [P] and its flat output `gradient` [P]. */
export type TrainingGraph = { readonly graph: Graph; readonly layout: FlatLayout };

/**
 * Builds the training graph. Inputs: `ids`, `positions` [B, T] i32; `mask` [T, T] f32, 0 where a token is seen and -1e9
 * where not; `rows` [M] i32, index b * T + t of the position that scores each target; `labels` [M] i32; `weights` [M] f32;
 * `trained` [P] f32. Outputs: `loss`, the sum of weights times negative log-likelihoods in nats; `gradient` [P].
 */
export function buildTrainingGraph(config: DecoderConfig, trainable: Trainable): TrainingGraph {
  const { parameters, layout, flat, matrices } = trainedParameters(config, trainable);
  const { nll } = tokenLosses(config, parameters);
  const weights = g.input("weights", "f32", ["M"]);
  const loss = g.reduceSum(g.mul(g.reshape(nll, ["M"]), weights), [0]);
  const wrt = layout.entries.map(({ name }) => matrices.get(name) ?? flat);
  const parts = gradients(loss, wrt).map((gradient, i) => g.reshape(gradient, [layout.entries[i]?.length ?? 0]));
  return { graph: buildGraph({ loss, gradient: g.concat(parts, 0) }), layout };
}

/**
 * Builds a scoring graph: inputs as above without `weights` and `trained` (with an adapter: its flat input `adapter` [P]);
 * outputs `logits` [M, V] and `nll` [M, 1] in nats.
 */
export function buildScoringGraph(config: DecoderConfig, values: ParameterValues, lora?: LoraConfig): Graph {
  const base = constantParameters(config, values);
  const parameters = lora
    ? adaptedParameters(base, { lora, nodes: adapterInput(adapterLayout(config, lora)), mode: "merged" })
    : base;
  return buildGraph(tokenLosses(config, parameters));
}

function tokenLosses(config: DecoderConfig, parameters: ParameterSource): { logits: Node; nll: Node } {
  const length = tokenLength(config, CHUNK);
  const mask = g.input("mask", "f32", [length, length]);
  const parts = { config, parameters, attention: { mask }, delta: { chunk: CHUNK } };
  const { hidden } = decode(tokenInputs(length), parts);
  const logits = scoreRows(hidden, g.input("rows", "i32", ["M"]), parts);
  return { logits, nll: g.crossEntropy(logits, g.input("labels", "i32", ["M"])) };
}

type TrainedParameters = {
  readonly parameters: ParameterSource;
  readonly layout: FlatLayout;
  readonly flat: Node;
  readonly matrices: ReadonlyMap<string, Node>;
};

function trainedParameters(config: DecoderConfig, trainable: Trainable): TrainedParameters {
  if (trainable.kind === "full") {
    const layout = flatLayout(parameterSpecs(config));
    const flat = g.input("trained", "f32", [layout.size]);
    const matrices = unpackFlat(flat, layout);
    return { parameters: parameterSource(matrices), layout, flat, matrices };
  }
  const { values, lora, mode } = trainable;
  const layout = adapterLayout(config, lora);
  const nodes = adapterInput(layout, "trained");
  const parameters = adaptedParameters(constantParameters(config, values), { lora, nodes, mode });
  return { parameters, layout, ...nodes };
}
