import { describe, expect, test } from "vitest";
import { createRng } from "../../src/base/rng.ts";
import { bootstrapMean } from "../../src/stats/bootstrap.ts";
import {
  clusterMeans,
  hierarchicalIntervals,
  percentileInterval,
  resampleClusters,
} from "../../src/stats/hierarchical.ts";

const column = (values: readonly number[]): number[][] => values.map((value) => [value]);

describe("clusterMeans", () => {
  test("weighs every run alike, however many tasks it has", () => {
    expect(clusterMeans([column([1, 1, 1, 1]), column([0])])).toEqual([0.5]);
    expect(
      clusterMeans([
        [
          [0.2, 1],
          [0.4, 3],
        ],
      ]).map((mean) => Number(mean.toFixed(12))),
    ).toEqual([0.3, 2]);
  });

  test.each([
    ["no run", []],
    ["a run without tasks", [column([1]), []]],
    ["rows of different lengths", [[[1], [1, 2]]]],
    ["a value that is not finite", [[[Number.NaN]]]],
  ])("throws when there is %s", (_, clusters) => {
    expect(() => clusterMeans(clusters)).toThrow(RangeError);
  });
});

describe("resampleClusters", () => {
  test("draws runs with replacement: two constant runs give 0, 1/2 and 1 with weights 1/4, 1/2, 1/4", () => {
    const [draws] = resampleClusters([column([0, 0]), column([1, 1])], createRng(1), { resamples: 20_000 });
    const share = (value: number): number => (draws ?? new Float64Array()).filter((v) => v === value).length / 20_000;
    expect(share(0)).toBeCloseTo(0.25, 1);
    expect(share(0.5)).toBeCloseTo(0.5, 1);
    expect(share(1)).toBeCloseTo(0.25, 1);
    expect(percentileInterval(draws ?? new Float64Array())).toEqual({ low: 0, high: 1 });
  });

  test("has the variance that theory gives, nested and crossed", () => {
    // One 0/1 score a task: variance 1/4 over T tasks. Two equal runs: nested halves it (the task draws are independent
    // within a resample), crossed does not.
    const run = column(Array.from({ length: 50 }, (_, i) => i % 2));
    const variance = (crossed: boolean): number => {
      const [draws = new Float64Array()] = resampleClusters([run, run], createRng(2), { resamples: 8000, crossed });
      return draws.reduce((sum, value) => sum + (value - 0.5) ** 2, 0) / draws.length;
    };
    expect(variance(true) / (0.25 / 50)).toBeCloseTo(1, 1);
    expect(variance(false) / (0.25 / 100)).toBeCloseTo(1, 1);
  });

  test("draws all columns together", () => {
    const rows = [1, 2, 3, 4].map((value) => [value, 10 * value]);
    const [first, second] = resampleClusters([rows], createRng(3), { resamples: 50 });
    for (const [i, value] of (first ?? new Float64Array()).entries()) expect(second?.[i]).toBeCloseTo(10 * value, 9);
  });

  test("throws when crossed runs differ in size", () => {
    expect(() => resampleClusters([column([1]), column([1, 2])], createRng(4), { crossed: true })).toThrow(
      "same tasks",
    );
  });
});

test("hierarchicalIntervals of one run is about the bootstrap over its tasks", () => {
  const values = Array.from({ length: 40 }, (_, i) => (i % 5) / 4);
  const [mine] = hierarchicalIntervals([column(values)], createRng(5), { resamples: 4000 });
  const plain = bootstrapMean(values, createRng(6), { resamples: 4000 });
  expect(mine?.mean).toBeCloseTo(plain.mean, 12);
  expect(mine?.low).toBeCloseTo(plain.low, 1);
  expect(mine?.high).toBeCloseTo(plain.high, 1);
});

test("percentileInterval throws when the confidence is not inside (0, 1)", () => {
  expect(() => percentileInterval(new Float64Array(3), 1)).toThrow(RangeError);
});
