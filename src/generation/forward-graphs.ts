/**
 * The forward passes behind `DecodeModel`, all from the one definition of the decoder: a window of any number of new
 * tokens a row, for prompts; a step of one token a row, which does without copying the cache and without a mask among new
 * tokens; and a burst of several such steps that samples between them, so that logits, caches and control come back to the
 * host once a burst (multi-step scheduling).
 */
import * as g from "../graph/builder.ts";
import { buildGraph, type Graph, type Node } from "../graph/graph.ts";
import { decode, score, scoreRows, tokenInputs, type RecentTokens, type TokenCache } from "../model/decoder.ts";
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

/** What `buildBurstGraph` unrolls. */
export type BurstRule = {
  /** Tokens sampled a row, N. */
  readonly steps: number;
  readonly sampling: g.SampleRule;
};

/**
 * N steps with a token drawn after each. Inputs as those of `buildStepGraph`, but `positions` and `uniforms`, f32 in [0, 1),
 * are [B, N]. Outputs: `sampled` i32 and `logprobs` f32, ln p at the sampling temperature over the whole vocabulary, both
 * [B, N]; `newKeys.l` and `newValues.l` [B, K, N, E], of the token that was fed and all that were sampled but the last.
 */
export function buildBurstGraph(config: DecoderConfig, parameters: ParameterSource, rule: BurstRule): Graph {
  const { steps, sampling } = rule;
  const mask = g.reshape(g.input("mask", "f32", ["B", "S"]), ["B", 1, 1, 1, "S"]);
  const cache = cacheInputs(config, [1]);
  const positions = g.input("positions", "i32", ["B", steps]);
  const uniforms = g.input("uniforms", "f32", ["B", steps]);
  const inverse = g.scalar(1 / sampling.temperature);
  const recent: { keys: readonly Node[]; values: readonly Node[] }[] = [];
  const sampled: Node[] = [];
  const logprobs: Node[] = [];
  let ids: Node = g.input("ids", "i32", ["B", 1]);
  for (let step = 0; step < steps; step += 1) {
    const column = (x: Node): Node => g.slice(x, { axis: 1, start: step, end: step + 1 });
    const parts = { config, parameters, attention: { mask, cache, recent: [...recent] } };
    const { hidden, keys, values } = decode({ ids, positions: column(positions) }, parts);
    const logits = score(hidden, parts);
    const drawn = g.sampleToken(logits, column(uniforms), sampling);
    const scaled = sampling.temperature === 1 ? logits : g.mul(logits, inverse);
    logprobs.push(g.neg(g.crossEntropy(scaled, drawn)));
    recent.push({ keys, values });
    ids = g.reshape(drawn, ["B", 1]);
    sampled.push(ids);
  }
  const joined = (of: (token: RecentTokens[number]) => readonly Node[]): Node[] =>
    Array.from({ length: config.layers }, (_, layer) =>
      g.concat(
        recent.map((token) => of(token)[layer] as Node),
        2,
      ),
    );
  return buildGraph({
    sampled: g.concat(sampled, 1),
    logprobs: g.concat(logprobs, 1),
    ...byLayer(
      "newKeys",
      joined(({ keys }) => keys),
    ),
    ...byLayer(
      "newValues",
      joined(({ values }) => values),
    ),
  });
}

function cacheInputs({ layers, kvHeads, headSize }: DecoderConfig, group: readonly number[]): TokenCache {
  const shape = ["B", kvHeads, ...group, "S", headSize];
  const inputs = (name: string): Node[] =>
    Array.from({ length: layers }, (_, layer) => g.input(`${name}.${String(layer)}`, "f32", shape));
  return { length: "S", keys: inputs("keys"), values: inputs("values") };
}

function withOutputs(logits: Node, keys: readonly Node[], values: readonly Node[]): Graph {
  return buildGraph({
    logits,
    logSumExp: g.logSumExp(logits),
    ...byLayer("newKeys", keys),
    ...byLayer("newValues", values),
  });
}

function byLayer(name: string, nodes: readonly Node[]): Record<string, Node> {
  return Object.fromEntries(nodes.map((node, layer) => [`${name}.${String(layer)}`, node]));
}
