/** The domain's self-check on the toy tiers and on every real file: gold answers win, corrupted ones lose. */
import { describe, expect, test } from "vitest";
import { mathReasoning } from "../../../domains/math-reasoning/domain.ts";
import { openDataFile } from "../../../src/cli/files.ts";
import { createSandbox } from "../../../src/sandbox/quickjs-sandbox.ts";
import { SPLITS, type LoadedTasks, type Task } from "../../../src/rollout/domain.ts";
import { hasSharedData, sharedData } from "../../support/shared-data.ts";

const EVERYTHING = { weight: 0, harness: 0, validation: 0, test: 100_000 };

/** The tasks whose gold answer the verifier refuses, or of whose corrupted answers it takes one. */
async function findMisjudged(tasks: readonly Task[]): Promise<Task[]> {
  using sandbox = await createSandbox();
  const misjudged: Task[] = [];
  for (const task of tasks) {
    const context = { sandbox, seed: task.id };
    const episode = mathReasoning.open(task, context);
    const reward = (text: string): number => episode.judge({ returned: text, sampled: [text] }).reward;
    const { answer } = task.gold as { answer: string };
    const gold = await mathReasoning.playAnswer(task, "gold", context);
    const corrupted = await mathReasoning.playAnswer(task, "corrupted", context);
    const others = [`\\boxed{-1${answer}}`, `{${answer}}`, ""];
    if (gold.reason !== "correct" || corrupted.reward !== 0 || others.some((text) => reward(text) !== 0))
      misjudged.push(task);
  }
  return misjudged;
}

async function loadFile(name: string): Promise<LoadedTasks> {
  const data = await openDataFile(sharedData(`math/${name}`));
  return mathReasoning.load({ seed: 1, sizes: EVERYTHING, data });
}

test.each(mathReasoning.tiers)("the verifier takes the gold answers of tier %s and no corrupted ones", async (tier) => {
  const { tasks } = await mathReasoning.load({
    seed: 1,
    tier,
    sizes: { weight: 60, harness: 40, validation: 40, test: 60 },
  });
  expect(await findMisjudged(SPLITS.flatMap((split) => tasks[split]))).toEqual([]);
});

describe.each([
  ["gsm8k_test.jsonl", 1319, 0],
  ["gsm8k_train_first2000.jsonl", 2000, 0],
  ["math_500.jsonl", 500, 0],
  ["aime_2024.jsonl", 30, 0],
  ["dapo_math_sample_1000.jsonl", 996, 4],
  // 17,917 rows with 17,255 different prompts (outer spaces aside), of which 12 have two answers.
  ["dapo_math_17k.parquet", 17_243, 674],
])("%s", (name, usable, skipped) => {
  test.skipIf(!hasSharedData(`math/${name}`))("loads whole, and its gold answers pass the verifier", async () => {
    const loaded = await loadFile(name);
    expect(loaded.tasks.test).toHaveLength(usable);
    expect(loaded.skipped.reduce((sum, { count }) => sum + count, 0)).toBe(skipped);
    expect(await findMisjudged(loaded.tasks.test.slice(0, 3000))).toEqual([]);
  });
});
