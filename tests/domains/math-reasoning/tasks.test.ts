/** The toy task set: sizes, determinism, disjoint splits. */
import { expect, test } from "vitest";
import { mathReasoning } from "../../../domains/math-reasoning/domain.ts";
import { divideTasks, createTask } from "../../../domains/shared/splits.ts";
import { TaskError } from "../../../src/base/errors.ts";
import { SPLITS, type TaskSet } from "../../../src/rollout/domain.ts";

const SIZES = { weight: 300, harness: 60, validation: 40, test: 50 };

const idsOf = (tasks: TaskSet): string[] => SPLITS.flatMap((split) => tasks[split].map((task) => task.id));

test("load fills the splits with different tasks whose source names the tier", async () => {
  const { tasks, skipped } = await mathReasoning.load({ seed: 3, sizes: SIZES });
  expect(SPLITS.map((split) => tasks[split].length)).toEqual([300, 60, 40, 50]);
  expect(new Set(idsOf(tasks)).size).toBe(450);
  expect(skipped).toEqual([]);
  for (const task of tasks.weight) {
    expect(task.source).toMatch(new RegExp(`^${mathReasoning.defaultTier}/`));
    expect(Object.keys(task.view)).toEqual(["question"]);
    expect(task.gold).toEqual({ answer: expect.stringMatching(/^-?\d+$/) as string });
  }
});

test("load repeats with an equal seed", async () => {
  const options = { seed: 5, sizes: SIZES, tier: "hard" };
  expect(await mathReasoning.load(options)).toEqual(await mathReasoning.load(options));
});

test("load never puts a question of one split into another, whatever seed, tier and size", async () => {
  const splitOf = new Map<string, string>();
  for (const seed of [0, 1])
    for (const tier of mathReasoning.tiers) {
      const { tasks } = await mathReasoning.load({ seed, tier, sizes: { ...SIZES, weight: 200 + 100 * seed } });
      for (const split of SPLITS)
        for (const { id } of tasks[split]) {
          expect(splitOf.get(id) ?? split).toBe(split);
          splitOf.set(id, split);
        }
    }
});

test("load gives an empty split where its size is 0, and a large weight split when asked", async () => {
  const { tasks } = await mathReasoning.load({ seed: 1, sizes: { weight: 2000, harness: 0, validation: 0, test: 1 } });
  expect(SPLITS.map((split) => tasks[split].length)).toEqual([2000, 0, 0, 1]);
});

test("load refuses a tier that does not exist", async () => {
  await expect(mathReasoning.load({ seed: 1, sizes: SIZES, tier: "absurd" })).rejects.toThrow(TaskError);
  await expect(mathReasoning.load({ seed: 1, sizes: SIZES, tier: "absurd" })).rejects.toThrow(
    /easy, standard, hard, chain/,
  );
});

test("divideTasks keeps the proportions, the order of rows does not matter, and no split is empty", () => {
  const tasks = Array.from({ length: 40 }, (_, i) => createTask({ question: `q${String(i)}` }, "1", "t"));
  const sizes = { weight: 2000, harness: 200, validation: 20, test: 200 };
  const divided = divideTasks(tasks, { seed: 1, sizes });
  expect(SPLITS.map((split) => divided[split].length)).toEqual([33, 3, 1, 3]);
  expect(divideTasks([...tasks].reverse(), { seed: 1, sizes })).toEqual(divided);
  const sorted = (set: TaskSet): string[][] => SPLITS.map((split) => set[split].map((task) => task.id).sort());
  expect(sorted(divideTasks(tasks, { seed: 9, sizes }))).toEqual(sorted(divided));
  expect(new Set(idsOf(divided)).size).toBe(40);
});

test("divideTasks takes no more than the size of each split, and other tasks of the same stretch for another seed", () => {
  const tasks = Array.from({ length: 400 }, (_, i) => createTask({ question: `q${String(i)}` }, "1", "t"));
  const sizes = { weight: 20, harness: 10, validation: 5, test: 5 };
  const first = divideTasks(tasks, { seed: 1, sizes });
  const second = divideTasks(tasks, { seed: 2, sizes });
  expect(SPLITS.map((split) => first[split].length)).toEqual([20, 10, 5, 5]);
  const firstTest = new Set(first.test.map((task) => task.id));
  expect(second.test.map((task) => task.id)).not.toEqual([...firstTest]);
  for (const split of ["weight", "harness", "validation"] as const)
    for (const { id } of second[split]) expect(firstTest.has(id)).toBe(false);
});
