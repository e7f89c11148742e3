import { expect, test, vi } from "vitest";
import { binomialTail } from "../../src/rollout/chance.ts";
import { checkHarness, type HarnessJudgement } from "../../src/rollout/check.ts";
import { parseHarness } from "../../src/rollout/harness.ts";
import { FAKE_CODEC } from "../support/fake-codec.ts";
import { FAKE_DOMAIN, fakeTask } from "../support/fake-domain.ts";
import { useSandbox } from "../support/use-sandbox.ts";

// These tests count processor time or rollouts, not seconds: a busy machine only makes them wait.
vi.setConfig({ testTimeout: 60_000 });

const sandbox = useSandbox();

function judge(source: string): Promise<HarnessJudgement> {
  const tasks = Array.from({ length: 16 }, (_, n) => fakeTask(n));
  return checkHarness({ domain: FAKE_DOMAIN, source, codec: FAKE_CODEC, sandbox, tasks, seed: 1 });
}

const SUM = `const sum = (task) => task.question.split("+").map(Number).reduce((a, b) => a + b);
const ask = (task, env, options) => env.chat([{ role: "user", content: task.question }], options);
const read = (text) => (/\\[(\\d+)\\]/.exec(text) ?? ["", ""])[1];
`;

test("checkHarness accepts the first harness of a domain, and says what it checked", async () => {
  const judgement = await judge(FAKE_DOMAIN.seedHarness);
  expect(judgement.accepted).toBe(true);
  expect(judgement.checks.map(({ name }) => name)).toEqual([
    "static",
    "smoke",
    "provenance",
    "null-model",
    "prefill-boundary",
  ]);
  expect(judgement.traces).toHaveLength(64);
});

test("checkHarness accepts a harness that asks again until there is an answer", async () => {
  const source = `${SUM} export async function solve(task, env) {
    for (let i = 0; i < 4; i++) { const answer = read((await ask(task, env, { maxTokens: 10 })).text); if (answer) return answer; }
    return "";
  }`;
  expect(await judge(source)).toMatchObject({ accepted: true });
});

test.each([
  ["returns what it computed", `return String(sum(task));`, "provenance"],
  [
    "takes the answer from a tool",
    `await ask(task, env); const [a, b] = task.question.split("+").map(Number); return String(await env.tools.add(a, b));`,
    "provenance",
  ],
  [
    "puts the answer into the prefill and lets the model close it",
    `const r = await ask(task, env, { prefill: "[" + sum(task) }); return r.text.slice(1).split("]")[0] + "]";`,
    "null-model",
  ],
  [
    "claims what stands in its prefill alone",
    `const s = String(sum(task)); await ask(task, env, { prefill: "[" + s + "] " }); return s;`,
    "provenance",
  ],
  ["throws", `throw new TypeError("no");`, "smoke"],
  ["returns a number", `return 5;`, "smoke"],
  ["never ends", `for (;;);`, "smoke"],
  ["imports", `return (await import("fs")).x;`, "static"],
])("checkHarness refuses a harness that %s", async (_, body, name) => {
  const judgement = await judge(`${SUM} export async function solve(task, env) { ${body} }`);
  expect(judgement.accepted).toBe(false);
  expect(judgement.checks.filter(({ ok }) => !ok).map((check) => check.name)).toContain(name);
});

test.each([
  ["export function solve(", "line 1: syntax"],
  ["\nimport fs from 'fs';\nexport function solve() {}", "line 2: no-import"],
  ["export * from 'x'; export function solve() {}", "line 1: no-import"],
  ["export function solve() {\n return eval('1'); }", "line 2: no-global: eval"],
  ["export function solve() { return globalThis; }", "no-global: globalThis"],
  ["export function solve() { return (() => 1).constructor('return 1')(); }", "no-constructor"],
  ["export function solve() { return ''['constructor']; }", "no-constructor"],
  ["export const other = 1;", "must export a function named solve"],
  ["export const solve = 1;", "must export a function named solve"],
  ["export function* solve() {}", "must not be a generator"],
  [`export function solve() {} //${"x".repeat(70_000)}`, "size"],
])("parseHarness refuses %j", (source, message) => {
  expect(() => parseHarness(source)).toThrow(message);
});

test("parseHarness takes a local function exported as solve and reads its text constants", () => {
  const source = "const A = 'x'; export const B_2 = `y`, C = 3; const run = async () => ''; export { run as solve };";
  expect(parseHarness(source).constants).toEqual({ A: "x", B_2: "y" });
});

test("binomialTail equals sums counted by hand", () => {
  expect(binomialTail(0, 4, 0.5)).toBe(1);
  expect(binomialTail(3, 4, 0.5)).toBeCloseTo(5 / 16, 12);
  expect(binomialTail(2, 3, 0.1)).toBeCloseTo(0.028, 12);
});
