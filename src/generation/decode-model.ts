/**
 * The port between the batched engine and the forward graph with a KV cache.
 *
 * The host owns the cache: rows join, leave, share and move by copying plain arrays, and the graph only reads it. Each run
 * takes T new tokens for B rows; row b has its own cached prefix (masked to length) and its own number of new tokens,
 * right-padded to T. Padding changes nothing: later keys are hidden by the causal mask, and the host drops their values.
 */

import type { SamplingConfig } from "./completer.ts";

/** Sizes of the model behind the port. */
export type DecodeShape = {
  /** Layers with keys and values, L. */
  readonly layers: number;
  /** Key-value heads, K. */
  readonly kvHeads: number;
  /** Head size, E. */
  readonly headSize: number;
  /**
   * Shapes of what a row has beside keys and values: states that a run replaces as a whole, so that they are those of all
   * of the row's cached tokens and of no other number of them.
   */
  readonly stateShapes: readonly (readonly number[])[];
  /** Runs of more than one token a row must have a multiple of this number. */
  readonly tokenMultiple: number;
  /** Vocabulary, V. */
  readonly vocabulary: number;
  /** Most tokens in one row's context. */
  readonly contextLength: number;
};

/** One run's inputs. */
export type DecodeInputs = {
  /** Rows, B. */
  readonly rows: number;
  /** New tokens a row after padding, T. */
  readonly tokens: number;
  /** Cache positions a row, S, 1 or more (masked where unused). */
  readonly cached: number;
  /** [B, T] new token ids; any valid id at padding. */
  readonly ids: Int32Array;
  /** [B, T] positions, counted from the row's first token; anything in range at padding. */
  readonly positions: Int32Array;
  /** [B] index b * T + t of each row's last real new token, whose logits are wanted. */
  readonly last: Int32Array;
  /** [B, S] 0 where the cache position holds a token of the row, -1e9 where not. */
  readonly cacheMask: Float32Array;
  /** One [B, K, S, E] a layer. */
  readonly keys: readonly Float32Array[];
  /** One [B, K, S, E] a layer. */
  readonly values: readonly Float32Array[];
  /** One [B, ...] for each of `stateShapes`, zeros for a row of which nothing is cached. */
  readonly states: readonly Float32Array[];
};

/** One run's outputs. */
export type DecodeOutputs = {
  /** [B, V] logits of each row's last real token. */
  readonly logits: Float32Array;
  /** [B] ln of the sum of exp(logits), where the model works it out; saves the sampler a pass over the vocabulary. */
  readonly logSumExp?: Float32Array;
  /** One [B, K, T, E] a layer: keys of the new tokens. */
  readonly keys: readonly Float32Array[];
  /** One [B, K, T, E] a layer. */
  readonly values: readonly Float32Array[];
  /** One [B, ...] for each of `stateShapes`, after each row's last real token. */
  readonly states: readonly Float32Array[];
};

/** Inputs of a burst: one token a row to begin with. */
export type BurstInputs = Pick<DecodeInputs, "rows" | "cached" | "cacheMask" | "keys" | "values" | "states"> & {
  /** [B] each row's one token that is not cached. */
  readonly ids: Int32Array;
  /** [B, N] positions of that token and of those that are sampled after it; anything in range beyond the context. */
  readonly positions: Int32Array;
  /** [B, N] in [0, 1), one for each token to sample. */
  readonly uniforms: Float32Array;
};

/** Outputs of a burst. */
export type BurstOutputs = Pick<DecodeOutputs, "keys" | "values" | "states"> & {
  /** [B, N] sampled ids. */
  readonly ids: Int32Array;
  /** [B, N] ln p of each under the softmax over the whole vocabulary at the sampling temperature. */
  readonly logprobs: Float32Array;
};

/**
 * N tokens a row in one run, sampled on the device (multi-step scheduling), so that caches and logits cross to the host once
 * a burst. Tokens that a row samples after its last one are thrown away. Keys and values are [B, K, N, E] a layer, of the
 * first token and of all sampled but the last, and so are states.
 */
export type DecodeBurst = {
  /** N. */
  readonly steps: number;
  /** How it samples; an engine that is asked for another rule takes single steps. */
  readonly sampling: SamplingConfig;
  readonly run: (inputs: BurstInputs) => Promise<BurstOutputs>;
};

/** A forward pass with a cache. Runs must not overlap. */
export type DecodeModel = {
  readonly shape: DecodeShape;
  readonly run: (inputs: DecodeInputs) => Promise<DecodeOutputs>;
  readonly burst?: DecodeBurst | undefined;
};
