import { describe, expect, it } from "vitest";
import { TaskError } from "../../src/base/errors.ts";
import { compareScores } from "../../src/evaluation/compare.ts";
import { evaluate } from "../../src/evaluation/evaluate.ts";
import type { Task } from "../../src/rollout/domain.ts";
import { makeTrace } from "../support/traces.ts";

const TASKS: Task[] = ["a", "b", "c", "d"].map((id) => ({ id, view: {}, gold: id, source: "test" }));

/** Evaluates with the reward that `score` gives to a task and a sample. */
const evaluateBy = (score: (id: string, sample: number) => number) =>
  evaluate(TASKS, {
    rollouts: (requests) =>
      Promise.resolve(requests.map(({ task, sample }) => makeTrace({ reward: score(task.id, sample), task: task.id }))),
    samples: 4,
    seed: 1,
  });

describe("evaluate", () => {
  it("gives the mean over tasks of the mean over samples", async () => {
    const result = await evaluateBy((id, sample) => (id === "a" || (id === "b" && sample === 0) ? 1 : 0));
    expect(result.scores).toEqual({ samples: 4, tasks: ["a", "b", "c", "d"], means: [1, 0.25, 0, 0] });
    expect(result.mean).toBe(1.25 / 4);
    expect(result.low).toBeLessThan(result.mean);
    expect(result.high).toBeGreaterThan(result.mean);
    expect(result.traces.map(({ task }) => task).join("")).toBe("aaaabbbbccccdddd");
  });

  it("gives the same interval twice", async () => {
    const score = (id: string): number => (id < "c" ? 1 : 0);
    expect(await evaluateBy(score)).toEqual(await evaluateBy(score));
  });

  it("gives an interval without width when all tasks score alike", async () => {
    expect(await evaluateBy(() => 1)).toMatchObject({ mean: 1, low: 1, high: 1 });
  });
});

describe("compareScores", () => {
  const scores = (means: Record<string, number>) => ({
    samples: 1,
    tasks: Object.keys(means),
    means: Object.values(means),
  });

  it("pairs by task id, whatever the order, and says how many tasks stand alone", () => {
    const result = compareScores(scores({ a: 1, b: 0.5, x: 0 }), scores({ b: 0.25, a: 0, y: 1, z: 1 }));
    expect(result).toMatchObject({ tasks: 2, difference: 0.625, first: 0.75, second: 0.125, unshared: 3 });
  });

  it("finds no difference between a run and itself", () => {
    const same = scores({ a: 1, b: 0.5 });
    expect(compareScores(same, same)).toMatchObject({ difference: 0, low: 0, high: 0, pValue: 1, unshared: 0 });
  });

  it("refuses evaluations that share no task", () => {
    expect(() => compareScores(scores({ a: 1 }), scores({ b: 1 }))).toThrow(TaskError);
  });
});
