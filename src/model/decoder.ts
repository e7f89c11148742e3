/**
 * The decoder, written once over graph values: pre-norm transformer with grouped-query attention (Ainslie et al.,
 * arXiv:2305.13245), rotary embedding, RMSNorm and SwiGLU, as in Qwen2 (arXiv:2407.10671) and Qwen3 (arXiv:2505.09388).
 *
 * Training, scoring and cached decoding differ only in what attention sees: see `AttentionContext`.
 */
import * as g from "../graph/builder.ts";
import { mulDims, type Dim } from "../graph/dims.ts";
import type { Node } from "../graph/graph.ts";
import type { DecoderConfig } from "./decoder-config.ts";
import { EMBEDDING, FINAL_NORM, headName, layerName, type ParameterSource } from "./parameters.ts";

/** What the queries of a run may look at. */
export type AttentionContext = {
  /** Added to the scores among new tokens; [T, T] or [B, 1, 1, T, T], 0 where seen and very negative where not. */
  readonly mask: Node;
  /** Tokens before the new ones, masked by a value that broadcasts to [B, K, G, T, S]. */
  readonly cache?: {
    readonly mask: Node;
    /** S. */
    readonly length: Dim;
    /** One [B, K, E, S] a layer. */
    readonly keys: readonly Node[];
    /** One [B, K, S, E] a layer. */
    readonly values: readonly Node[];
  };
};

/** What a forward pass gives. */
export type DecoderValues = {
  /** [N, D] after the final norm. */
  readonly hidden: Node;
  /** One [B, K, T, E] a layer, of the new tokens. */
  readonly keys: readonly Node[];
  /** One [B, K, T, E] a layer, of the new tokens. */
  readonly values: readonly Node[];
};

/** Token inputs: i32 `ids` and `positions`, both [B, T]. */
export type TokenNodes = { readonly ids: Node; readonly positions: Node };

/** The inputs `ids` and `positions` of a graph. */
export function tokenInputs(): TokenNodes {
  return { ids: g.input("ids", "i32", ["B", "T"]), positions: g.input("positions", "i32", ["B", "T"]) };
}

/** What `decode` combines. */
export type DecoderParts = {
  readonly config: DecoderConfig;
  readonly parameters: ParameterSource;
  readonly attention: AttentionContext;
};

/** Runs the decoder over `tokens`. */
export function decode(tokens: TokenNodes, parts: DecoderParts): DecoderValues {
  const { config, parameters } = parts;
  const rotations = rotaryTables(config, tokens.positions);
  const keys: Node[] = [];
  const values: Node[] = [];
  let x = g.reshape(g.gather(parameters.tensor(EMBEDDING), tokens.ids), ["B*T", config.width]);
  for (let layer = 0; layer < config.layers; layer += 1) {
    const attended = attend(norm(x, parts, layerName(layer, "input_layernorm.weight")), { ...parts, rotations, layer });
    keys.push(attended.key);
    values.push(attended.value);
    x = g.add(x, attended.output);
    x = g.add(x, feedForward(norm(x, parts, layerName(layer, "post_attention_layernorm.weight")), parameters, layer));
  }
  return { hidden: norm(x, parts, FINAL_NORM), keys, values };
}

/** Logits [M, V] of the rows of `hidden` at i32 `rows` [M]. */
export function scoreRows(hidden: Node, rows: Node, { config, parameters }: DecoderParts): Node {
  return g.gemm(g.gather(hidden, rows), parameters.tensor(headName(config)), { transB: true });
}

type LayerSite = DecoderParts & { readonly rotations: g.RotaryTables; readonly layer: number };
type Attended = { readonly output: Node; readonly key: Node; readonly value: Node };

function attend(x: Node, site: LayerSite): Attended {
  const { config, parameters, attention, layer } = site;
  const { heads, kvHeads, headSize } = config;
  const group = heads / kvHeads;
  const query = rotated(x, "q", site);
  // Scaling the queries costs one pass over [N, H E]; scaling the scores would cost one over [B, H, T, T].
  const scaled = g.mul(query, g.scalar(1 / Math.sqrt(headSize)));
  const q = g.reshape(toHeads(scaled, [kvHeads, group, headSize]), ["B", kvHeads, mulDims(group, "T"), headSize]);
  const key = toHeads(rotated(x, "k", site), [kvHeads, headSize]);
  const value = toHeads(parameters.linear(x, layer, "v_proj"), [kvHeads, headSize]);
  const scores = (keys: Node, length: Dim, mask: Node): Node =>
    g.add(g.reshape(g.matmul(q, keys), ["B", kvHeads, group, "T", length]), mask);
  const average = (weights: Node, length: Dim, from: Node): Node =>
    g.matmul(g.reshape(weights, ["B", kvHeads, mulDims(group, "T"), length]), from);

  const own = scores(g.transpose(key, [0, 1, 3, 2]), "T", attention.mask);
  const { cache } = attention;
  const [cachedKeys, cachedValues] = [cache?.keys[layer], cache?.values[layer]];
  let mixed: Node;
  if (cache && cachedKeys && cachedValues) {
    const { length } = cache;
    const weights = g.softmax(g.concat([scores(cachedKeys, length, cache.mask), own], 4));
    const past = g.slice(weights, { axis: 4, start: 0, end: length });
    const present = g.slice(weights, { axis: 4, start: length, end: `${String(length)}+T` });
    mixed = g.add(average(past, length, cachedValues), average(present, "T", value));
  } else {
    mixed = average(g.softmax(own), "T", value);
  }
  const perToken = g.transpose(g.reshape(mixed, ["B", kvHeads, group, "T", headSize]), [0, 3, 1, 2, 4]);
  const output = parameters.linear(g.reshape(perToken, ["B*T", heads * headSize]), layer, "o_proj");
  return { output, key, value };
}

/** Queries or keys [B, T, heads * E], normalised per head where the family does, and rotated. */
function rotated(x: Node, side: "q" | "k", { config, parameters, rotations, layer }: LayerSite): Node {
  const heads = side === "q" ? config.heads : config.kvHeads;
  let y = parameters.linear(x, layer, `${side}_proj`);
  if (config.qkNorm) {
    const weight = parameters.tensor(layerName(layer, `self_attn.${side}_norm.weight`));
    y = g.rmsNorm(g.reshape(y, ["B*T", heads, config.headSize]), weight, config.normEps);
  }
  return g.rotary(g.reshape(y, ["B", "T", heads * config.headSize]), rotations, heads);
}

/** [N, ...sizes] or [B, T, ...sizes] to [B, sizes[0], ..., T, sizes.at(-1)]: heads outside, tokens inside. */
function toHeads(x: Node, sizes: readonly number[]): Node {
  const split = g.reshape(x, ["B", "T", ...sizes]);
  const inner = sizes.map((_, i) => i + 2);
  return g.transpose(split, [0, ...inner.slice(0, -1), 1, sizes.length + 1]);
}

function feedForward(x: Node, parameters: ParameterSource, layer: number): Node {
  const gate = g.silu(parameters.linear(x, layer, "gate_proj"));
  return parameters.linear(g.mul(gate, parameters.linear(x, layer, "up_proj")), layer, "down_proj");
}

function norm(x: Node, { config, parameters }: DecoderParts, name: string): Node {
  return g.rmsNorm(x, parameters.tensor(name), config.normEps);
}

/** cos and sin [B, T, E / 2] of position * theta^(-2i / E). */
function rotaryTables({ headSize, ropeTheta, contextLength }: DecoderConfig, positions: Node): g.RotaryTables {
  const half = headSize / 2;
  const table = (f: (angle: number) => number): Node => {
    const data = new Float32Array(contextLength * half);
    for (let position = 0; position < contextLength; position += 1)
      for (let i = 0; i < half; i += 1) data[position * half + i] = f(position * ropeTheta ** ((-2 * i) / headSize));
    return g.gather(g.constant(data, [contextLength, half]), positions);
  };
  return { cos: table(Math.cos), sin: table(Math.sin) };
}
