/** A domain for tests: single sums, answered in an `<answer>` tag. No tools. */
import { TaskError } from "../../src/base/errors.ts";
import { hashJson } from "../../src/base/hash.ts";
import type { Domain, Split, Task, TaskSet } from "../../src/rollout/domain.ts";

const SEED_HARNESS = `export const USER_PROMPT = "Add {question}";

function parseAnswer(text) {
  const match = /<answer>(\\d+)<\\/answer>/.exec(text);
  return match ? match[1] : "";
}

export async function solve(task, env) {
  const reply = await env.chat([{ role: "user", content: USER_PROMPT.replace("{question}", task.question) }]);
  return parseAnswer(reply.text);
}
`;

/** The domain. */
export const SUM_DOMAIN: Domain = {
  name: "sums",
  title: "Sums",
  tiers: ["only"],
  defaultTier: "only",
  limits: { tokens: 200, turns: 4, toolCalls: 0, fuel: 2000, memory: 16 * 2 ** 20 },
  seedHarness: SEED_HARNESS,
  axes: ["prompt", "parsing"],
  guide: "Answer sums.",
  phrases: { USER_PROMPT: ["Add {question}", "Add carefully {question}"] },
  variants: [],
  causes: ["no answer", "wrong value", "other"],
  diagnose: ({ reason }) => (reason === "no answer" || reason === "wrong value" ? reason : "other"),
  read: () => {
    throw new TaskError("sums: there is no file form");
  },
  load: ({ sizes }) => Promise.resolve({ tasks: makeSums(sizes), skipped: [], domain: SUM_DOMAIN }),
  open: (task) => ({
    tools: {},
    judge: ({ returned }) => {
      if (returned === task.gold) return { reward: 1, reason: "correct" };
      return { reward: 0, reason: returned === "" ? "no answer" : "wrong value" };
    },
    claims: ({ returned }) => (typeof returned === "string" && returned !== "" ? [returned] : []),
  }),
  playAnswer: (_, answer) =>
    Promise.resolve(answer === "gold" ? { reward: 1, reason: "correct" } : { reward: 0, reason: "wrong value" }),
  nullReply: (_, draw) => `<answer>${String(Math.floor(draw() * 100))}</answer>`,
};

/** Distinct sums for each split. */
export function makeSums(sizes: Readonly<Record<Split, number>>): TaskSet {
  let next = 10;
  const take = (count: number): Task[] =>
    Array.from({ length: count }, () => {
      const [a, b] = [next, 7 + (next % 13)];
      next += 1;
      const view = { question: `${String(a)}+${String(b)}` };
      return { id: hashJson(view), view, gold: String(a + b), source: "sums" };
    });
  const { weight, harness, validation, test } = sizes;
  return { weight: take(weight), harness: take(harness), validation: take(validation), test: take(test) };
}
