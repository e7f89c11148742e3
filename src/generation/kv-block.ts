/**
 * Key-value caches of several rows in plain arrays, laid out as the decode graph reads them, with what else a row's state
 * consists of.
 *
 * A block holds, for each layer, keys and values [rows, K, S, E]. S is the block's span: all rows have
 * room for S positions, and how many of them a row has filled is the caller's knowledge (the graph masks the rest). The
 * first n rows of a block are a prefix of its arrays, so that a batch is a view and never a copy.
 */
import type { DecodeInputs, DecodeOutputs, DecodeShape } from "./decode-model.ts";

/** Sizes of one cached position and of one row's states, and how runs over them are padded. */
export type CacheShape = Pick<DecodeShape, "layers" | "kvHeads" | "headSize" | "stateShapes" | "tokenMultiple">;

/** A row of a block. */
export type RowPlace = { readonly block: KvBlock; readonly row: number };

/** Which of a run's new tokens to keep: the first `count` of row `row` of a run with T = `tokens`. */
export type NewTokens = {
  readonly outputs: Pick<DecodeOutputs, "keys" | "values" | "states">;
  readonly row: number;
  readonly tokens: number;
  readonly count: number;
};

/** Bytes that one position takes in the keys and values of all layers. */
export function bytesPerPosition(shape: CacheShape): number {
  return 2 * 4 * shape.layers * shape.kvHeads * shape.headSize;
}

/** Bytes of one row's states. */
export function bytesOfStates({ stateShapes }: CacheShape): number {
  return 4 * stateShapes.reduce((sum, shape) => sum + sizeOf(shape), 0);
}

function sizeOf(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** Rows of cached keys and values, and of states; `rows` and `span` change, the content of kept rows does not. */
export class KvBlock {
  readonly shape: CacheShape;
  #rows = 0;
  #span = 0;
  #keys: Float32Array[];
  #values: Float32Array[];
  /** One [rows, ...] for each of the shape's `stateShapes`. */
  #states: Float32Array[];

  /** Makes a block of `rows` rows with room for `span` positions each, all 0. */
  constructor(shape: CacheShape, size: { readonly rows: number; readonly span: number }) {
    this.shape = shape;
    const length = size.rows * shape.kvHeads * shape.headSize * size.span;
    this.#keys = Array.from({ length: shape.layers }, () => new Float32Array(length));
    this.#values = Array.from({ length: shape.layers }, () => new Float32Array(length));
    this.#states = shape.stateShapes.map((sizes) => new Float32Array(size.rows * sizeOf(sizes)));
    this.#rows = size.rows;
    this.#span = size.span;
  }

  /** Positions for which each row has room, S. */
  get span(): number {
    return this.#span;
  }

  /** Bytes of the arrays. */
  get bytes(): number {
    return 4 * [...this.#keys, ...this.#values, ...this.#states].reduce((sum, { length }) => sum + length, 0);
  }

  /** Gives the block `rows` rows of `span` positions; rows and positions that both sizes have keep their content. */
  resize(size: { readonly rows: number; readonly span: number }): void {
    const { kvHeads, headSize } = this.shape;
    const rows = Math.min(this.#rows, size.rows);
    const needed = size.rows * kvHeads * headSize * size.span;
    const lines = { count: rows * kvHeads, from: this.#span * headSize, to: size.span * headSize };
    this.#keys = this.#keys.map((array) => restride(array, lines, needed));
    this.#values = this.#values.map((array) => restride(array, lines, needed));
    this.#states = this.#states.map((array, index) => {
      const width = this.#stateSize(index);
      return restride(array, { count: rows, from: width, to: width }, size.rows * width);
    });
    this.#rows = size.rows;
    this.#span = size.span;
  }

  /** As `resize`, but keeps no content, and no smaller arrays where the present ones have room. */
  reuse(size: { readonly rows: number; readonly span: number }): void {
    const { kvHeads, headSize } = this.shape;
    const needed = size.rows * kvHeads * headSize * size.span;
    const fit = (array: Float32Array, length: number): Float32Array =>
      array.length < length ? new Float32Array(length) : array;
    this.#keys = this.#keys.map((array) => fit(array, needed));
    this.#values = this.#values.map((array) => fit(array, needed));
    this.#states = this.#states.map((array, index) => fit(array, size.rows * this.#stateSize(index)));
    this.#rows = size.rows;
    this.#span = size.span;
  }

  #stateSize(index: number): number {
    return sizeOf(this.shape.stateShapes[index] ?? []);
  }

  /** The first `rows` rows of each layer, as views [rows, K, S, E], and of each state, [rows, ...]. */
  view(rows: number): Pick<DecodeInputs, "keys" | "values" | "states"> {
    const length = rows * this.shape.kvHeads * this.shape.headSize * this.#span;
    return {
      keys: this.#keys.map((array) => array.subarray(0, length)),
      values: this.#values.map((array) => array.subarray(0, length)),
      states: this.#states.map((array, index) => array.subarray(0, rows * this.#stateSize(index))),
    };
  }

  /**
   * Copies the first `length` positions of `from` into row `row` of this block, and its states, which are those of all its
   * positions; with `length` 0 the states become those of an empty row.
   */
  copyRow(row: number, from: RowPlace, length: number): void {
    const { kvHeads, headSize, layers } = this.shape;
    const source = from.block;
    const read = { first: from.row * kvHeads, stride: source.#span * headSize };
    const write = { first: row * kvHeads, stride: this.#span * headSize };
    const size = { count: kvHeads, length: length * headSize };
    for (let layer = 0; layer < layers; layer += 1) {
      const [fromKeys, toKeys] = [source.#keys[layer], this.#keys[layer]] as [Float32Array, Float32Array];
      const [fromValues, toValues] = [source.#values[layer], this.#values[layer]] as [Float32Array, Float32Array];
      copyLines({ array: fromKeys, ...read }, { array: toKeys, ...write }, size);
      copyLines({ array: fromValues, ...read }, { array: toValues, ...write }, size);
    }
    this.#states.forEach((array, index) => {
      const width = this.#stateSize(index);
      const start = row * width;
      if (length === 0) array.fill(0, start, start + width);
      else array.set((source.#states[index] as Float32Array).subarray(from.row * width, (from.row + 1) * width), start);
    });
  }

  /** Writes a run's new tokens behind the `at` positions that row `row` has filled, and replaces its states. */
  append(row: number, at: number, news: NewTokens): void {
    const { kvHeads, headSize, layers } = this.shape;
    const span = this.#span;
    const { tokens, count, outputs } = news;
    this.#states.forEach((array, index) => {
      const width = this.#stateSize(index);
      const from = news.row * width;
      array.set((outputs.states[index] as Float32Array).subarray(from, from + width), row * width);
    });
    const size = count * headSize;
    for (let layer = 0; layer < layers; layer += 1) {
      const keys = this.#keys[layer] as Float32Array;
      const values = this.#values[layer] as Float32Array;
      const newKeys = outputs.keys[layer] as Float32Array;
      const newValues = outputs.values[layer] as Float32Array;
      for (let head = 0; head < kvHeads; head += 1) {
        const read = (news.row * kvHeads + head) * tokens * headSize;
        const write = ((row * kvHeads + head) * span + at) * headSize;
        for (let i = 0; i < size; i += 1) {
          keys[write + i] = newKeys[read + i] as number;
          values[write + i] = newValues[read + i] as number;
        }
      }
    }
  }
}

type Strides = { readonly count: number; readonly from: number; readonly to: number };

/** Moves `count` lines from stride `from` to stride `to`, in place where the array has room for `needed` numbers. */
function restride(array: Float32Array, lines: Strides, needed: number): Float32Array {
  const { count, from, to } = lines;
  const kept = Math.min(from, to);
  if (needed > array.length || 4 * needed < array.length) {
    // Room to spare, so that a growing batch does not move every time.
    const other = new Float32Array(Math.ceil(needed * 1.25));
    copyLines({ array, first: 0, stride: from }, { array: other, first: 0, stride: to }, { count, length: kept });
    return other;
  }
  if (to < from) for (let i = 1; i < count; i += 1) array.copyWithin(i * to, i * from, i * from + kept);
  // Growing lines move towards the end, so the last goes first.
  if (to > from) for (let i = count - 1; i > 0; i -= 1) array.copyWithin(i * to, i * from, i * from + kept);
  return array;
}

type Lines = { readonly array: Float32Array; readonly first: number; readonly stride: number };

function copyLines(from: Lines, to: Lines, size: { readonly count: number; readonly length: number }): void {
  const { count, length } = size;
  if (length === 0) return;
  for (let i = 0; i < count; i += 1) {
    const start = (from.first + i) * from.stride;
    to.array.set(from.array.subarray(start, start + length), (to.first + i) * to.stride);
  }
}
