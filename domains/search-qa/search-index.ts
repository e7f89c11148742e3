/**
 * An in-process index over passages: BM25 over titles and texts (MiniSearch), dense vectors where an embedder is given, and
 * reciprocal-rank fusion of the two (Cormack, Clarke and Buettcher, SIGIR 2009).
 */
import MiniSearch from "minisearch";
import type { EmbedTexts } from "../../src/rollout/domain.ts";
import type { Passage } from "./passage.ts";

/** How passages are ranked: by words, by vectors, or by both. */
export const RANKINGS = ["lexical", "dense", "fused"] as const;
/** One of `RANKINGS`. */
export type Ranking = (typeof RANKINGS)[number];

/** An index, which never changes. */
export type SearchIndex = {
  readonly passages: readonly Passage[];
  /** The rankings that it can give; the first is the default. */
  readonly rankings: readonly Ranking[];
  /** Numbers of the best `count` passages, best first; fewer where fewer match. */
  readonly search: (query: string, count: number, ranking: Ranking) => Promise<readonly number[]>;
};

/** Weight of a word in the title against one in the text. */
const TITLE_BOOST = 2;
/** Constant k of reciprocal-rank fusion. */
const FUSION_CONSTANT = 60;
/** How deep fusion looks into each ranking. */
const FUSION_DEPTH = 100;
/** Passages embedded at once. */
const EMBED_BATCH = 64;

/** Words too common to tell passages apart; without them a long question is answered several times faster. */
const STOP_WORDS = new Set(
  (
    "a an and are as at be by did do does for from had has have he her his how in is it its of on or she that the their " +
    "them they this to was were what when where which who whom whose why will with you"
  ).split(" "),
);

/** Indexes `passages`; with `embed` their vectors too. */
export async function createSearchIndex(passages: readonly Passage[], embed?: EmbedTexts): Promise<SearchIndex> {
  const lexical = createLexical(passages);
  if (!embed)
    return { passages, rankings: ["lexical"], search: (query, count) => Promise.resolve(lexical(query, count)) };
  const dense = await createDense(passages, embed);
  const search: SearchIndex["search"] = async (query, count, ranking) => {
    if (ranking === "lexical") return lexical(query, count);
    if (ranking === "dense") return dense(query, count);
    return fuseRanks([lexical(query, FUSION_DEPTH), await dense(query, FUSION_DEPTH)]).slice(0, count);
  };
  return { passages, rankings: ["fused", "dense", "lexical"], search };
}

/** Reciprocal-rank fusion: the numbers in `rankings` by the sum of 1 / (60 + rank), ties by the lower number. */
export function fuseRanks(rankings: readonly (readonly number[])[]): number[] {
  const scores = new Map<number, number>();
  for (const ranking of rankings)
    for (const [rank, id] of ranking.entries())
      scores.set(id, (scores.get(id) ?? 0) + 1 / (FUSION_CONSTANT + rank + 1));
  return [...scores].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([id]) => id);
}

/** The words of `text` as the index knows them: lower case, without accents and common words. */
export function indexTerms(text: string): string[] {
  return splitWords(text).filter((word) => !STOP_WORDS.has(word));
}

/** The words of `text`, in lower case and without accents. */
export function splitWords(text: string): string[] {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}

function createLexical(passages: readonly Passage[]): (query: string, count: number) => number[] {
  const index = new MiniSearch<Passage & { id: number }>({
    fields: ["title", "text"],
    tokenize: indexTerms,
    processTerm: (term) => term,
    searchOptions: { boost: { title: TITLE_BOOST } },
  });
  index.addAll(passages.map(({ title, text }, id) => ({ id, title, text })));
  return (query, count) =>
    index
      .search(query)
      .slice(0, count)
      .map((found) => found.id as number);
}

async function createDense(
  passages: readonly Passage[],
  embed: EmbedTexts,
): Promise<(query: string, count: number) => Promise<number[]>> {
  const vectors: Float32Array[] = [];
  for (let start = 0; start < passages.length; start += EMBED_BATCH) {
    const batch = passages.slice(start, start + EMBED_BATCH).map(({ title, text }) => `${title}\n${text}`);
    vectors.push(...(await embed(batch, "passage")));
  }
  return async (query, count) => {
    const [wanted] = await embed([query], "query");
    if (!wanted) return [];
    const scored = vectors.map((vector, id) => ({ id, score: dot(vector, wanted) }));
    return scored
      .sort((a, b) => b.score - a.score || a.id - b.id)
      .slice(0, count)
      .map(({ id }) => id);
  };
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
}
