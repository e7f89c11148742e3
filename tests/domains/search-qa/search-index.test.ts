import { describe, expect, test } from "vitest";
import { createSearchIndex, fuseRanks, indexTerms } from "../../../domains/search-qa/search-index.ts";
import type { EmbedTexts } from "../../../src/rollout/domain.ts";

const PASSAGES = [
  { title: "Norway", text: "The capital of Norway is Oslo. People speak Norwegian." },
  { title: "Oslo", text: "A city with a fjord." },
  { title: "Sweden", text: "The capital of Sweden is Stockholm, which is larger than Oslo." },
  { title: "Yaoundé", text: "A city in Cameroon." },
];

/** Vectors of two numbers: whether the text is about cold, and whether it is about heat. */
const fakeEmbed: EmbedTexts = (texts) =>
  Promise.resolve(
    texts.map((text) =>
      Float32Array.from(/fjord|freezing/i.test(text) ? [1, 0] : /Cameroon|tropical/i.test(text) ? [0, 1] : [0.6, 0.8]),
    ),
  );

describe("lexical search", () => {
  test("ranks a word in the title above one in the text", async () => {
    const { search, rankings } = await createSearchIndex(PASSAGES);
    expect(rankings).toEqual(["lexical"]);
    expect((await search("Oslo", 3, "lexical"))[0]).toBe(1);
    expect(await search("capital of Sweden", 1, "lexical")).toEqual([2]);
  });

  test("finds accented names without accents, and nothing for words that occur nowhere or everywhere", async () => {
    const { search } = await createSearchIndex(PASSAGES);
    expect(await search("yaounde", 5, "lexical")).toEqual([3]);
    expect(await search("zebra", 5, "lexical")).toEqual([]);
    expect(await search("what is the of", 5, "lexical")).toEqual([]);
  });
});

test("dense search follows the vectors, fused search both rankings", async () => {
  const { search, rankings } = await createSearchIndex(PASSAGES, fakeEmbed);
  expect(rankings).toEqual(["fused", "dense", "lexical"]);
  expect(await search("a tropical place", 1, "dense")).toEqual([3]);
  expect(await search("freezing in Sweden", 1, "lexical")).toEqual([2]);
  expect(await search("freezing in Sweden", 1, "dense")).toEqual([1]);
  expect((await search("freezing in Sweden", 2, "fused")).toSorted()).toEqual([1, 2]);
});

test("dense search tells the embedder which texts ask", async () => {
  const roles: string[] = [];
  const { search } = await createSearchIndex(PASSAGES, (texts, role) => {
    roles.push(`${role} ${String(texts.length)}`);
    return fakeEmbed(texts, role);
  });
  await search("x", 1, "fused");
  expect(roles).toEqual(["passage 4", "query 1"]);
});

test("fuseRanks prefers what two rankings agree on, and the lower number on ties", () => {
  expect(
    fuseRanks([
      [5, 1, 2],
      [3, 1],
    ]),
  ).toEqual([1, 3, 5, 2]);
});

test("indexTerms leaves out case, accents, punctuation and common words", () => {
  expect(indexTerms("What is the Capital of Côte d'Ivoire?")).toEqual(["capital", "cote", "d", "ivoire"]);
});
