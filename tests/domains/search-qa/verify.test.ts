import { describe, expect, test } from "vitest";
import {
  claimAnswer,
  judgeAnswer,
  mentionsAnswer,
  normalizeAnswer,
  readAnswer,
} from "../../../domains/search-qa/verify.ts";

// Cases of the official SQuAD evaluation script: lower, punctuation out, articles out, white space joined.
test.each([
  ["The Eiffel Tower", "eiffel tower"],
  ["  An   apple,\na day ", "apple day"],
  ["U.S.A.", "usa"],
  ["theatre", "theatre"],
  ["Jean-Luc O'Neil", "jeanluc oneil"],
  ["$1,000.50", "100050"],
])("normalizeAnswer of %j is %j", (text, normal) => {
  expect(normalizeAnswer(text)).toBe(normal);
});

test.each([
  ["<answer>Oslo</answer>", "Oslo"],
  ["<answer>Rome</answer> no, <answer> Oslo </answer>.", "Oslo"],
  ["so <answer>Oslo", "Oslo"],
  ["Oslo", "Oslo"],
  ["", ""],
])("readAnswer of %j is %j", (text, answer) => {
  expect(readAnswer(text)).toBe(answer);
});

describe("judgeAnswer", () => {
  const seen = [{ shown: "Norway: Its capital ...", whole: "Norway: Its capital is Oslo." }];

  test.each([
    ["<answer>the OSLO.</answer>", "correct"],
    ["Kristiania", "correct"],
    ["<answer>Oslo</answer> or <answer>Bergen</answer>", "wrong, answer in a retrieved passage but cut off"],
    ["Oslo or Bergen", "wrong, answer in a retrieved passage but cut off"],
    ["<answer></answer>", "no answer"],
    ["the", "no answer"],
    ["<search>Norway</search>", "answer malformed"],
    [null, "no text returned"],
    [undefined, "no text returned"],
  ])("of %j says %j", (returned, reason) => {
    const verdict = judgeAnswer(returned, ["Oslo", "Kristiania"], seen);
    expect(verdict).toEqual({ reward: reason === "correct" ? 1 : 0, reason });
  });

  test("tells nothing searched, not found, cut off and in view apart, and never says the answer", () => {
    const reasonAfter = (shown: string, whole: string): string =>
      judgeAnswer("Bergen", ["Oslo"], [{ shown, whole }]).reason;
    const reasons = [
      judgeAnswer("Bergen", ["Oslo"], undefined).reason,
      judgeAnswer("Bergen", ["Oslo"], []).reason,
      reasonAfter("Norway: cold", "Norway: cold"),
      reasonAfter("Norway: cold ...", "Norway: cold, capital Oslo."),
      reasonAfter("Oslo: a city", "Oslo: a city"),
    ];
    expect(reasons).toEqual([
      "wrong, nothing was searched",
      "wrong, answer not in a retrieved passage",
      "wrong, answer not in a retrieved passage",
      "wrong, answer in a retrieved passage but cut off",
      "wrong, answer in view",
    ]);
    expect(reasons.join()).not.toContain("Oslo");
  });
});

test("mentionsAnswer looks for whole words", () => {
  expect(mentionsAnswer("Its number is 87.", ["87"])).toBe(true);
  expect(mentionsAnswer("Its number is 1987.", ["87"])).toBe(false);
  expect(mentionsAnswer("anything", ["..."])).toBe(false);
});

test("claimAnswer claims what is judged", () => {
  expect(claimAnswer({ returned: "x <answer>Oslo</answer>", sampled: [] })).toEqual(["Oslo"]);
  expect(claimAnswer({ returned: "", sampled: [] })).toEqual([]);
  expect(claimAnswer({ returned: 3, sampled: [] })).toEqual([]);
});
