/** `LoadOptions.needed`: what is given is the beginning of what would be given in full, for every generator. */
import { describe, expect, test } from "vitest";
import { chessPuzzles } from "../../../domains/chess-puzzles/domain.ts";
import { mathReasoning } from "../../../domains/math-reasoning/domain.ts";
import { searchQa } from "../../../domains/search-qa/domain.ts";
import { memoryFile } from "../../../src/rollout/data-file.ts";
import { SPLITS, type LoadOptions, type TaskSet } from "../../../src/rollout/domain.ts";

/** Some splits are full long before others, which is when a generator's stream could turn aside. */
const UNEVEN = [
  { weight: 60, harness: 6, validation: 9, test: 4 },
  { weight: 4, harness: 20, validation: 3, test: 12 },
];
const NEEDS = [
  { weight: 0, harness: Infinity, validation: 0, test: 0 },
  { weight: 0, harness: 0, validation: 0, test: 3 },
  { weight: 3, harness: 5, validation: 1000, test: 0 },
];

function beginningOf(tasks: TaskSet, needed: LoadOptions["sizes"]): unknown {
  return Object.fromEntries(SPLITS.map((split) => [split, tasks[split].slice(0, needed[split])]));
}

describe.each([mathReasoning, chessPuzzles, searchQa])("$name", (domain) => {
  test.each(UNEVEN)("load gives the beginning of each split when less is needed: %o", async (sizes) => {
    const { tasks } = await domain.load({ seed: 5, sizes });
    expect(SPLITS.map((split) => tasks[split].length)).toEqual(SPLITS.map((split) => sizes[split]));
    for (const needed of NEEDS)
      expect((await domain.load({ seed: 5, sizes, needed })).tasks).toEqual(beginningOf(tasks, needed));
  });

  test("load gives no tasks and does not complain when none is needed", async () => {
    const needed = { weight: 0, harness: 0, validation: 0, test: 0 };
    const { tasks } = await domain.load({ seed: 5, sizes: { weight: 4, harness: 2, validation: 2, test: 2 }, needed });
    expect(SPLITS.flatMap((split) => tasks[split])).toEqual([]);
  });
});

test("load divides a real file as ever when less is needed", async () => {
  const rows = Array.from({ length: 40 }, (_, i) =>
    JSON.stringify({ problem: `What is ${String(i)} + 1?`, answer: i + 1 }),
  );
  const load = async (needed?: LoadOptions["sizes"]): Promise<TaskSet> =>
    (
      await mathReasoning.load({
        seed: 1,
        sizes: { weight: 12, harness: 8, validation: 4, test: 4 },
        data: memoryFile("rows.jsonl", new TextEncoder().encode(rows.join("\n"))),
        ...(needed && { needed }),
      })
    ).tasks;
  const needed = { weight: 0, harness: 0, validation: 2, test: 0 };
  expect(await load(needed)).toEqual(beginningOf(await load(), needed));
});
