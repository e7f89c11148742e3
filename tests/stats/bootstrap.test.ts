import { describe, expect, test } from "vitest";
import { createRng } from "../../src/base/rng.ts";
import { bootstrapMean, meanOf, quantile } from "../../src/stats/bootstrap.ts";

describe("bootstrapMean", () => {
  test("bootstrapMean gives equal intervals when streams are equal and other ones when they differ", () => {
    const values = [0.1, 0.9, 0.4, 0.5, 0.2, 0.7];
    const interval = (seed: number) => bootstrapMean(values, createRng(seed, "bootstrap"));
    expect(interval(1)).toEqual(interval(1));
    expect(interval(1)).not.toEqual(interval(2));
  });

  test("bootstrapMean has no width when all tasks score alike", () => {
    expect(bootstrapMean([0.25, 0.25, 0.25], createRng(1))).toEqual({ mean: 0.25, low: 0.25, high: 0.25 });
  });

  test("bootstrapMean agrees with the normal interval when there are many tasks", () => {
    const rng = createRng(7, "data");
    const values = Array.from({ length: 400 }, () => 2 + 3 * rng.normal());
    const mean = meanOf(values);
    // The bootstrap's own standard error divides by n, not n - 1.
    const error = Math.sqrt(meanOf(values.map((value) => (value - mean) ** 2)) / values.length);
    const interval = bootstrapMean(values, createRng(7, "bootstrap"), { resamples: 10_000 });
    expect(interval.mean).toBeCloseTo(mean, 12);
    expect(Math.abs(interval.low - (mean - 1.96 * error)) / error).toBeLessThan(0.1);
    expect(Math.abs(interval.high - (mean + 1.96 * error)) / error).toBeLessThan(0.1);
  });

  test("bootstrapMean covers the true mean about as often as it says when the draws are repeated", () => {
    const trials = 400;
    let covered = 0;
    for (let trial = 0; trial < trials; trial += 1) {
      const rng = createRng(11, trial);
      // mean@8 of tasks whose own success rates vary uniformly: the true mean is 0.5.
      const values = Array.from({ length: 60 }, () => {
        const rate = rng.uniform();
        return meanOf(Array.from({ length: 8 }, () => (rng.uniform() < rate ? 1 : 0)));
      });
      const { low, high } = bootstrapMean(values, rng, { resamples: 400 });
      if (low <= 0.5 && 0.5 <= high) covered += 1;
    }
    // Three standard errors of a share of 0.95 in 400 trials are 0.033; the interval is a little narrow at 60 tasks.
    expect(covered / trials).toBeGreaterThan(0.91);
    expect(covered / trials).toBeLessThan(0.985);
  });

  test("bootstrapMean is wider when more confidence is asked for", () => {
    const values = [0, 1, 0, 1, 1, 0, 0, 1];
    const narrow = bootstrapMean(values, createRng(1), { confidence: 0.5 });
    const wide = bootstrapMean(values, createRng(1), { confidence: 0.99 });
    expect(wide.low).toBeLessThan(narrow.low);
    expect(wide.high).toBeGreaterThan(narrow.high);
  });

  test("bootstrapMean throws RangeError when values or options are out of range", () => {
    const rng = createRng(1);
    expect(() => bootstrapMean([], rng)).toThrow(RangeError);
    expect(() => bootstrapMean([1, NaN], rng)).toThrow(RangeError);
    expect(() => bootstrapMean([1], rng, { resamples: 0 })).toThrow(RangeError);
    expect(() => bootstrapMean([1], rng, { confidence: 1 })).toThrow(RangeError);
  });
});

describe("quantile", () => {
  test("quantile lies between neighbours in proportion when the position is not whole", () => {
    expect([0, 0.25, 0.5, 0.9, 1].map((share) => quantile([1, 2, 4], share))).toEqual([1, 1.5, 2, 3.6, 4]);
    expect(quantile([5], 0.3)).toBe(5);
    expect(() => quantile([], 0.5)).toThrow(RangeError);
    expect(() => quantile([1], 1.1)).toThrow(RangeError);
  });
});
