import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planPrefill } from "../../src/generation/prefill-plan.ts";

describe("planPrefill", () => {
  it("puts rows of similar length together and a long one apart", () => {
    expect(planPrefill([10, 300, 12, 11], 2048)).toEqual([[1], [2, 3, 0]]);
    expect(planPrefill([], 2048)).toEqual([]);
  });

  it("places each row once and keeps to the limit when counts are random", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 100 }), { maxLength: 40 }), (counts) => {
        const runs = planPrefill(counts, 100);
        expect(runs.flat().sort((a, b) => a - b)).toEqual(counts.map((_, i) => i));
        for (const run of runs) expect(run.length * Math.max(...run.map((i) => counts[i]!))).toBeLessThanOrEqual(100);
      }),
    );
  });
});
