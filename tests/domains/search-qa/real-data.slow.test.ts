/** Real files: every question file loads, its gold answers win and corrupted ones lose; a corpus of 10,000 is searched. */
import { describe, expect, test } from "vitest";
import { readCorpus } from "../../../domains/search-qa/corpus.ts";
import { searchQa } from "../../../domains/search-qa/domain.ts";
import { createSearchIndex } from "../../../domains/search-qa/search-index.ts";
import { openDataFile } from "../../../src/cli/files.ts";
import { createDirectSandbox } from "../../support/direct-sandbox.ts";
import { hasSharedData, sharedData } from "../../support/shared-data.ts";

const CONTEXT = { sandbox: createDirectSandbox(), seed: "s" };

describe.each([
  ["nq_open_dev.jsonl", 3610],
  ["nq_sample_1000.jsonl", 1000],
  ["triviaqa_sample_1000.jsonl", 1000],
  ["popqa_sample_1000.jsonl", 1000],
  ["bamboogle_125.jsonl", 125],
  ["hotpotqa_dev_qa_7405.jsonl", 7405],
  ["musique_dev_qa_2417.jsonl", 2417],
  ["2wiki_dev_subset_in_corpus.jsonl", 1112],
  ["hotpotqa_train100_with_paragraphs.jsonl", 100],
  ["rollouts_search_r1_bamboogle_instruct.jsonl", 125],
])("%s", (name, rows) => {
  test.skipIf(!hasSharedData(`search/${name}`))(
    "is read whole, gold accepted and corrupted refused on each row",
    async () => {
      let read = 0;
      const bad: string[] = [];
      for await (const { task, skip, number } of searchQa.read(await openDataFile(sharedData(`search/${name}`)))) {
        read += 1;
        if (!task) {
          bad.push(`row ${String(number)}: ${skip}`);
          continue;
        }
        const gold = await searchQa.playAnswer(task, "gold", CONTEXT);
        const corrupted = await searchQa.playAnswer(task, "corrupted", CONTEXT);
        if (gold.reward !== 1 || corrupted.reward !== 0) bad.push(`row ${String(number)}: judged wrongly`);
        const { answers } = task.gold as { answers: readonly string[] };
        for (const answer of answers)
          if (searchQa.open(task, CONTEXT).judge({ returned: `<answer>${answer}</answer>`, sampled: [] }).reward !== 1)
            bad.push(`row ${String(number)}: alias ${answer} refused`);
      }
      expect(bad).toEqual([]);
      expect(read).toBe(rows);
    },
  );
});

test.skipIf(!hasSharedData("search/hotpotqa_train100_with_paragraphs.jsonl"))(
  "HotpotQA's own paragraphs become a corpus in which its questions find a supporting passage",
  async () => {
    const data = await openDataFile(sharedData("search/hotpotqa_train100_with_paragraphs.jsonl"));
    const { tasks, domain } = await searchQa.load({
      seed: 1,
      sizes: { weight: 0, harness: 0, validation: 0, test: 100 },
      data,
    });
    let found = 0;
    for (const task of tasks.test) {
      const episode = domain.open(task, CONTEXT);
      const passages = await episode.tools["search"]?.([task.view["question"] ?? "", { topK: 5 }]);
      expect(Array.isArray(passages) && passages.length).toBe(5);
      if (episode.judge({ returned: "x", sampled: [] }).reason === "wrong, answer in view") found += 1;
    }
    expect(tasks.test).toHaveLength(100);
    // Lexical ranking finds most first hops; an index that ranks at random would find next to none of 994 titles.
    expect(found).toBeGreaterThan(40);
  },
);

test.skipIf(!hasSharedData("search/corpus_wiki18_mini.jsonl.gz"))(
  "9,569 passages of Wikipedia are indexed, and each is found by words of its own",
  async () => {
    const { passages, skipped } = await readCorpus(
      await openDataFile(sharedData("search/corpus_wiki18_mini.jsonl.gz")),
    );
    expect([passages.length, skipped]).toEqual([9569, []]);
    const index = await createSearchIndex(passages);
    let found = 0;
    const asked = passages.slice(0, 200);
    for (const [at, { text }] of asked.entries()) {
      const hits = await index.search(text.split(" ").slice(20, 40).join(" "), 3, "lexical");
      if (hits.includes(at)) found += 1;
    }
    // The rest are passages whose words stand in another one too.
    expect(found / asked.length).toBeGreaterThan(0.9);
  },
);
