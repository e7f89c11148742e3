/**
 * Recall of answers in the first three passages on recorded wiki-18 queries: the in-process index over the mini corpus beside
 * what E5 gave over all 21 M passages.
 *
 *   npx tsx scripts/recall.ts [../shared/data/search]
 *
 * A question counts as recalled when one of its retrieved passages holds a golden answer. The mini corpus is made of what E5
 * retrieved, so it misses passages that a lexical index over everything might have found, and lacks most distractors too.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readCorpus } from "../domains/search-qa/corpus.ts";
import { createSearchIndex } from "../domains/search-qa/search-index.ts";
import { openDataFile } from "../src/cli/files.ts";

const TOP = 3;

type Recorded = {
  readonly dataset: string;
  readonly id: string;
  readonly calls: readonly { readonly query: string; readonly ids: readonly string[] }[];
  readonly answer_ids: readonly string[];
};
type Counts = { questions: number; dense: number; lexical: number; byQuestion: number; either: number };

const folder = process.argv[2] ?? "../shared/data/search";
const rowsOf = <Row>(name: string): Row[] =>
  readFileSync(join(folder, name), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);

const { passages } = await readCorpus(await openDataFile(join(folder, "corpus_wiki18_mini.jsonl.gz")));
const before = process.cpuUsage();
const started = performance.now();
const index = await createSearchIndex(passages);
const indexed = performance.now() - started;
const used = process.cpuUsage(before);
// The time of the processor is what remains comparable on a busy machine.
const processor = (used.user + used.system) / 1e6;

type Question = { readonly id: string; readonly question: string; readonly golden_answers: readonly string[] };
const files = {
  nq: "nq_sample_1000",
  triviaqa: "triviaqa_sample_1000",
  popqa: "popqa_sample_1000",
  bamboogle: "bamboogle_125",
};
const questions = new Map(
  Object.entries(files).flatMap(([dataset, file]) =>
    rowsOf<Question>(`${file}.jsonl`).map((row) => [`${dataset}/${row.id}`, row] as const),
  ),
);

/** The answer test of open-domain retrieval (DPR): the answer's words in a row within the passage. */
const words = (text: string): string =>
  ` ${(
    text
      .normalize("NFKD")
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).join(" ")} `;
const texts = passages.map(({ title, text }) => words(`${title} ${text}`));
const holds = (id: number, answers: readonly string[]): boolean =>
  answers.some((answer) => words(answer).trim() !== "" && (texts[id] ?? "").includes(words(answer)));

const counts = new Map<string, Counts>();
const times: number[] = [];
const search = async (query: string): Promise<readonly number[]> => {
  const from = performance.now();
  const found = await index.search(query, TOP, "lexical");
  times.push(performance.now() - from);
  return found;
};
for (const { dataset, id, calls } of rowsOf<Recorded>("wiki18_mini_e5_top3.jsonl")) {
  const row = questions.get(`${dataset}/${id}`);
  if (!row || calls.length === 0) continue;
  const count = counts.get(dataset) ?? { questions: 0, dense: 0, lexical: 0, byQuestion: 0, either: 0 };
  counts.set(dataset, count);
  const lexical = (await Promise.all(calls.map(({ query }) => search(query)))).flat();
  const dense = calls.flatMap(({ ids }) => ids.map(Number));
  const byQuestion = await search(row.question);
  const is = (found: readonly number[]): number => (found.some((at) => holds(at, row.golden_answers)) ? 1 : 0);
  count.questions += 1;
  count.dense += is(dense);
  count.lexical += is(lexical);
  count.byQuestion += is(byQuestion);
  count.either += is([...dense, ...lexical]);
}

times.sort((a, b) => a - b);
const at = (share: number): string => (times[Math.floor(share * times.length)] ?? 0).toFixed(2);
console.log(
  `${String(passages.length)} passages indexed in ${(indexed / 1000).toFixed(2)} s (${processor.toFixed(2)} s of processor time); a query takes ${at(0.5)} ms (median), ${at(0.95)} ms (95 %)`,
);
console.log(`answer in the first ${String(TOP)} passages, by dataset (questions with a recorded query):`);
const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`;
for (const [dataset, { questions: n, dense, lexical, byQuestion, either }] of counts)
  console.log(
    `${dataset.padEnd(10)} ${String(n).padStart(5)}  recorded E5 ${percent(dense, n)}  lexical, same queries ${percent(lexical, n)}  lexical, question as query ${percent(byQuestion, n)}  either ${percent(either, n)}`,
  );
