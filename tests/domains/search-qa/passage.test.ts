import { expect, test } from "vitest";
import { countTokens, cutToTokens } from "../../../domains/search-qa/passage.ts";

test.each([
  ["", 0],
  ["Oslo", 1],
  ["Ouagadougou", 2],
  ["It has 12345 people.", 6],
  ["été, 10 %", 4],
])("countTokens of %j is %i", (text, count) => {
  expect(countTokens(text)).toBe(count);
});

test("cutToTokens keeps whole words and says whether it cut", () => {
  const text = "Oslo is the capital of Norway.";
  expect(cutToTokens(text, 8)).toEqual({ text, isCut: false });
  expect(cutToTokens(text, 6)).toEqual({ text: "Oslo is the capital of ...", isCut: true });
  expect(cutToTokens(text, 3)).toEqual({ text: "Oslo is the ...", isCut: true });
  expect(cutToTokens("Ouagadougou", 1)).toEqual({ text: " ...", isCut: true });
});

test("cutToTokens keeps the spacing inside of what it keeps", () => {
  expect(cutToTokens("a  b\nc d", 3).text).toBe("a  b\nc ...");
});
