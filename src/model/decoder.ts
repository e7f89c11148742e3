/**
 * The decoder, written once over graph values: pre-norm transformer with grouped-query attention (Ainslie et al.,
 * arXiv:2305.13245), rotary embedding, RMSNorm and SwiGLU, as in Qwen2 (arXiv:2407.10671) and Qwen3 (arXiv:2505.09388);
 * Qwen3.5 gates that attention and keeps it to every few layers, between others with a gated delta rule.
 *
 * Training, scoring, prefilling and decoding differ only in what attention sees: see `AttentionContext`.
 */
import { GraphError } from "../base/errors.ts";
import * as g from "../graph/builder.ts";
import { addDims, mulDims, type Dim } from "../graph/dims.ts";
import type { Node } from "../graph/graph.ts";
import type { DecoderConfig } from "./decoder-config.ts";
import { mixDelta, type DeltaContext, type DeltaState } from "./delta-net.ts";
import { EMBEDDING, FINAL_NORM, headName, layerName, type ParameterSource } from "./parameters.ts";

/** What the queries of a run may look at: the new tokens, and those that are cached. */
export type AttentionContext = {
  /**
   * Added to the scores, 0 where seen and very negative where not. Without a cache [T, T] or [B, 1, 1, T, T]; with one
   * [B, 1, 1, T, S + T]. Where T is 1, [B, 1, 1, 1, S]: the new token sees itself.
   */
  readonly mask: Node;
  /** Tokens before the new ones. */
  readonly cache?: TokenCache;
  /** Where T is 1: keys and values of tokens between the cache and the new one, oldest first. All are seen. */
  readonly recent?: RecentTokens;
};

/** Keys and values, [B, K, 1, E] each, of single tokens, first by token and then by layer with attention. */
export type RecentTokens = readonly { readonly keys: readonly Node[]; readonly values: readonly Node[] }[];

/** Keys and values of earlier tokens. */
export type TokenCache = {
  /** S. */
  readonly length: Dim;
  /** One [B, K, S, E] a layer with attention; where T is 1, [B, K, 1, S, E]. */
  readonly keys: readonly Node[];
  /** As `keys`. */
  readonly values: readonly Node[];
};

/** What a forward pass gives. */
export type DecoderValues = {
  /** [N, D] after the final norm. */
  readonly hidden: Node;
  /** One [B, K, T, E] a layer with attention, of the new tokens. */
  readonly keys: readonly Node[];
  /** As `keys`. */
  readonly values: readonly Node[];
  /** One a delta layer, after the new tokens, where there was one before them. */
  readonly states: readonly DeltaState[];
};

/** Token inputs: i32 `ids` and `positions`, both [B, T]. */
export type TokenNodes = { readonly ids: Node; readonly positions: Node };

/** The inputs `ids` and `positions` of a graph, for T = `length` tokens a row. */
export function tokenInputs(length: Dim): TokenNodes {
  return { ids: g.input("ids", "i32", ["B", length]), positions: g.input("positions", "i32", ["B", length]) };
}

/** What `decode` combines. */
export type DecoderParts = {
  readonly config: DecoderConfig;
  readonly parameters: ParameterSource;
  readonly attention: AttentionContext;
  /** For models with delta layers. */
  readonly delta?: DeltaContext;
};

/** Runs the decoder over `tokens`. */
export function decode(tokens: TokenNodes, parts: DecoderParts): DecoderValues {
  const { config, parameters } = parts;
  const [, length = 1] = tokens.ids.shape;
  const rotations = rotaryTables(config, tokens.positions);
  const keys: Node[] = [];
  const values: Node[] = [];
  const states: DeltaState[] = [];
  let deltas = 0;
  let x = g.reshape(g.gather(parameters.tensor(EMBEDDING), tokens.ids), [mulDims("B", length), config.width]);
  for (let layer = 0; layer < config.layers; layer += 1) {
    const normed = norm(x, parts, layerName(layer, "input_layernorm.weight"));
    if (config.layerKinds[layer] === "delta") {
      const mixed = mixDelta(normed, { ...deltaParts(parts, deltas), length, layer });
      deltas += 1;
      if (mixed.state) states.push(mixed.state);
      x = g.add(x, mixed.output);
    } else {
      const attended = attend(normed, { ...parts, rotations, length, layer, cached: keys.length });
      keys.push(attended.key);
      values.push(attended.value);
      x = g.add(x, attended.output);
    }
    x = g.add(x, feedForward(norm(x, parts, layerName(layer, "post_attention_layernorm.weight")), parameters, layer));
  }
  return { hidden: norm(x, parts, FINAL_NORM), keys, values, states };
}

/** Logits [M, V] of the rows of `hidden` at i32 `rows` [M]. */
export function scoreRows(hidden: Node, rows: Node, parts: DecoderParts): Node {
  return score(g.gather(hidden, rows), parts);
}

/** Logits [N, V] of `hidden` [N, D]. */
export function score(hidden: Node, { config, parameters }: DecoderParts): Node {
  return g.gemm(hidden, parameters.tensor(headName(config)), { transB: true });
}

/** What the `index`-th delta layer needs. */
function deltaParts({ config, parameters, delta: context }: DecoderParts, index: number) {
  if (!config.delta || !context) throw new GraphError("decoder: delta layers need their sizes and their context");
  return { config, parameters, delta: config.delta, context, state: context.states?.[index] };
}

/** `length` is T: a symbol, or 1. `cached` is the layer's place among those with attention. */
type LayerSite = DecoderParts & {
  readonly rotations: g.RotaryTables;
  readonly length: Dim;
  readonly layer: number;
  readonly cached: number;
};
type Attended = { readonly output: Node; readonly key: Node; readonly value: Node };

function attend(x: Node, site: LayerSite): Attended {
  const { config, parameters, length, layer } = site;
  const { heads, kvHeads, headSize } = config;
  const group = heads / kvHeads;
  const { query: queries, gate } = splitGate(parameters.linear(x, layer, "q_proj"), site);
  const query = toHeads(rotated(queries, "q", site), [kvHeads, group, headSize], length);
  const key = toHeads(rotated(parameters.linear(x, layer, "k_proj"), "k", site), [kvHeads, headSize], length);
  const value = toHeads(parameters.linear(x, layer, "v_proj"), [kvHeads, headSize], length);
  const mixed = (length === 1 ? mixStep : mixWindow)({ query, key, value }, site);
  const perToken = g.reshape(mixed, ["B", kvHeads, group, length, headSize]);
  const rows = g.reshape(length === 1 ? perToken : g.transpose(perToken, [0, 3, 1, 2, 4]), [
    mulDims("B", length),
    heads * headSize,
  ]);
  const output = parameters.linear(gate ? g.mul(rows, g.sigmoid(gate)) : rows, layer, "o_proj");
  return { output, key, value };
}

/** Queries [B * T, H * E], and what gates each head's output, which lies behind its query. */
function splitGate(x: Node, { config, length }: LayerSite): { readonly query: Node; readonly gate?: Node } {
  if (!config.outputGate) return { query: x };
  const { heads, headSize } = config;
  const rows = mulDims("B", length);
  const both = g.reshape(x, [rows, heads, 2 * headSize]);
  const part = (start: number, end: number): Node =>
    g.reshape(g.slice(both, { axis: 2, start, end }), [rows, heads * headSize]);
  return { query: part(0, headSize), gate: part(headSize, 2 * headSize) };
}

/** Queries [B, K, G, T, E], scaled, and keys and values of the new tokens, both [B, K, T, E]. */
type Heads = { readonly query: Node; readonly key: Node; readonly value: Node };

/** Values mixed for any number of tokens, [B, K, G * T, E], over what is cached and new in one piece. */
function mixWindow({ query, key, value }: Heads, { config, attention, length, cached }: LayerSite): Node {
  const { heads, kvHeads, headSize } = config;
  const { cache, mask } = attention;
  const total = cache ? addDims(cache.length, length) : length;
  const keys = cache ? g.concat([cacheOf(cache.keys, cached), key], 2) : key;
  const values = cache ? g.concat([cacheOf(cache.values, cached), value], 2) : value;
  // Queries that share a key head lie one after another, so that one product serves them all.
  const queries = g.reshape(query, ["B", kvHeads, mulDims(heads / kvHeads, length), headSize]);
  const scores = g.reshape(g.matmul(queries, g.transpose(keys, [0, 1, 3, 2])), [
    "B",
    kvHeads,
    heads / kvHeads,
    length,
    total,
  ]);
  const weights = g.softmax(g.add(scores, mask));
  return g.matmul(g.reshape(weights, ["B", kvHeads, mulDims(heads / kvHeads, length), total]), values);
}

/**
 * Values mixed for one token, [B, K, G, 1, E]. The cache is only read: joining it to the token would copy it. Products of
 * single rows, with the cache shared by a group, are ones that the CPU does without packing the cache first.
 */
function mixStep({ query, key, value }: Heads, { config, attention, cached }: LayerSite): Node {
  const { kvHeads, headSize } = config;
  const { cache, mask, recent = [] } = attention;
  if (!cache) throw new GraphError("decoder: a step needs a cache");
  const { length } = cache;
  const fresh = recent.length + 1;
  const keys = [...recent.map((token) => cacheOf(token.keys, cached)), key];
  const values = g.concat([...recent.map((token) => cacheOf(token.values, cached)), value], 2);
  const past = g.matmul(query, g.transpose(cacheOf(cache.keys, cached), [0, 1, 2, 4, 3]));
  // The key of one token is a row and a column alike, so joining columns spares a transposition.
  const columns = keys.map((one) => g.reshape(one, ["B", kvHeads, 1, headSize, 1]));
  const own = g.matmul(query, g.concat(columns, 4));
  const weights = g.softmax(g.concat([g.add(past, mask), own], 4));
  const before = g.slice(weights, { axis: 4, start: 0, end: length });
  const present = g.slice(weights, { axis: 4, start: length, end: addDims(length, fresh) });
  const rows = g.reshape(values, ["B", kvHeads, 1, fresh, headSize]);
  const mixed = fresh === 1 ? g.mul(present, rows) : g.matmul(present, rows);
  return g.add(g.matmul(before, cacheOf(cache.values, cached)), mixed);
}

function cacheOf(layers: readonly Node[], index: number): Node {
  const found = layers[index];
  if (!found) throw new GraphError(`decoder: no cache for layer ${String(index)} of those with attention`);
  return found;
}

/** Queries x [N, heads * E], scaled for their products with keys, or keys; [B, T, heads * E], rotated. */
function rotated(x: Node, side: "q" | "k", site: LayerSite): Node {
  const { config, rotations, length, layer } = site;
  const heads = side === "q" ? config.heads : config.kvHeads;
  const scale = g.scalar(1 / Math.sqrt(config.headSize));
  let y = x;
  if (config.qkNorm) {
    const weight = normWeight(site, layerName(layer, `self_attn.${side}_norm.weight`));
    // The norm's weight is the smallest thing that can be scaled: [E] instead of [N, H E], or scores [B, H, T, T].
    const scaled = side === "q" ? g.mul(weight, scale) : weight;
    y = g.rmsNorm(g.reshape(y, [mulDims("B", length), heads, config.headSize]), scaled, config.normEps);
  } else if (side === "q") y = g.mul(y, scale);
  const { headSize, rotarySize } = config;
  const whole = ["B", length, heads * headSize] as const;
  if (rotarySize === headSize) return g.rotary(g.reshape(y, whole), rotations, heads);
  const split = g.reshape(y, ["B", length, heads, headSize]);
  const first = g.reshape(g.slice(split, { axis: 3, start: 0, end: rotarySize }), ["B", length, heads * rotarySize]);
  const turned = g.reshape(g.rotary(first, rotations, heads), ["B", length, heads, rotarySize]);
  return g.reshape(g.concat([turned, g.slice(split, { axis: 3, start: rotarySize, end: headSize })], 3), whole);
}

/** [N, ...sizes] or [B, T, ...sizes] to [B, sizes[0], ..., T, sizes.at(-1)]: heads outside, tokens inside. */
function toHeads(x: Node, sizes: readonly number[], length: Dim): Node {
  // A single token moves nothing.
  if (length === 1) return g.reshape(x, ["B", ...sizes.slice(0, -1), 1, ...sizes.slice(-1)]);
  const split = g.reshape(x, ["B", length, ...sizes]);
  const inner = sizes.map((_, i) => i + 2);
  return g.transpose(split, [0, ...inner.slice(0, -1), 1, sizes.length + 1]);
}

function feedForward(x: Node, parameters: ParameterSource, layer: number): Node {
  const gate = g.silu(parameters.linear(x, layer, "gate_proj"));
  return parameters.linear(g.mul(gate, parameters.linear(x, layer, "up_proj")), layer, "down_proj");
}

function norm(x: Node, parts: DecoderParts, name: string): Node {
  return g.rmsNorm(x, normWeight(parts, name), parts.config.normEps);
}

function normWeight({ config, parameters }: DecoderParts, name: string): Node {
  const weight = parameters.tensor(name);
  return config.normOffset === 0 ? weight : g.add(weight, g.scalar(config.normOffset));
}

/** cos and sin [B, T, E / 2] of position * theta^(-2i / E), E being what is rotated of a head. */
function rotaryTables({ rotarySize, ropeTheta, contextLength }: DecoderConfig, positions: Node): g.RotaryTables {
  const half = rotarySize / 2;
  const table = (f: (angle: number) => number): Node => {
    const data = new Float32Array(contextLength * half);
    for (let position = 0; position < contextLength; position += 1)
      for (let i = 0; i < half; i += 1) data[position * half + i] = f(position * ropeTheta ** ((-2 * i) / rotarySize));
    return g.gather(g.constant(data, [contextLength, half]), positions);
  };
  return { cos: table(Math.cos), sin: table(Math.sin) };
}
