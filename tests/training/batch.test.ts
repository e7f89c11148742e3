import { describe, expect, it } from "vitest";
import { microBatches, totalWeight } from "../../src/training/batch.ts";

const short = { ids: [1, 2, 3], mask: [1, 0, 1] };
const long = { ids: [4, 5, 6, 7, 8], mask: [0, 1, 0, 0, 0.5] };

describe("microBatches", () => {
  it("scores each target by the position before it, in padded rows", () => {
    const [batch, ...rest] = microBatches([long, short], { positions: 100 });
    expect(rest).toEqual([]);
    expect(batch!.positions).toBe(8);
    expect(batch!.feeds.ids.shape).toEqual([2, 4]);
    expect([...batch!.feeds.ids.data]).toEqual([1, 2, 0, 0, 4, 5, 6, 7]);
    expect([...batch!.feeds.rows.data]).toEqual([1, 4, 7]);
    expect([...batch!.feeds.labels.data]).toEqual([3, 5, 8]);
    expect([...batch!.feeds.weights.data]).toEqual([1, 1, 0.5]);
  });

  it("starts a new group when the padded size would pass the limit", () => {
    expect(microBatches([long, short, short], { positions: 9 }).map(({ positions }) => positions)).toEqual([4, 4]);
  });

  it("leaves out sequences without targets", () => {
    expect(microBatches([{ ids: [1, 2], mask: [1, 0] }], { positions: 10 })).toEqual([]);
  });

  it("pads to a multiple, which counts as positions, and repeats the last position there", () => {
    const batches = microBatches([long, short, short], { positions: 15, multiple: 8 });
    expect(batches.map(({ positions }) => positions)).toEqual([8, 8, 8]);
    expect([...(batches[0]?.feeds.positions.data ?? [])]).toEqual(
      Array.from({ length: 8 }, (_, t) => Math.min(t, short.ids.length - 2)),
    );
  });

  it("does not count the first token as a target", () => {
    expect(totalWeight([short, long])).toBe(2.5);
  });
});
