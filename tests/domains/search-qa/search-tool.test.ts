import { beforeAll, expect, test } from "vitest";
import { createSearchIndex, type SearchIndex } from "../../../domains/search-qa/search-index.ts";
import { createSearchTool } from "../../../domains/search-qa/search-tool.ts";
import type { SeenPassage } from "../../../domains/search-qa/verify.ts";
import type { JsonValue } from "../../../src/base/json.ts";

let index: SearchIndex;
beforeAll(async () => {
  index = await createSearchIndex([
    { title: "Norway", text: "Norway is a country in Europe. The capital of Norway is Oslo." },
    { title: "Norwegian Krone", text: "The money of Norway." },
  ]);
});

const call = (...args: readonly JsonValue[]): Promise<JsonValue> =>
  Promise.resolve(createSearchTool(index, () => undefined)(args));

test("search gives the best passages, cut, and reports what was shown", async () => {
  const seen: SeenPassage[] = [];
  const search = createSearchTool(index, (passages) => seen.push(...passages));
  expect(await search(["Norway", { topK: 1, maxTokens: 6 }])).toEqual([
    { title: "Norway", text: "Norway is a country in ...", isCut: true },
  ]);
  expect(seen).toEqual([
    {
      shown: "Norway: Norway is a country in ...",
      whole: "Norway: Norway is a country in Europe. The capital of Norway is Oslo.",
    },
  ]);
  expect(await call("Norway")).toHaveLength(2);
  expect(await call("zebra")).toEqual([]);
});

test.each<[JsonValue[], RegExp]>([
  [[], /takes a query and options/],
  [[3], /takes a query and options/],
  [["x", 3], /takes a query and options/],
  [["x", {}, 1], /takes a query and options/],
  [["  "], /the query is empty/],
  [["x".repeat(2001)], /at most 2000 characters, got 2001/],
  [["x", { k: 1 }], /unknown option k, known are topK, maxTokens, ranking/],
  [["x", { topK: 0 }], /topK must be a whole number from 1 to 50, got 0/],
  [["x", { maxTokens: 1.5 }], /maxTokens must be a whole number from 1 to 4096, got 1.5/],
  [["x", { topK: "3" }], /topK must be a whole number .* got "3"/],
  [["x", { ranking: "best" }], /ranking must be one of lexical, dense, fused, got "best"/],
  [["x", { ranking: "dense" }], /no ranking dense without an embedder/],
])("search refuses %j with a line", async (args, message) => {
  await expect(call(...args)).rejects.toThrow(message);
});
