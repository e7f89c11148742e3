/** The index of real passages: what building it costs, and a question. */
import { existsSync } from "node:fs";
import { readCorpus } from "../domains/search-qa/corpus.ts";
import { createSearchIndex } from "../domains/search-qa/search-index.ts";
import { openDataFile } from "../src/cli/files.ts";
import type { Figure } from "./main.ts";
import { fastestOf } from "./timing.ts";

const CORPUS = "../shared/data/search/corpus_wiki18_mini.jsonl.gz";
const QUESTIONS = 200;

/** Seconds to index the corpus, and milliseconds a lexical search of three passages. */
export async function benchSearching(): Promise<readonly Figure[]> {
  if (!existsSync(CORPUS)) {
    console.error(`bench: searching is skipped, there is no ${CORPUS}`);
    return [];
  }
  const { passages } = await readCorpus(await openDataFile(CORPUS));
  const index = await createSearchIndex(passages);
  const questions = passages
    .slice(0, QUESTIONS)
    .map(({ text }) => `who was ${text.split(" ").slice(20, 28).join(" ")}`);
  const ask = async (): Promise<void> => {
    for (const question of questions) await index.search(question, 3, "lexical");
  };
  const { build, all } = await fastestOf({ build: () => createSearchIndex(passages), all: ask }, 3);
  const bench = "searching";
  return [
    { bench, figure: `index of ${String(passages.length)} passages`, value: build, unit: "s", limit: "<= 5" },
    { bench, figure: "lexical search", value: (all * 1000) / questions.length, unit: "ms", limit: "<= 5" },
  ];
}
