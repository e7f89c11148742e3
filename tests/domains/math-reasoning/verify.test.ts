/** The `\boxed{}` verifier. */
import { describe, expect, test } from "vitest";
import { claimAnswer, judgeAnswer, lastBoxed, normalizeAnswer } from "../../../domains/math-reasoning/verify.ts";

test.each([
  ["\\boxed{84}", "84"],
  ["first \\boxed{1}, then \\boxed{2}.", "2"],
  ["\\boxed{\\frac{1}{2}}", "\\frac{1}{2}"],
  ["\\boxed{1} and \\boxed{2", "1"],
  ["\\boxed{a \\} b}", "a \\} b"],
  ["\\boxed{\\boxed{5}}", "5"],
  ["\\boxed{}", ""],
  ["boxed{3}", undefined],
  ["\\boxed{3", undefined],
  ["", undefined],
])("lastBoxed reads %j as %j", (text, content) => {
  expect(lastBoxed(text)).toBe(content);
});

test.each([
  [" 84 ", "84"],
  ["$84$", "84"],
  ["+84", "84"],
  ["12.0", "12"],
  ["12.50", "12.50"],
  ["1,234,567", "1234567"],
  ["10,\\!080", "10080"],
  ["\\$32,\\!348", "32348"],
  ["1,2", "1,2"],
  ["\u22127", "-7"],
  ["-0", "0"],
  ["007", "007"],
  ["(1,234)", "(1,234)"],
])("normalizeAnswer turns %j into %j", (answer, normal) => {
  expect(normalizeAnswer(answer)).toBe(normal);
});

describe("judgeAnswer", () => {
  test.each([
    ["The answer is \\boxed{84}.", "84", 1, "correct"],
    ["\\boxed{ 1,234 }", "1234", 1, "correct"],
    ["\\boxed{85}", "84", 0, "wrong value"],
    ["\\boxed{84} \\boxed{85}", "84", 0, "wrong value"],
    ["\\boxed{x = 84}", "84", 0, "malformed answer"],
    ["\\boxed{}", "84", 0, "malformed answer"],
    ["\\boxed{0.5}", "\\frac{1}{2}", 0, "wrong value"],
    ["84", "84", 0, "no boxed answer"],
    ["\\boxed{84", "84", 0, "no boxed answer"],
    [undefined, "84", 0, "no text returned"],
    [84, "84", 0, "no text returned"],
    [["\\boxed{84}"], "84", 0, "no text returned"],
  ])("judges %j against %j as %d, %s", (...[returned, gold, reward, reason]) => {
    expect(judgeAnswer(returned, gold)).toEqual({ reward, reason });
  });

  test("never tells the gold answer", () => {
    for (const returned of ["\\boxed{1}", "nothing", "\\boxed{abc}", null])
      expect(judgeAnswer(returned, "987654").reason).not.toContain("987654");
  });
});

test("claimAnswer names the content of the judged box, and nothing where there is none", () => {
  expect(claimAnswer({ returned: "so \\boxed{ 84 }", sampled: [] })).toEqual(["84"]);
  expect(claimAnswer({ returned: "84", sampled: [] })).toEqual([]);
  expect(claimAnswer({ returned: "\\boxed{}", sampled: [] })).toEqual([]);
  expect(claimAnswer({ returned: { a: 1 }, sampled: [] })).toEqual([]);
});
