/**
 * Token sequences to the inputs of a training graph.
 *
 * Sequences of similar length share a micro-batch, so that little is padded; the loss is a sum over weighted targets, so
 * how sequences are grouped changes rounding and nothing else.
 */
import { causalMask } from "../model/masks.ts";
import type { HostTensor } from "../runtime/session.ts";
import type { Example } from "./example.ts";

/** Feeds of one pass without weights or parameters. */
export type MicroBatch = {
  readonly feeds: Readonly<Record<"ids" | "positions" | "mask" | "rows" | "labels" | "weights", HostTensor>>;
  /** B * T, padding included. */
  readonly positions: number;
  /** M. */
  readonly targets: number;
};

/** Options of `microBatches`. */
export type MicroBatchOptions = {
  /** Most positions (B * T) in a micro-batch; a longer sequence stands alone. */
  readonly positions: number;
  /** Sequences are padded to a multiple of this length. @default 1 */
  readonly multiple?: number;
};

/** Groups `examples` by length and pads each group; examples without targets are left out. */
export function microBatches(examples: readonly Example[], options: MicroBatchOptions): MicroBatch[] {
  const { positions, multiple = 1 } = options;
  const useful = examples.filter(({ mask }) => mask.some((weight, t) => t > 0 && weight !== 0));
  const sorted = useful.toSorted((a, b) => a.ids.length - b.ids.length);
  const groups: Example[][] = [];
  for (const example of sorted) {
    const group = groups.at(-1);
    // Sorted by length, so the newcomer is the longest and sets the padded length of the group.
    const padded = Math.ceil(example.ids.length / multiple) * multiple;
    if (group && (group.length + 1) * padded <= positions) group.push(example);
    else groups.push([example]);
  }
  return groups.map((group) => toMicroBatch(group, multiple));
}

/** Sum of all target weights of `examples`. */
export function totalWeight(examples: readonly Example[]): number {
  return examples.reduce((sum, { mask }) => sum + mask.slice(1).reduce((total, weight) => total + weight, 0), 0);
}

function toMicroBatch(examples: readonly Example[], multiple: number): MicroBatch {
  const longest = Math.max(...examples.map(({ ids }) => ids.length));
  // Nothing is predicted from a sequence's last token, so it is left out of the context.
  const length = Math.ceil((longest - 1) / multiple) * multiple;
  const ids = new Int32Array(examples.length * length);
  // Padding repeats the last position, which the model has for sure.
  const positions = Int32Array.from(ids, (_, i) => Math.min(i % length, longest - 2));
  const rows: number[] = [];
  const labels: number[] = [];
  const weights: number[] = [];
  examples.forEach((example, b) => {
    ids.set(example.ids.slice(0, -1), b * length);
    example.mask.forEach((weight, t) => {
      if (t === 0 || weight === 0) return;
      rows.push(b * length + t - 1);
      labels.push(example.ids[t] ?? 0);
      weights.push(weight);
    });
  });
  const shape = [examples.length, length];
  const count = [rows.length];
  return {
    positions: ids.length,
    targets: rows.length,
    feeds: {
      ids: { type: "i32", shape, data: ids },
      positions: { type: "i32", shape, data: positions },
      mask: { type: "f32", shape: [length, length], data: causalMask(length) },
      rows: { type: "i32", shape: count, data: Int32Array.from(rows) },
      labels: { type: "i32", shape: count, data: Int32Array.from(labels) },
      weights: { type: "f32", shape: count, data: Float32Array.from(weights) },
    },
  };
}
