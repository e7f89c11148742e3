import { describe, expect, it } from "vitest";
import { bytesOfStates, bytesPerPosition, KvBlock } from "../../src/generation/kv-block.ts";
import { PrefixCache, type CachedPrefix } from "../../src/generation/prefix-cache.ts";

const SHAPE = { layers: 2, kvHeads: 2, headSize: 3, stateShapes: [[2]], tokenMultiple: 1 };

/** A row of `cached` positions whose keys and values all are `mark`. */
function rowOf(mark: number, cached: number): CachedPrefix {
  const block = new KvBlock(SHAPE, { rows: 1, span: cached });
  const { keys, values, states } = block.view(1);
  for (const array of [...keys, ...values, ...states]) array.fill(mark);
  return { block, row: 0, ids: Array.from({ length: cached }, () => mark), cached };
}

function marksOf({ block }: CachedPrefix): Set<number> {
  const { keys, values, states } = block.view(1);
  return new Set([...keys, ...values, ...states].flatMap((array) => [...array]));
}

describe("PrefixCache", () => {
  it("gives what was parked last when memory of earlier entries is used again", () => {
    const cache = new PrefixCache(SHAPE, 1e6);
    for (const [turn, cached] of [9, 4, 12, 1, 12].entries()) {
      cache.park("a", rowOf(turn + 1, cached));
      cache.park("b", rowOf(turn + 101, cached + 2));
      const a = cache.take("a")!;
      expect([a.cached, a.block.span]).toEqual([cached, cached]);
      expect(marksOf(a)).toEqual(new Set([turn + 1]));
      expect(cache.has("a")).toBe(false);
      expect(marksOf([...cache.entries()][0]!)).toEqual(new Set([turn + 101]));
    }
  });

  it("lets the oldest go beyond its budget, spare memory included", () => {
    const budget = 20 * bytesPerPosition(SHAPE) + 3 * bytesOfStates(SHAPE);
    const cache = new PrefixCache(SHAPE, budget);
    for (let i = 0; i < 8; i += 1) {
      cache.park(String(i), rowOf(i, 4 + (i % 3)));
      expect(cache.bytes).toBeLessThanOrEqual(budget);
    }
    expect(cache.has("0")).toBe(false);
    expect(cache.has("7")).toBe(true);
    cache.park("large", rowOf(9, 21));
    expect(cache.has("large")).toBe(false);
  });

  it("is empty after a clear", () => {
    const cache = new PrefixCache(SHAPE, 1e6);
    cache.park("a", rowOf(1, 3));
    cache.clear();
    expect([cache.bytes, cache.has("a")]).toEqual([0, false]);
  });
});
