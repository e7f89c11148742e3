/**
 * Caches of conversations that are waiting for their next turn, least recently parked first out.
 *
 * Each entry is a copy of one row, in memory that an earlier entry had where there is some: fresh arrays every turn would
 * keep the garbage collector busy. A new prompt takes the longest prefix that any entry has in common with it:
 * usually its own conversation's, else another sample of the same task, else a shared system prompt.
 */
import { KvBlock, type CacheShape, type RowPlace } from "./kv-block.ts";

/** A cached row and the tokens whose keys and values it holds. */
export type CachedPrefix = RowPlace & {
  /** Ids at the cached positions; may be longer than what is cached. */
  readonly ids: readonly number[];
  /** Positions cached. */
  readonly cached: number;
};

/** Most blocks kept for later entries. */
const MOST_SPARE = 256;

/** Parked rows by conversation. */
export class PrefixCache {
  readonly #shape: CacheShape;
  readonly #budget: number;
  readonly #entries = new Map<string, CachedPrefix>();
  /** Blocks of entries that are gone; with the entries they stay within the budget. */
  #spare: KvBlock[] = [];
  #bytes = 0;
  #spareBytes = 0;

  /** Makes a cache that holds at most `budget` bytes. */
  constructor(shape: CacheShape, budget: number) {
    this.#shape = shape;
    this.#budget = budget;
  }

  /** Bytes held. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Copies `row`, replaces what the conversation had, and lets the least recently parked go beyond the budget. */
  park(conversation: string, row: CachedPrefix): void {
    this.drop(conversation);
    if (row.cached === 0) return;
    const block = this.#blockOf(row.cached);
    if (block.bytes > this.#budget) return;
    block.copyRow(0, row, row.cached);
    this.#entries.set(conversation, { block, row: 0, ids: row.ids.slice(0, row.cached), cached: row.cached });
    this.#bytes += block.bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes + this.#spareBytes <= this.#budget) break;
      this.drop(oldest);
    }
  }

  /** Forgets what the conversation had. */
  drop(conversation: string): void {
    const entry = this.#entries.get(conversation);
    if (entry === undefined) return;
    this.#entries.delete(conversation);
    const { bytes } = entry.block;
    this.#bytes -= bytes;
    if (this.#bytes + this.#spareBytes + bytes > this.#budget || this.#spare.length >= MOST_SPARE) return;
    this.#spare.push(entry.block);
    this.#spareBytes += bytes;
  }

  #blockOf(span: number): KvBlock {
    const size = { rows: 1, span };
    const block = this.#spare.pop();
    if (block === undefined) return new KvBlock(this.#shape, size);
    this.#spareBytes -= block.bytes;
    block.reuse(size);
    return block;
  }

  /** Forgets everything. */
  clear(): void {
    this.#entries.clear();
    this.#spare = [];
    this.#bytes = 0;
    this.#spareBytes = 0;
  }

  /** Whether anything of the conversation is held. */
  has(conversation: string): boolean {
    return this.#entries.has(conversation);
  }

  /**
   * Takes out what the conversation had: once it goes on, the row that it goes on in has the cache. What is given is good
   * until the next `park`.
   */
  take(conversation: string): CachedPrefix | undefined {
    const entry = this.#entries.get(conversation);
    this.drop(conversation);
    return entry;
  }

  /** All entries, least recently parked first. */
  entries(): Iterable<CachedPrefix> {
    return this.#entries.values();
  }
}

/** Number of leading ids that `a` and `b` have in common, at most `limit`. */
export function commonPrefix(a: readonly number[], b: readonly number[], limit: number): number {
  const most = Math.min(a.length, b.length, limit);
  let length = 0;
  while (length < most && a[length] === b[length]) length += 1;
  return length;
}

/** Whether `a` and `b` are equal. */
export function sameIds(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && commonPrefix(a, b, a.length) === a.length;
}
