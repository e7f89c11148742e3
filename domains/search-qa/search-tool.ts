/**
 * The tool `search(query, { topK, maxTokens, ranking })`: the best passages of the corpus, each cut to `maxTokens` tokens.
 * Defaults are those of Search-R1: three passages of 500 tokens.
 */
import { TaskError } from "../../src/base/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/base/json.ts";
import type { ToolFunction } from "../../src/rollout/domain.ts";
import { cutToTokens } from "./passage.ts";
import { RANKINGS, type Ranking, type SearchIndex } from "./search-index.ts";
import type { SeenPassage } from "./verify.ts";

/** Most passages of one call. */
const MOST_PASSAGES = 50;
/** Longest cut, in tokens. */
const LONGEST_PASSAGE = 4096;
/** Longest query taken, in characters. */
const LONGEST_QUERY = 2000;

const DEFAULT_TOP_K = 3;
const DEFAULT_MAX_TOKENS = 500;
const OPTIONS = ["topK", "maxTokens", "ranking"];

/** Makes the tool for one rollout; `see` is told of every passage that it gives. */
export function createSearchTool(index: SearchIndex, see: (passages: readonly SeenPassage[]) => void): ToolFunction {
  return async (args) => {
    const { query, topK, maxTokens, ranking } = readArguments(args, index);
    const found = await index.search(query, topK, ranking);
    const given = found.flatMap((id) => {
      const passage = index.passages[id];
      if (!passage) return [];
      const { text, isCut } = cutToTokens(passage.text, maxTokens);
      return [{ passage, result: { title: passage.title, text, isCut } }];
    });
    see(
      given.map(({ passage, result }) => ({
        shown: `${result.title}: ${result.text}`,
        whole: `${passage.title}: ${passage.text}`,
      })),
    );
    return given.map(({ result }) => result);
  };
}

type SearchRequest = {
  readonly query: string;
  readonly topK: number;
  readonly maxTokens: number;
  readonly ranking: Ranking;
};

function readArguments(args: readonly JsonValue[], index: SearchIndex): SearchRequest {
  const [query, options = {}, ...more] = args;
  if (typeof query !== "string" || !isJsonObject(options) || more.length > 0)
    throw new TaskError("search: takes a query and options, such as search('Oslo', { topK: 1, maxTokens: 200 })");
  if (query.trim() === "") throw new TaskError("search: the query is empty; give some words");
  if (query.length > LONGEST_QUERY)
    throw new TaskError(`search: a query has at most ${String(LONGEST_QUERY)} characters, got ${String(query.length)}`);
  const unknown = Object.keys(options).find((key) => !OPTIONS.includes(key));
  if (unknown !== undefined) throw new TaskError(`search: unknown option ${unknown}, known are ${OPTIONS.join(", ")}`);
  return {
    query,
    topK: readCount(options, "topK", { most: MOST_PASSAGES, otherwise: DEFAULT_TOP_K }),
    maxTokens: readCount(options, "maxTokens", { most: LONGEST_PASSAGE, otherwise: DEFAULT_MAX_TOKENS }),
    ranking: readRanking(options["ranking"], index),
  };
}

function readCount(
  options: JsonObject,
  name: string,
  range: { readonly most: number; readonly otherwise: number },
): number {
  const value = options[name] ?? range.otherwise;
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= range.most) return value;
  throw new TaskError(
    `search: ${name} must be a whole number from 1 to ${String(range.most)}, got ${JSON.stringify(value)}`,
  );
}

function readRanking(value: JsonValue | undefined, index: SearchIndex): Ranking {
  const ranking = value === undefined ? index.rankings[0] : RANKINGS.find((known) => known === value);
  if (ranking === undefined)
    throw new TaskError(`search: ranking must be one of ${RANKINGS.join(", ")}, got ${JSON.stringify(value)}`);
  if (!index.rankings.includes(ranking))
    throw new TaskError(`search: no ranking ${ranking} without an embedder; set tasks.embedder, or use lexical`);
  return ranking;
}
