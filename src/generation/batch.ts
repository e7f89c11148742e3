/** Puts the new tokens of some rows into the inputs of one run. */
import type { BurstInputs, DecodeInputs } from "./decode-model.ts";
import type { KvBlock } from "./kv-block.ts";

/** What a row brings to a run. */
export type BatchRow = {
  /** The row's tokens from its first on. */
  readonly ids: readonly number[];
  /** How many of them are cached, in the block's row of the same index. */
  readonly cached: number;
  /** How many of those after them are new in this run, 1 or more. */
  readonly count: number;
};

/** Added to the score of a cache position that holds nothing. */
const MASKED = -1e9;

/** Inputs of a run over `rows`, whose caches are the first rows of `block`. */
export function buildInputs(rows: readonly BatchRow[], block: KvBlock): DecodeInputs {
  const tokens = padTokens(
    rows.reduce((most, row) => Math.max(most, row.count), 1),
    block.shape.tokenMultiple,
  );
  const cached = block.span;
  const ids = new Int32Array(rows.length * tokens);
  const positions = new Int32Array(rows.length * tokens);
  const last = new Int32Array(rows.length);
  const cacheMask = new Float32Array(rows.length * cached);
  rows.forEach((row, b) => {
    for (let t = 0; t < tokens; t += 1) {
      // Padding repeats the last real token, which is always a valid id at a valid position.
      const at = row.cached + Math.min(t, row.count - 1);
      ids[b * tokens + t] = row.ids[at] as number;
      positions[b * tokens + t] = at;
    }
    last[b] = b * tokens + row.count - 1;
    cacheMask.fill(MASKED, b * cached + row.cached, (b + 1) * cached);
  });
  return { rows: rows.length, tokens, cached, ids, positions, last, cacheMask, ...block.view(rows.length) };
}

/** Tokens a row of a run in which the longest row has `most` new ones. */
export function padTokens(most: number, multiple: number): number {
  return most === 1 ? 1 : Math.ceil(most / multiple) * multiple;
}

/** What a burst takes beside its rows. */
export type BurstSite = {
  readonly contextLength: number;
  /** Tokens to sample a row. */
  readonly steps: number;
  /** The next number of row b's own stream, in [0, 1). */
  readonly draw: (b: number) => number;
};

/** Inputs of a burst for `rows`, each with one token to compute, whose caches are the first rows of `block`. */
export function buildBurst(rows: readonly BatchRow[], block: KvBlock, site: BurstSite): BurstInputs {
  const { steps, draw, contextLength } = site;
  const { ids, cacheMask, cached, keys, values, states } = buildInputs(rows, block);
  const positions = new Int32Array(rows.length * steps);
  const uniforms = new Float32Array(rows.length * steps);
  rows.forEach((row, b) => {
    for (let step = 0; step < steps; step += 1) {
      positions[b * steps + step] = Math.min(row.cached + step, contextLength - 1);
      uniforms[b * steps + step] = draw(b);
    }
  });
  return { rows: rows.length, cached, ids, positions, uniforms, cacheMask, keys, values, states };
}
