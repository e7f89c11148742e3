import { expect, test } from "vitest";
import { CAUSES, diagnoseRollout } from "../../../domains/search-qa/diagnose.ts";
import { REASONS } from "../../../domains/search-qa/verify.ts";
import type { DiagnosableTrace } from "../../../src/rollout/domain.ts";

const FOUND = { name: "search", ok: true, result: "[]" };
const trace = (change: Partial<DiagnosableTrace>, last = "<answer>x</answer>", finish = "end"): DiagnosableTrace => ({
  outcome: "judged",
  reason: REASONS.noAnswer,
  turns: [{ text: last, finish }],
  toolCalls: [FOUND],
  returned: "",
  ...change,
});

test.each<[string, DiagnosableTrace]>([
  ["harness fault", trace({ outcome: "fault" })],
  ["harness fault", trace({ reason: REASONS.noText, returned: 3 })],
  ["budget spent", trace({ outcome: "limit" })],
  ["provenance", trace({ outcome: "provenance" })],
  ["truncated", trace({}, "so the", "length")],
  ["tool error", trace({ toolCalls: [{ name: "search", ok: false, result: "search: the query is empty" }] })],
  ["malformed call", trace({ toolCalls: [] }, "<search>Oslo")],
  ["tool never called", trace({ toolCalls: [], reason: REASONS.noSearch })],
  ["right passage not retrieved", trace({ reason: REASONS.notFound })],
  ["retrieved but cut", trace({ reason: REASONS.cut })],
  ["answer in view but not given", trace({ reason: REASONS.inView })],
  ["answer malformed", trace({ reason: REASONS.malformed })],
  ["turns spent", trace({}, "<search>Oslo</search>")],
  ["no answer", trace({}, "It is Oslo.")],
  ["wrong answer", trace({ reason: "another reason" })],
])("names %s", (cause, failed) => {
  expect(diagnoseRollout(failed)).toBe(cause);
});

test("every cause has a case above", () => {
  expect(CAUSES).toHaveLength(14);
});
