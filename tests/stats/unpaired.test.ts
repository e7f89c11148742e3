import { describe, expect, test } from "vitest";
import { createRng } from "../../src/base/rng.ts";
import { labelPermutationPValue, unpairedDifference } from "../../src/stats/unpaired.ts";

describe("labelPermutationPValue", () => {
  test("is near the exact value of a case small enough to count", () => {
    // {1, 1, 1} against {0, 0, 0}: 2 of the 20 ways to choose three of six are as extreme.
    const p = labelPermutationPValue(
      [
        [1, 1, 1],
        [0, 0, 0],
      ],
      createRng(1),
      { permutations: 20_000 },
    );
    expect(p).toBeCloseTo(0.1, 1);
    expect(Math.abs(p - 0.1)).toBeLessThan(0.01);
  });

  test("is 1 when both sides are equal", () => {
    expect(labelPermutationPValue([[0.5], [0.5, 0.5]], createRng(2), { permutations: 50 })).toBe(1);
  });
});

describe("unpairedDifference", () => {
  test("is the difference of the means, with an interval that holds it", () => {
    const first = [
      [[1], [0.5]],
      [[0.5], [0]],
    ];
    const { difference, low, high } = unpairedDifference([first, [[[0.1], [0.3]]]], createRng(3));
    expect(difference).toBeCloseTo(0.3, 12);
    expect(low).toBeLessThan(0.3);
    expect(high).toBeGreaterThan(0.3);
  });

  test("has no width when nothing varies", () => {
    const { low, high } = unpairedDifference([[[[1]]], [[[0.25]]]], createRng(4), { resamples: 20 });
    expect([low, high]).toEqual([0.75, 0.75]);
  });
});
