/** Loading real files: every known form, every kind of bad input, and the corpus that is searched. */
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { searchQa } from "../../../domains/search-qa/domain.ts";
import type { JsonValue } from "../../../src/base/json.ts";
import { memoryFile } from "../../../src/rollout/data-file.ts";
import type { DataFile, LoadedTasks, Task } from "../../../src/rollout/domain.ts";
import { createDirectSandbox } from "../../support/direct-sandbox.ts";

const ONLY_TEST = { weight: 0, harness: 0, validation: 0, test: 1000 };
const CONTEXT = { sandbox: createDirectSandbox(), seed: "s" };

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const lines = (...rows: unknown[]): string => rows.map((row) => JSON.stringify(row)).join("\n") + "\n";
const file = (name: string, content: string | Uint8Array): DataFile =>
  memoryFile(name, typeof content === "string" ? encode(content) : content);

const CORPUS = file("corpus.jsonl", lines({ id: "1", title: "Norway", text: "Its capital is Oslo." }));

const load = (content: string | Uint8Array, corpus?: DataFile): Promise<LoadedTasks> =>
  searchQa.load({ seed: 1, sizes: ONLY_TEST, data: file("data.jsonl", content), ...(corpus && { corpus }) });

const golds = (tasks: readonly Task[]): [unknown, unknown][] =>
  tasks.map((task): [unknown, unknown] => [task.view["question"], (task.gold as { answers: unknown }).answers]).sort();

async function search({ domain, tasks }: LoadedTasks, query: string): Promise<JsonValue> {
  const [task] = tasks.test;
  return task ? await (domain.open(task, CONTEXT).tools["search"]?.([query]) ?? null) : null;
}

describe("load reads", () => {
  test.each<[string, object, string[]]>([
    [
      "Search-R1 and FlashRAG",
      { id: "0", question: "Q", golden_answers: ["Oslo", "Kristiania"] },
      ["Oslo", "Kristiania"],
    ],
    ["NQ-open", { question: "Q", answer: ["one", "one season", "one"] }, ["one", "one season"]],
    ["one text as answer", { question: "Q", answer: "yes" }, ["yes"]],
    [
      "PopQA",
      { id: 1, question: "Q", possible_answers: '["politician", "pol"]', obj: "politician" },
      ["politician", "pol"],
    ],
    ["numbers as answers", { question: "Q", golden_answers: [1999] }, ["1999"]],
  ])("rows of %s", async (...[, row, answers]) => {
    const loaded = await load(lines(row), CORPUS);
    expect(golds(loaded.tasks.test)).toEqual([["Q", answers]]);
    expect(loaded.tasks.test[0]?.source).toBe("data.jsonl:1");
    expect(loaded.skipped).toEqual([]);
  });

  const hotpot = {
    _id: "x",
    question: "Where is the capital of Norway?",
    answer: "Oslo",
    supporting_facts: [["Norway", 0]],
    context: [
      ["Norway", ["Norway is cold.", " Its capital is Oslo."]],
      ["Sweden", ["Sweden is cold too."]],
    ],
  };

  test.each<[string, string]>([
    ["JSON Lines", lines(hotpot, { ...hotpot, _id: "y", question: "Other?" })],
    ["a JSON array", JSON.stringify([hotpot, { ...hotpot, _id: "y", question: "Other?" }], undefined, 1)],
    [
      "columns of titles and sentences",
      lines({ ...hotpot, context: { title: ["Norway"], sentences: [["Norway is cold.", "Its capital is Oslo."]] } }),
    ],
  ])("HotpotQA as %s, with its paragraphs as corpus", async (_, content) => {
    const loaded = await load(content);
    expect(loaded.tasks.test[0]?.gold).toEqual({ answers: ["Oslo"], corpus: "corpus" });
    expect(await search(loaded, "capital Norway")).toMatchObject([
      { title: "Norway", text: "Norway is cold. Its capital is Oslo.", isCut: false },
    ]);
  });

  test("MuSiQue with aliases and paragraphs, without what cannot be answered", async () => {
    const row = {
      id: "2hop__1",
      question: "Q",
      answer: "Oslo",
      answer_aliases: ["Kristiania"],
      answerable: true,
      paragraphs: [{ idx: 0, title: "Norway", paragraph_text: "Capital: Oslo.", is_supporting: true }],
    };
    const loaded = await load(lines(row, { ...row, question: "R", answerable: false }));
    expect(golds(loaded.tasks.test)).toEqual([["Q", ["Oslo", "Kristiania"]]]);
    expect(loaded.skipped).toEqual([
      { reason: "marked as not answerable: it has no right answer", count: 1, first: "row 2" },
    ]);
    expect(await search(loaded, "oslo")).toMatchObject([{ title: "Norway" }]);
  });

  test("Search-R1's corpus with title and text in contents, gzipped", async () => {
    const corpus = lines({ id: "0", contents: '"Norway"\nIts capital is Oslo.' }, { id: "1", contents: "No title" });
    const loaded = await load(
      lines({ question: "Q", answer: "A" }),
      file("c.jsonl.gz", new Uint8Array(gzipSync(corpus))),
    );
    expect(await search(loaded, "norway")).toEqual([{ title: "Norway", text: "Its capital is Oslo.", isCut: false }]);
    expect(await search(loaded, "title")).toEqual([{ title: "", text: "No title", isCut: false }]);
  });

  test("a named corpus rather than the questions' own paragraphs", async () => {
    const loaded = await load(lines(hotpot), CORPUS);
    expect(await search(loaded, "cold")).toEqual([]);
  });
});

describe("load counts and names", () => {
  test.each<[string, object, string]>([
    [
      "a question without answers",
      { question: "Q2", golden_answers: [] },
      'no answer in "golden_answers" (Search-R1 or FlashRAG): fill it or remove the row',
    ],
    [
      "blank answers",
      { question: "Q2", golden_answers: [" "] },
      'no answer in "golden_answers" (Search-R1 or FlashRAG): fill it or remove the row',
    ],
    [
      "a row without question",
      { question: " ", golden_answers: ["a"] },
      'no question in "question": fill it or remove the row',
    ],
    ["a repeated row", { question: "Q", golden_answers: ["a"] }, "repeats an earlier row"],
  ])("%s", async (...[, row, reason]) => {
    const { tasks, skipped } = await load(lines({ question: "Q", golden_answers: ["a"] }, row), CORPUS);
    expect(tasks.test).toHaveLength(1);
    expect(skipped).toEqual([{ reason, count: 1, first: "row 2" }]);
  });

  test("lines that are not UTF-8, and lines that are not JSON", async () => {
    const bytes = [...encode(lines({ question: "Q", answer: "a" })), 0xff, 0xfe, 0x0a, ...encode("{oops\n")];
    const { skipped } = await load(Uint8Array.from(bytes), CORPUS);
    expect(skipped.map(({ reason, first }) => `${reason} ${first}`)).toEqual([
      "not UTF-8 text: save the file as UTF-8 row 2",
      "not a JSON object: mend or remove the line row 3",
    ]);
  });

  test("rows of a corpus that repeat an id or have no text", async () => {
    const rows = [
      { id: "1", title: "A", text: "first" },
      { id: "1", title: "B", text: "second" },
      { id: "2", title: "C", text: "" },
      { id: "3", title: "D" },
    ];
    const loaded = await load(lines({ question: "Q", answer: "a" }), file("corpus.jsonl", lines(...rows)));
    expect(loaded.skipped).toEqual([
      {
        reason: "corpus corpus.jsonl: repeats the id of an earlier passage: give each its own",
        count: 1,
        first: "row 2",
      },
      { reason: "corpus corpus.jsonl: no text: fill it or remove the row", count: 2, first: "row 3" },
    ]);
    expect(await search(loaded, "second")).toEqual([]);
  });
});

describe("load refuses", () => {
  test.each<[string, string, DataFile | undefined, RegExp]>([
    [
      "questions without anything to search",
      lines({ question: "Q", answer: "a" }),
      undefined,
      /bring no passages; pass --corpus FILE/,
    ],
    [
      "unknown columns",
      lines({ text: "Q", label: 1 }),
      CORPUS,
      /expected the columns question and golden_answers, or .*; found text, label/,
    ],
    [
      "paragraphs without text",
      lines({ question: "Q", answer: "a", context: [["T", []]] }),
      undefined,
      /0 usable rows .*no passage with text/,
    ],
    ["a file with no JSON", "hello\n", CORPUS, /no row is a JSON object/],
    ["an empty file", "", CORPUS, /data\.jsonl: the file is empty/],
    [
      "a corpus without text",
      lines({ question: "Q", answer: "a" }),
      file("c.jsonl", lines({ id: "1", text: " " })),
      /c\.jsonl: no passage with text/,
    ],
    [
      "a corpus with other columns",
      lines({ question: "Q", answer: "a" }),
      file("c.jsonl", lines({ id: "1", body: "x" })),
      /expected a corpus with the columns id, title and text, or id and contents; found id, body/,
    ],
    [
      "a damaged corpus",
      lines({ question: "Q", answer: "a" }),
      file("c.gz", Uint8Array.from([0x1f, 0x8b, 8, 0, 1, 2, 3, 4])),
      /c\.gz: damaged gzip/,
    ],
  ])("%s", async (...[, content, corpus, message]) => {
    await expect(load(content, corpus)).rejects.toThrow(message);
  });
});

test("a task that was read without its corpus can be judged, and its search says what to do", async () => {
  for await (const { task } of searchQa.read(file("d.jsonl", lines({ question: "Q", answer: "a" })))) {
    if (!task) throw new TypeError("a row was left out");
    expect(await searchQa.playAnswer(task, "gold", CONTEXT)).toEqual({ reward: 1, reason: "correct" });
    const search = Promise.resolve(searchQa.open(task, CONTEXT).tools["search"]?.(["x"]));
    await expect(search).rejects.toThrow(/no corpus was loaded; pass --corpus FILE/);
  }
});
