/**
 * The two forward passes behind `DecodeModel`, both from the one definition of the decoder: a window of any number of new
 * tokens a row, for prompts, and a step of one token a row, which does without copying the cache and without a mask among
 * new tokens.
 */
import * as g from "../graph/builder.ts";
import { buildGraph, type Graph, type Node } from "../graph/graph.ts";
import { decode, score, scoreRows, tokenInputs, type TokenCache } from "../model/decoder.ts";
import type { DecoderConfig } from "../model/decoder-config.ts";
import type { ParameterSource } from "../model/parameters.ts";

/**
 * Inputs: `ids`, `positions` [B, T], `last` [B] i32; `mask` [B, T, S + T], `keys.l` and `values.l`
 * [B, K, S, E] f32. Outputs: `logits` [B, V], `logSumExp` [B, 1], `newKeys.l` and `newValues.l` [B, K, T, E].
 */
export function buildWindowGraph(config: DecoderConfig, parameters: ParameterSource): Graph {
  const mask = g.reshape(g.input("mask", "f32", ["B", "T", "S+T"]), ["B", 1, 1, "T", "S+T"]);
  const parts = { config, parameters, attention: { mask, cache: cacheInputs(config, []) } };
  const { hidden, keys, values } = decode(tokenInputs(), parts);
  return withOutputs(scoreRows(hidden, g.input("last", "i32", ["B"]), parts), keys, values);
}

/** As `buildWindowGraph` with T = 1, but `mask` is [B, S], `keys.l` and `values.l` are [B, K, 1, S, E], and there is no `last`. */
export function buildStepGraph(config: DecoderConfig, parameters: ParameterSource): Graph {
  const mask = g.reshape(g.input("mask", "f32", ["B", "S"]), ["B", 1, 1, 1, "S"]);
  const parts = { config, parameters, attention: { mask, cache: cacheInputs(config, [1]) } };
  const { hidden, keys, values } = decode(tokenInputs(1), parts);
  return withOutputs(score(hidden, parts), keys, values);
}

function cacheInputs({ layers, kvHeads, headSize }: DecoderConfig, group: readonly number[]): TokenCache {
  const shape = ["B", kvHeads, ...group, "S", headSize];
  const inputs = (name: string): Node[] =>
    Array.from({ length: layers }, (_, layer) => g.input(`${name}.${String(layer)}`, "f32", shape));
  return { length: "S", keys: inputs("keys"), values: inputs("values") };
}

function withOutputs(logits: Node, keys: readonly Node[], values: readonly Node[]): Graph {
  const byLayer = (name: string, nodes: readonly Node[]): [string, Node][] =>
    nodes.map((node, layer) => [`${name}.${String(layer)}`, node]);
  return buildGraph({
    logits,
    logSumExp: g.logSumExp(logits),
    ...Object.fromEntries([...byLayer("newKeys", keys), ...byLayer("newValues", values)]),
  });
}
