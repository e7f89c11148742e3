import { describe, expect, test } from "vitest";
import { passAtK } from "../../src/stats/pass-at-k.ts";

/** Counts the subsets of size k that hold a correct sample, one by one. */
function countSubsets(samples: number, correct: number, k: number): number {
  let hit = 0;
  let all = 0;
  for (let subset = 0; subset < 2 ** samples; subset += 1) {
    const size = subset.toString(2).replaceAll("0", "").length;
    if (size !== k) continue;
    all += 1;
    if (subset % 2 ** correct !== 0) hit += 1;
  }
  return hit / all;
}

describe("passAtK", () => {
  test("passAtK equals the count over all subsets when there are up to 8 samples", () => {
    for (let samples = 1; samples <= 8; samples += 1)
      for (let correct = 0; correct <= samples; correct += 1)
        for (let k = 1; k <= samples; k += 1)
          expect(passAtK({ samples, correct }, k)).toBeCloseTo(countSubsets(samples, correct, k), 12);
  });

  test("passAtK stays finite when the binomials would overflow", () => {
    expect(passAtK({ samples: 10_000, correct: 1 }, 5_000)).toBeCloseTo(0.5, 9);
  });

  test("passAtK throws RangeError when counts do not fit", () => {
    expect(() => passAtK({ samples: 8, correct: 9 }, 1)).toThrow(RangeError);
    expect(() => passAtK({ samples: 8, correct: 1 }, 9)).toThrow(/k must be in \[1, 8\], got 9/);
    expect(() => passAtK({ samples: 8, correct: 1 }, 0)).toThrow(RangeError);
  });
});
