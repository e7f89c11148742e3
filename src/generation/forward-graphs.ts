/**
 * The forward passes behind `DecodeModel`, all from the one definition of the decoder: a window of any number of new
 * tokens a row, for prompts; a step of one token a row, which does without copying the cache and without a mask among new
 * tokens; and a burst of several such steps that samples between them, so that logits, caches and control come back to the
 * host once a burst (multi-step scheduling).
 */
import * as g from "../graph/builder.ts";
import { buildGraph, type Graph, type Node } from "../graph/graph.ts";
import { addDims } from "../graph/dims.ts";
import {
  decode,
  score,
  scoreRows,
  tokenInputs,
  type DecoderValues,
  type RecentTokens,
  type TokenCache,
} from "../model/decoder.ts";
import type { DecoderConfig } from "../model/decoder-config.ts";
import { tokenLength, type DeltaState } from "../model/delta-net.ts";
import { deltaWidths } from "../model/parameters.ts";
import type { ParameterSource } from "../model/parameters.ts";

/** Tokens that delta layers of a window work out together; short, since a window is padded to a multiple of it. */
const CHUNK = 16;

/** Multiple to which a window has to be padded. */
export function windowMultiple({ delta }: DecoderConfig): number {
  return delta ? CHUNK : 1;
}

/**
 * Inputs: `ids`, `positions` [B, T], `last` [B] i32; `mask` [B, T, S + T], `keys.l` and `values.l` of layers with attention
 * [B, K, S, E] f32. Outputs: `logits` [B, V], `logSumExp` [B, 1], `newKeys.l` and `newValues.l` [B, K, T, E].
 *
 * For delta layers also `recent.l` [B, taps - 1, C] and `memory.l` [B, H, Ek, Ev], which come back as `newRecent.l` and
 * `newMemory.l`, and `real` and `tail` (`DeltaWindow`). Layers are counted among those of their kind.
 */
export function buildWindowGraph(config: DecoderConfig, parameters: ParameterSource): Graph {
  const length = tokenLength(config, CHUNK);
  const total = addDims("S", length);
  const mask = g.reshape(g.input("mask", "f32", ["B", length, total]), ["B", 1, 1, length, total]);
  const before = (config.delta?.taps ?? 1) - 1;
  const window = { real: g.input("real", "f32", ["B", length]), tail: g.input("tail", "i32", ["B", before]) };
  const delta = { chunk: CHUNK, states: stateInputs(config), window };
  const parts = { config, parameters, attention: { mask, cache: cacheInputs(config, []) }, delta };
  const values = decode(tokenInputs(length), parts);
  return withOutputs(scoreRows(values.hidden, g.input("last", "i32", ["B"]), parts), values);
}

/**
 * As `buildWindowGraph` with T = 1, but `mask` is [B, S], `keys.l` and `values.l` are [B, K, 1, S, E], and there is no `last`,
 * `real` or `tail`.
 */
export function buildStepGraph(config: DecoderConfig, parameters: ParameterSource): Graph {
  const mask = g.reshape(g.input("mask", "f32", ["B", "S"]), ["B", 1, 1, 1, "S"]);
  const attention = { mask, cache: cacheInputs(config, [1]) };
  const parts = { config, parameters, attention, delta: { chunk: 1, states: stateInputs(config) } };
  const values = decode(tokenInputs(1), parts);
  return withOutputs(score(values.hidden, parts), values);
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
 * [B, N]; `newKeys.l` and `newValues.l` [B, K, N, E], of the token that was fed and all that were sampled but the last, as
 * are the states after them.
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
  let states: readonly DeltaState[] = stateInputs(config);
  for (let step = 0; step < steps; step += 1) {
    const column = (x: Node): Node => g.slice(x, { axis: 1, start: step, end: step + 1 });
    const attention = { mask, cache, recent: [...recent] };
    const parts = { config, parameters, attention, delta: { chunk: 1, states } };
    const { hidden, keys, values, states: after } = decode({ ids, positions: column(positions) }, parts);
    states = after;
    const logits = score(hidden, parts);
    const drawn = g.sampleToken(logits, column(uniforms), sampling);
    const scaled = sampling.temperature === 1 ? logits : g.mul(logits, inverse);
    logprobs.push(g.neg(g.crossEntropy(scaled, drawn)));
    recent.push({ keys, values });
    ids = g.reshape(drawn, ["B", 1]);
    sampled.push(ids);
  }
  const joined = (of: (token: RecentTokens[number]) => readonly Node[]): Node[] =>
    Array.from({ length: attentionLayers(config) }, (_, index) =>
      g.concat(
        recent.map((token) => of(token)[index] as Node),
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
    ...newStates(states),
  });
}

/** Layers with attention, and so with keys and values. */
export function attentionLayers({ layerKinds }: DecoderConfig): number {
  return layerKinds.filter((kind) => kind === "attention").length;
}

/** Shapes of what one row has beside keys and values: of each delta layer `recent` and `memory`. */
export function stateShapes(config: DecoderConfig): readonly (readonly number[])[] {
  const { delta, layerKinds } = config;
  if (!delta) return [];
  const recent = [delta.taps - 1, deltaWidths(config).mixed];
  const memory = [delta.valueHeads, delta.keySize, delta.valueSize];
  return layerKinds.filter((kind) => kind === "delta").flatMap(() => [recent, memory]);
}

/** Name in a graph of the `index`-th of `stateShapes`; `isNew` for what comes back. */
export function stateName(index: number, isNew = false): string {
  const name = index % 2 === 0 ? "recent" : "memory";
  const layer = String(Math.floor(index / 2));
  return isNew ? `new${name.charAt(0).toUpperCase()}${name.slice(1)}.${layer}` : `${name}.${layer}`;
}

function stateInputs(config: DecoderConfig): DeltaState[] {
  const inputs = stateShapes(config).map((shape, index) => g.input(stateName(index), "f32", ["B", ...shape]));
  return Array.from({ length: inputs.length / 2 }, (_, layer) => ({
    recent: inputs[2 * layer] as Node,
    memory: inputs[2 * layer + 1] as Node,
  }));
}

function newStates(states: readonly DeltaState[]): Record<string, Node> {
  const nodes = states.flatMap(({ recent, memory }) => [recent, memory]);
  return Object.fromEntries(nodes.map((node, index) => [stateName(index, true), node]));
}

function cacheInputs(config: DecoderConfig, group: readonly number[]): TokenCache {
  const shape = ["B", config.kvHeads, ...group, "S", config.headSize];
  const inputs = (name: string): Node[] =>
    Array.from({ length: attentionLayers(config) }, (_, index) => g.input(`${name}.${String(index)}`, "f32", shape));
  return { length: "S", keys: inputs("keys"), values: inputs("values") };
}

function withOutputs(logits: Node, { keys, values, states }: DecoderValues): Graph {
  return buildGraph({
    logits,
    logSumExp: g.logSumExp(logits),
    ...byLayer("newKeys", keys),
    ...byLayer("newValues", values),
    ...newStates(states),
  });
}

function byLayer(name: string, nodes: readonly Node[]): Record<string, Node> {
  return Object.fromEntries(nodes.map((node, index) => [`${name}.${String(index)}`, node]));
}
