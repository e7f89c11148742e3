/** The domain's data: phrases that fit their constants, causes that something addresses, a null model that is one. */
import { describe, expect, test } from "vitest";
import { mathReasoning } from "../../../domains/math-reasoning/domain.ts";
import { createRng } from "../../../src/base/rng.ts";
import { memoryFile } from "../../../src/rollout/data-file.ts";
import { SPLITS } from "../../../src/rollout/domain.ts";

describe("phrases", () => {
  test("stand in constants of h0, keep their placeholder and never repeat", () => {
    for (const [name, phrases] of Object.entries(mathReasoning.phrases)) {
      expect(mathReasoning.seedHarness).toMatch(new RegExp(`^export const ${name} = "`, "m"));
      expect(new Set(phrases).size).toBe(phrases.length);
      expect(phrases.length).toBeGreaterThanOrEqual(4);
      const placeholder = { USER_PROMPT: "{question}", FEEDBACK: "{output}" }[name] ?? "";
      expect(phrases.filter((phrase) => !phrase.includes(placeholder))).toEqual([]);
    }
  });

  test("offer texts with and without the tool's name", () => {
    for (const name of ["SYSTEM_PROMPT", "USER_PROMPT"]) {
      const phrases = mathReasoning.phrases[name] ?? [];
      const naming = phrases.filter((phrase) => phrase.includes("<code>")).length;
      expect(naming).toBeGreaterThanOrEqual(4);
      expect(phrases.length - naming).toBeGreaterThanOrEqual(3);
    }
  });
});

test("every cause but those of a broken harness has a variant that addresses it", () => {
  const addressed = new Set(mathReasoning.variants.flatMap((variant) => variant.addresses));
  const open = mathReasoning.causes.filter((cause) => !addressed.has(cause));
  expect(open).toEqual(["harness fault", "budget spent", "provenance"]);
});

test("guide explains each axis and names no data set", () => {
  for (const axis of mathReasoning.axes) expect(mathReasoning.guide).toContain(`**${axis}**`);
  expect(mathReasoning.guide).not.toMatch(/AIME|DAPO|GSM|MATH-/);
  expect(mathReasoning.guide).toContain("`\\boxed{...}`");
});

test("nullReply repeats with its draws, speaks the formats and almost never says the answer", async () => {
  const sizes = { weight: 400, harness: 1, validation: 1, test: 1 };
  const { tasks } = await mathReasoning.load({ seed: 8, sizes });
  const rng = createRng("null");
  const replies = tasks.weight.map((task) => ({ task, reply: mathReasoning.nullReply(task, rng.uniform, "") }));
  const again = createRng("null");
  expect(tasks.weight.map((task) => mathReasoning.nullReply(task, again.uniform, ""))).toEqual(
    replies.map(({ reply }) => reply),
  );
  for (const form of [/^\\boxed\{\d+\}$/, /^<code>print\(.*\)<\/code>$/, /^The answer is \d+\.$/])
    expect(replies.some(({ reply }) => form.test(reply))).toBe(true);
  const right = replies.filter(({ task, reply }) =>
    reply.match(/-?\d+/g)?.includes((task.gold as { answer: string }).answer),
  );
  expect(right.length / replies.length).toBeLessThan(0.05);
});

test("load rejects where a split that was asked for stays empty", async () => {
  const data = memoryFile("x.jsonl", new TextEncoder().encode('{"problem":"P","answer":"1"}'));
  const sizes = { weight: 1, harness: 1, validation: 1, test: 1 };
  await expect(mathReasoning.load({ seed: 1, sizes, data })).rejects.toThrow(/x\.jsonl: 1 usable rows/);
  const alone = await mathReasoning.load({ seed: 1, sizes: { ...sizes, weight: 0, harness: 0, validation: 0 }, data });
  expect(SPLITS.map((split) => alone.tasks[split].length)).toEqual([0, 0, 0, 1]);
});
