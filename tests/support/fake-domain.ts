/** A tiny domain for tests of rollouts: sums with a tool, whose null model guesses a number from 0 to 99. */
import { TaskError } from "../../src/base/errors.ts";
import { hashJson } from "../../src/base/hash.ts";
import type { Domain, Task } from "../../src/rollout/domain.ts";

const SEED_HARNESS = `export const PROMPT = "{question}=?";
export async function solve(task, env) {
  const reply = await env.chat([{ role: "user", content: PROMPT.replace("{question}", task.question) }]);
  const match = /\\[(\\d+)\\]/.exec(reply.text);
  return match ? match[1] : "";
}
`;

/** The domain: `[number]` answers, tool `add(a, b)`. */
export const FAKE_DOMAIN: Domain = {
  name: "fake",
  title: "Fake",
  tiers: ["only"],
  defaultTier: "only",
  limits: { tokens: 100, turns: 4, toolCalls: 3, fuel: 300, memory: 16 * 2 ** 20 },
  seedHarness: SEED_HARNESS,
  axes: [],
  guide: "",
  phrases: {},
  variants: [],
  causes: ["other"],
  diagnose: () => "other",
  read: () => {
    throw new TaskError("fake: there is nothing to read");
  },
  load: () => Promise.reject(new TaskError("fake: there is nothing to load")),
  open: (task) => ({
    tools: {
      add: ([a, b]) => {
        if (typeof a !== "number" || typeof b !== "number") throw new TaskError("add: takes two numbers");
        return Promise.resolve(a + b);
      },
    },
    judge: ({ returned }) => {
      if (returned === undefined || returned === "") return { reward: 0, reason: "no answer" };
      return Number.parseInt(typeof returned === "string" ? returned : "", 10) === Number(task.gold)
        ? { reward: 1, reason: "correct" }
        : { reward: 0, reason: "wrong value" };
    },
    claims: ({ returned }) => (typeof returned === "string" && returned !== "" ? [returned] : []),
  }),
  playAnswer: (_, answer) =>
    Promise.resolve(answer === "gold" ? { reward: 1, reason: "correct" } : { reward: 0, reason: "wrong" }),
  nullReply: (_, draw) => (draw() < 0.5 ? `[${String(Math.floor(draw() * 100))}]` : "]"),
};

/** The n-th sum. */
export function fakeTask(n: number): Task {
  const view = { question: `${String(n)}+${String(n + 3)}` };
  return { id: hashJson(view), view, gold: String(2 * n + 3), source: "fake" };
}
