/**
 * The gated delta rule (Gated DeltaNet: Yang et al., arXiv:2412.06464), as Qwen3.5 has it in place of most attention.
 *
 * Each head keeps a memory S [Ek, Ev] instead of keys and values. A token with key k, value v, decay e^g and strength b
 * first lets it fade, then corrects what it holds for k, and reads it with its query q:
 *
 *   S <- e^g S;   S <- S + k (b (v - S^T k))^T;   o = S^T q.
 *
 * Over many tokens that is worked out in chunks (Yang et al., arXiv:2406.06484, section 3): within one, the corrections u of
 * all tokens solve a unit lower triangular system; from one to the next, memories follow a linear recurrence. Queries, keys
 * and values come out of a causal convolution over the last few tokens, so that a layer's state is that convolution's last
 * inputs and the memory.
 */
import * as g from "../graph/builder.ts";
import { addDims, dimAt, mulDims, type Dim } from "../graph/dims.ts";
import type { Node } from "../graph/graph.ts";
import type { DecoderConfig, DeltaConfig } from "./decoder-config.ts";
import { deltaWidths, layerName, type ParameterSource } from "./parameters.ts";

/** The state of one delta layer before a run, or after it. */
export type DeltaState = {
  /** [B, taps - 1, C] last inputs of the convolution, oldest first. */
  readonly recent: Node;
  /** [B, H, Ek, Ev] memory of each head of values. */
  readonly memory: Node;
};

/** What delta layers need to know of a run. */
export type DeltaContext = {
  /** Tokens that are worked out together, a power of two; T is a multiple of it. Of no use where T is 1. */
  readonly chunk: number;
  /** States before the run, one a delta layer. @default zeros, and none is given back */
  readonly states?: readonly DeltaState[];
  /** Which tokens a row really has, where states are given and T is not 1. */
  readonly window?: DeltaWindow;
};

/** The real tokens of each row of a run, which is padded at its end. */
export type DeltaWindow = {
  /** [B, T] f32, 1 for a token, 0 for padding. */
  readonly real: Node;
  /** [B, taps - 1] i32, index b * (T + taps - 1) + t of the last inputs of the convolution, counted from those before the run. */
  readonly tail: Node;
};

/** T of a run of many tokens: any number, or where there are delta layers a multiple of `chunk`. */
export function tokenLength({ delta }: DecoderConfig, chunk: number): Dim {
  return delta ? mulDims(chunk, "N") : "T";
}

/** What a delta layer does with the tokens of a run, and its state after them where it had one before. */
export type DeltaOutput = { readonly output: Node; readonly state?: DeltaState };

/** Where a delta layer stands: T of the run, the layer's number, and its state before the run. */
export type DeltaSite = {
  readonly config: DecoderConfig;
  readonly delta: DeltaConfig;
  readonly parameters: ParameterSource;
  readonly length: Dim;
  readonly layer: number;
  readonly context: DeltaContext;
  readonly state: DeltaState | undefined;
};

/** Keeps the squares of unit vectors away from 0, as the published layers do. */
const UNIT_EPS = 1e-6;
/** Added to the logarithm of what a token must not see. */
const NOTHING = -1e9;

/** Mixes the normed tokens `x` [B * T, D]. */
export function mixDelta(x: Node, site: DeltaSite): DeltaOutput {
  const { config, delta, parameters, length, layer } = site;
  const { keys, values } = deltaWidths(config);
  const { mixed, recent } = convolve(parameters.linear(x, layer, "in_proj_qkv"), site);
  const part = (start: number, end: number): Node => g.slice(mixed, { axis: 2, start, end });
  const { keySize, keyHeads, valueHeads, valueSize } = delta;
  const unit = (y: Node, scale: number): Node => {
    const heads = g.reshape(y, ["B", length, keyHeads, keySize]);
    // A norm with this weight makes unit vectors, times the scale.
    const weight = g.constant(new Float32Array(keySize).fill(scale / Math.sqrt(keySize)), [keySize]);
    return g.rmsNorm(heads, weight, UNIT_EPS / keySize);
  };
  const tokens: DeltaTokens = {
    query: repeatHeads(toHeads(unit(part(0, keys), 1 / Math.sqrt(keySize)), site), delta),
    key: repeatHeads(toHeads(unit(part(keys, 2 * keys), 1), site), delta),
    value: toHeads(g.reshape(part(2 * keys, 2 * keys + values), ["B", length, valueHeads, valueSize]), site),
    ...rates(x, site),
  };
  const { read, memory } = length === 1 ? mixToken(tokens, site) : mixChunks(tokens, site);
  const normed = g.rmsNorm(fromHeads(read, site), named(site, "norm.weight"), config.normEps);
  const gate = g.silu(parameters.linear(x, layer, "in_proj_z"));
  const rows = g.mul(g.reshape(normed, [mulDims("B", length), values]), gate);
  const output = parameters.linear(rows, layer, "out_proj");
  return recent && memory ? { output, state: { recent, memory } } : { output };
}

function named({ parameters, layer }: DeltaSite, rest: string): Node {
  return parameters.tensor(layerName(layer, `linear_attn.${rest}`));
}

/** SiLU of the causal convolution of each channel of `x` [B * T, C], [B, T, C], and its last inputs after the run. */
function convolve(x: Node, site: DeltaSite): { readonly mixed: Node; readonly recent?: Node } {
  const { config, delta, length, context, state } = site;
  const { mixed: channels } = deltaWidths(config);
  const before = delta.taps - 1;
  const first = state?.recent ?? g.expand(g.scalar(0), ["B", before, channels]);
  const all = g.concat([first, g.reshape(x, ["B", length, channels])], 1);
  // [taps, 1, C], so that each tap broadcasts over rows and tokens.
  const weights = g.transpose(named(site, "conv1d.weight"), [2, 1, 0]);
  const taps = Array.from({ length: delta.taps }, (_, tap) =>
    g.mul(
      g.slice(all, { axis: 1, start: tap, end: addDims(length, tap) }),
      g.slice(weights, { axis: 0, start: tap, end: tap + 1 }),
    ),
  );
  const mixed = g.silu(taps.reduce((sum, one) => g.add(sum, one)));
  if (!state) return { mixed };
  if (!context.window) return { mixed, recent: g.slice(all, { axis: 1, start: 1, end: delta.taps }) };
  const rows = g.reshape(all, [mulDims("B", addDims(length, before)), channels]);
  return { mixed, recent: g.gather(rows, context.window.tail) };
}

/** Strengths in (0, 1) and logarithms of decays, at most 0. */
type Rates = { readonly strength: Node; readonly decay: Node };

/** [B, H, N, C] of the tokens of `x`; where T is 1, [B, H, 1, 1]. Padding has neither strength nor decay. */
function rates(x: Node, site: DeltaSite): Rates {
  const { delta, parameters, length, layer, context } = site;
  const { valueHeads } = delta;
  const total = mulDims("B", length);
  const real = context.window && g.reshape(context.window.real, [total, 1]);
  const speed = g.neg(g.exp(named(site, "A_log")));
  const shifted = g.add(parameters.linear(x, layer, "in_proj_a"), named(site, "dt_bias"));
  const toRate = (y: Node): Node => {
    const kept = real ? g.mul(y, real) : y;
    if (length === 1) return g.reshape(kept, ["B", valueHeads, 1, 1]);
    return g.transpose(g.reshape(kept, ["B", ...chunked(site), valueHeads]), [0, 3, 1, 2]);
  };
  return {
    strength: toRate(g.sigmoid(parameters.linear(x, layer, "in_proj_b"))),
    decay: toRate(g.mul(softplus(shifted, mulDims(total, valueHeads)), speed)),
  };
}

/** ln(1 + e^x) of `x`, which holds `size` values: no device but has the logarithm of a sum of exponentials. */
function softplus(x: Node, size: Dim): Node {
  const pairs = g.concat([g.reshape(x, [size, 1]), g.expand(g.scalar(0), [size, 1])], 1);
  return g.reshape(g.logSumExp(pairs), x.shape);
}

/** N chunks of C tokens. */
function chunked({ length, context: { chunk } }: DeltaSite): readonly [Dim, number] {
  return [length === mulDims(chunk, "N") ? "N" : Number(length) / chunk, chunk];
}

/** [B, T, heads, size] to [B, heads, N, C, size]; where T is 1, to [B, heads, 1, size]. */
function toHeads(x: Node, site: DeltaSite): Node {
  const [heads, size] = [dimAt(x.shape, 2), dimAt(x.shape, 3)];
  if (site.length === 1) return g.reshape(x, ["B", heads, 1, size]);
  return g.transpose(g.reshape(x, ["B", ...chunked(site), heads, size]), [0, 3, 1, 2, 4]);
}

/** The way back, to [B * T, heads, size]. */
function fromHeads(x: Node, { delta, length }: DeltaSite): Node {
  const rows = [mulDims("B", length), delta.valueHeads, delta.valueSize];
  return g.reshape(length === 1 ? x : g.transpose(x, [0, 2, 3, 1, 4]), rows);
}

/** Heads of keys, axis 1, repeated so that each head of values has its own; neighbours share. */
function repeatHeads(x: Node, { keyHeads, valueHeads }: DeltaConfig): Node {
  const [batch = 1, , ...rest] = x.shape;
  const times = valueHeads / keyHeads;
  const wide = g.expand(g.reshape(x, [batch, keyHeads, 1, ...rest]), [batch, keyHeads, times, ...rest]);
  return g.reshape(wide, [batch, valueHeads, ...rest]);
}

/** Queries, keys and values, one a head of values, as `toHeads` gives them. */
type DeltaTokens = Rates & { readonly query: Node; readonly key: Node; readonly value: Node };
/** What queries read, shaped as values are, and the memory after the run. */
type DeltaRead = { readonly read: Node; readonly memory?: Node };

function firstMemory({ delta, state }: DeltaSite): Node {
  const { valueHeads, keySize, valueSize } = delta;
  return state?.memory ?? g.expand(g.scalar(0), ["B", valueHeads, keySize, valueSize]);
}

/** One token a row: the rule as it stands. */
function mixToken({ query, key, value, strength, decay }: DeltaTokens, site: DeltaSite): DeltaRead {
  const faded = g.mul(firstMemory(site), g.exp(decay));
  const correction = g.mul(g.sub(value, g.matmul(key, faded)), strength);
  const memory = g.add(faded, g.matmul(g.swapLast(key), correction));
  return { read: g.matmul(query, memory), memory };
}

/**
 * Many tokens a row. With G the sum of the logarithms of decays within a chunk and S its first memory, token i meets
 * e^(G_i) S and what earlier tokens j of the chunk left, e^(G_i - G_j) k_j u_j^T; so corrections u solve
 * (I + L) U = b (V - e^G K S) with L_ij = b_i e^(G_i - G_j) k_i k_j for j < i.
 */
function mixChunks({ query, key, value, strength, decay }: DeltaTokens, site: DeltaSite): DeltaRead {
  const [chunks, chunk] = chunked(site);
  const { valueHeads, keySize } = site.delta;
  const column = (x: Node): Node => g.reshape(x, ["B", valueHeads, chunks, chunk, 1]);
  const row = (x: Node): Node => g.reshape(x, ["B", valueHeads, chunks, 1, chunk]);
  const sums = g.matmul(
    row(decay),
    square(chunk, (i, j) => (i <= j ? 1 : 0)),
  );
  const total = g.slice(sums, { axis: 4, start: chunk - 1, end: chunk });
  const since = g.exp(
    g.add(
      g.sub(column(sums), sums),
      square(chunk, (i, j) => (j <= i ? 0 : NOTHING)),
    ),
  );
  const strengths = column(strength);
  const fromStart = g.exp(column(sums));
  const keyColumns = g.swapLast(key);

  const inverse = g.unitLowerInverse(g.mul(g.mul(g.matmul(key, keyColumns), since), strengths));
  // Corrections are what they would be without a memory, less what the memory at the chunk's start holds already.
  const fresh = g.matmul(inverse, g.mul(value, strengths));
  const known = g.matmul(inverse, g.mul(key, g.mul(fromStart, strengths)));
  const untilEnd = g.swapLast(g.mul(key, g.exp(g.sub(total, column(sums)))));
  const transitions = g.sub(
    g.mul(
      square(keySize, (i, j) => (i === j ? 1 : 0)),
      g.exp(total),
    ),
    g.matmul(untilEnd, known),
  );
  const memories = g.linearRecurrence({ initial: firstMemory(site), transitions, updates: g.matmul(untilEnd, fresh) });
  const starts = g.slice(memories, { axis: 2, start: 0, end: chunks });
  const corrections = g.sub(fresh, g.matmul(known, starts));
  const seen = g.mul(g.matmul(query, keyColumns), since);
  const read = g.add(g.matmul(g.mul(query, fromStart), starts), g.matmul(seen, corrections));
  if (!site.state) return { read };
  const last = g.slice(memories, { axis: 2, start: chunks, end: addDims(chunks, 1) });
  return { read, memory: g.reshape(last, site.state.memory.shape) };
}

function square(size: number, value: (i: number, j: number) => number): Node {
  const data = Float32Array.from({ length: size * size }, (_, at) => value(Math.floor(at / size), at % size));
  return g.constant(data, [size, size]);
}
