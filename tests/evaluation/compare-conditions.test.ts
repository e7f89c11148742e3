import { describe, expect, test } from "vitest";
import { compareConditions, rolloutsToPass } from "../../src/evaluation/compare-conditions.ts";
import {
  commonBudget,
  describeCondition,
  type ConditionRuns,
  type ScoredRun,
} from "../../src/evaluation/condition-scores.ts";

/** A run with one score list a point, at 0, 100, 200, ... rollouts. */
function run(seed: number, points: readonly (readonly number[])[], prefix = "t"): ScoredRun {
  const curve = points.map((means, i) => ({
    rollouts: 100 * i,
    scores: { samples: 8, tasks: means.map((_, t) => `${prefix}${String(seed)}-${String(t)}`), means },
  }));
  return { name: `run ${String(seed)}`, seed, curve, chosen: 1, bestOnTest: points.length - 1 };
}

const WEAK: ConditionRuns = {
  label: "weak",
  runs: [
    run(0, [
      [0, 0.2],
      [0.1, 0.3],
      [0.2, 0.4],
    ]),
    run(1, [
      [0.1, 0.1],
      [0.2, 0.2],
      [0.3, 0.3],
    ]),
  ],
};
const STRONG: ConditionRuns = {
  label: "strong",
  runs: [
    run(0, [
      [0, 0.2],
      [0.5, 0.7],
      [0.4, 0.8],
    ]),
    run(1, [
      [0.1, 0.1],
      [0.5, 0.5],
      [0.9, 0.9],
    ]),
  ],
};
const OPTIONS = { budget: 200, resamples: 500 };

describe("describeCondition", () => {
  test("means every figure over runs and tasks", () => {
    const { measures, curve, seeds, tasks, crossed } = describeCondition(STRONG, OPTIONS);
    expect({ seeds, tasks, crossed }).toEqual({ seeds: [0, 1], tasks: [2, 2], crossed: false });
    expect(measures.base.mean).toBeCloseTo(0.1, 12);
    expect(measures.chosen.mean).toBeCloseTo(0.55, 12);
    expect(measures.final.mean).toBeCloseTo(0.75, 12);
    // Trapezoids of 0.1, 0.55, 0.75: (0.325 + 0.65) / 2.
    expect(measures.area.mean).toBeCloseTo(0.4875, 12);
    expect(curve.map(({ rollouts }) => rollouts)).toEqual([0, 100, 200]);
    expect(curve[1]?.mean).toBeCloseTo(0.55, 12);
    expect(curve[1]?.low).toBeLessThan(0.55);
  });

  test("takes the area up to the budget and holds a run that ended", () => {
    const short: ConditionRuns = { label: "short", runs: [run(0, [[0.2], [0.4]]), run(1, [[0.2], [0.4], [0.8]])] };
    const { measures, curve } = describeCondition(short, { ...OPTIONS, budget: 100 });
    expect(commonBudget([short])).toBe(100);
    expect(measures.area.mean).toBeCloseTo(0.3, 12);
    expect(curve.at(-1)?.mean).toBeCloseTo(0.6, 12);
  });
});

describe("compareConditions", () => {
  test("pairs runs of one seed task by task", () => {
    const { paired, seeds, tasks, measures } = compareConditions(STRONG, WEAK, OPTIONS);
    expect({ paired, seeds, tasks }).toEqual({ paired: true, seeds: 2, tasks: 4 });
    expect(measures.chosen.difference).toBeCloseTo(0.35, 12);
    expect(measures.base).toMatchObject({ difference: 0, low: 0, high: 0, pValue: 1 });
    // Four differences of one sign: 2 of 16 sign assignments are as extreme; two seeds: 2 of 4.
    expect(measures.chosen.pValue).toBe(2 / 16);
    expect(measures.chosen.pSeeds).toBe(0.5);
  });

  test("takes a task that all seeds met as one piece of evidence", () => {
    const same = (seed: number, means: readonly number[]): ScoredRun => ({ ...run(0, [means, means]), seed });
    const first = { label: "a", runs: [same(0, [1, 1]), same(1, [1, 1])] };
    const second = { label: "b", runs: [same(0, [0, 0]), same(1, [0, 0])] };
    expect(compareConditions(first, second, OPTIONS).measures.final.pValue).toBe(0.5);
  });

  test("does not pair runs that share no task, and says so", () => {
    const other: ConditionRuns = {
      label: "other",
      runs: [
        run(
          0,
          [
            [0, 0],
            [0.2, 0.2],
          ],
          "u",
        ),
      ],
    };
    const { paired, measures } = compareConditions(STRONG, other, OPTIONS);
    expect(paired).toBe(false);
    expect(measures.chosen.difference).toBeCloseTo(0.35, 12);
    expect(measures.chosen.pSeeds).toBeNull();
  });

  test("does not pair runs of different seeds", () => {
    const moved: ConditionRuns = { label: "moved", runs: [{ ...run(0, [[0], [1]]), seed: 7 }] };
    expect(compareConditions(STRONG, moved, OPTIONS).paired).toBe(false);
  });
});

describe("rolloutsToPass", () => {
  const [strong, weak] = [describeCondition(STRONG, OPTIONS), describeCondition(WEAK, OPTIONS)];

  test("is where the mean line rises above the other's peak", () => {
    // The peak of the weak one is 0.3, at 200; the strong line goes from 0.1 to 0.55 in 100 rollouts: 0.2 / 0.45.
    expect(rolloutsToPass(strong, weak)).toEqual({
      first: "strong",
      second: "weak",
      peak: expect.closeTo(0.3, 12) as number,
      peakAt: 200,
      rollouts: 45,
    });
  });

  test("is null when the peak is never passed", () => {
    expect(rolloutsToPass(weak, strong).rollouts).toBeNull();
  });
});
