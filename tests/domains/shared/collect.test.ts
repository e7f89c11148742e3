/** Tasks of a file by split: exact for small files, a bounded uniform sample for large ones. */
import { expect, test } from "vitest";
import { collectTasks } from "../../../domains/shared/collect.ts";
import { createTask } from "../../../domains/shared/splits.ts";
import { SPLITS, type TaskRow } from "../../../src/rollout/domain.ts";

const SIZES = { weight: 200, harness: 50, validation: 50, test: 100 };

async function* rows(count: number, repeatEvery = Infinity): AsyncGenerator<TaskRow> {
  for (let number = 1; number <= count; number += 1) {
    const n = number % repeatEvery === 0 ? number - 1 : number;
    yield await Promise.resolve({ number, task: createTask({ question: `q${String(n)}` }, n, "t") });
  }
}

const collect = (count: number, seed = 1, repeatEvery = Infinity): ReturnType<typeof collectTasks> =>
  collectTasks({ name: "f" }, rows(count, repeatEvery), { seed, sizes: SIZES });

test("collectTasks fills every split with different tasks when the file is larger than what it keeps", async () => {
  const { tasks } = await collect(25_000);
  expect(SPLITS.map((split) => tasks[split].length)).toEqual(Object.values(SIZES));
  expect(new Set(SPLITS.flatMap((split) => tasks[split].map(({ id }) => id))).size).toBe(400);
});

test("collectTasks samples another part of a split with another seed, and never a task of another split", async () => {
  const [one, two] = [await collect(25_000, 1), await collect(25_000, 2)];
  const ids = (set: typeof one, split: (typeof SPLITS)[number]): string[] => set.tasks[split].map(({ id }) => id);
  expect(ids(one, "test")).not.toEqual(ids(two, "test"));
  const other = new Set(SPLITS.filter((split) => split !== "test").flatMap((split) => ids(two, split)));
  expect(ids(one, "test").filter((id) => other.has(id))).toEqual([]);
});

test("collectTasks keeps a task once when a large file repeats its rows", async () => {
  const { tasks, skipped } = await collect(25_000, 1, 2);
  expect(new Set(tasks.weight.map(({ id }) => id)).size).toBe(SIZES.weight);
  expect(skipped.map(({ reason }) => reason)).toEqual(["repeats an earlier row"]);
});
