/** The cause of each kind of failed rollout. */
import { expect, test } from "vitest";
import { CAUSES, diagnoseRollout } from "../../../domains/math-reasoning/diagnose.ts";
import type { DiagnosableTrace } from "../../../src/rollout/domain.ts";

const trace = (part: Partial<DiagnosableTrace>): DiagnosableTrace => ({
  outcome: "judged",
  reason: "no boxed answer",
  turns: [{ text: "It is 84.", finish: "end" }],
  toolCalls: [],
  returned: "It is 84.",
  ...part,
});

const call = (result: string, ok = true): DiagnosableTrace["toolCalls"][number] => ({ name: "run", ok, result });
const printed = call('{"ok":true,"output":"84"}');
const failed = call('{"ok":false,"output":"SyntaxError"}');
const turn = (text: string, finish = "end"): DiagnosableTrace["turns"][number] => ({ text, finish });

test.each([
  ["harness fault", { outcome: "fault", reason: "" }],
  ["harness fault", { outcome: "bad-return" }],
  ["harness fault", { returned: undefined, reason: "no text returned" }],
  ["budget spent", { outcome: "limit" }],
  ["provenance", { outcome: "provenance" }],
  ["truncated", { turns: [turn("<code>print(1", "length")] }],
  ["tool error", { toolCalls: [printed, failed] }],
  ["tool error", { toolCalls: [call("run: takes one text, the code", false)] }],
  ["empty output", { toolCalls: [call('{"ok":true,"output":" "}')] }],
  ["malformed code call", { turns: [turn("<code>print(1)")] }],
  ["malformed code call", { turns: [turn("```js\n1+1\n```")] }],
  ["tool never called", {}],
  ["malformed answer", { reason: "malformed answer", toolCalls: [printed] }],
  ["wrong value after tool", { reason: "wrong value", toolCalls: [failed, printed] }],
  ["wrong value without tool", { reason: "wrong value" }],
  ["no boxed answer", { toolCalls: [printed] }],
  ["wrong value after tool", { reason: "wrong value", toolCalls: [printed], turns: [turn("\\boxed{1}", "length")] }],
])("diagnoseRollout says %s (case %#)", (cause, part) => {
  expect(diagnoseRollout(trace(part))).toBe(cause);
  expect(CAUSES).toContain(cause);
});
