import { describe, expect, it } from "vitest";
import { promptBatch } from "../../src/experiment/prompt-stream.ts";
import type { Task } from "../../src/rollout/domain.ts";

const TASKS: Task[] = Array.from({ length: 10 }, (_, i) => ({ id: String(i), view: {}, gold: "", source: "" }));
const ids = (step: number, size = 3, seed = 0): string[] =>
  promptBatch(TASKS, step, { seed, size }).map(({ id }) => id);

describe("promptBatch", () => {
  it("meets each task at most once an epoch and drops the last, partial batch", () => {
    const epoch = [...ids(1), ...ids(2), ...ids(3)];
    expect(new Set(epoch).size).toBe(9);
    expect(new Set([...ids(4), ...ids(5), ...ids(6)]).size).toBe(9);
  });

  it("orders each epoch and each seed anew, and repeats itself when asked again", () => {
    expect(ids(1, 10)).not.toEqual(ids(2, 10));
    expect(ids(1, 10)).not.toEqual(ids(1, 10, 1));
    expect(ids(7)).toEqual(ids(7));
    expect(ids(1, 10).toSorted()).toEqual(ids(2, 10).toSorted());
  });

  it("gives all tasks when the split is smaller than a batch", () => {
    expect(ids(1, 64).toSorted()).toEqual(TASKS.map(({ id }) => id));
    expect(ids(2, 64)).toHaveLength(10);
  });
});
