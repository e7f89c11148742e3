/** Loading real files: every known form, and every kind of bad input. */
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { mathReasoning } from "../../../domains/math-reasoning/domain.ts";
import { TaskError } from "../../../src/base/errors.ts";
import { memoryFile } from "../../../src/rollout/data-file.ts";
import { SPLITS, type LoadedTasks, type Task } from "../../../src/rollout/domain.ts";

const SIZES = { weight: 100, harness: 10, validation: 10, test: 10 };
const ONLY_TEST = { weight: 0, harness: 0, validation: 0, test: 1000 };

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

const load = (content: string | Uint8Array, sizes = ONLY_TEST): Promise<LoadedTasks> =>
  mathReasoning.load({
    seed: 1,
    sizes,
    data: memoryFile("data.jsonl", typeof content === "string" ? encode(content) : content),
  });

const lines = (...rows: unknown[]): string => rows.map((row) => JSON.stringify(row)).join("\n") + "\n";

const solved = (tasks: readonly Task[]): [unknown, unknown][] =>
  tasks.map((task): [unknown, unknown] => [task.view["question"], task.gold]).sort();

describe("load reads", () => {
  test("GSM8K rows, whose answer stands after #### and may have thousands commas", async () => {
    const { tasks, skipped } = await load(
      lines({ question: "A?", answer: "work <<1+1=2>>\n#### 2,125" }, { question: "B?", answer: "#### -3" }),
    );
    expect(solved(tasks.test)).toEqual([
      ["A?", { answer: "2125" }],
      ["B?", { answer: "-3" }],
    ]);
    expect(skipped).toEqual([]);
  });

  test("rows with problem and answer, the answer a text or a number", async () => {
    const { tasks } = await load(
      lines({ problem: "P", answer: "\\frac{1}{2}", unique_id: "u" }, { id: "I-1", problem: "Q", answer: 33 }),
    );
    expect(solved(tasks.test)).toEqual([
      ["P", { answer: "\\frac{1}{2}" }],
      ["Q", { answer: "33" }],
    ]);
    expect(tasks.test.map((task) => task.source).sort()).toEqual(["data.jsonl:1", "data.jsonl:2"]);
  });

  test("DAPO rows, without the wrapper of the official set", async () => {
    const wrapped =
      'Solve the following math problem step by step. The last line of your response should be of the form Answer: $Answer (without quotes) where $Answer is the answer to the problem.\n\nHow many?\n\nRemember to put your answer on its own line after "Answer:".';
    const { tasks } = await load(
      lines({ prompt: [{ role: "user", content: wrapped }], reward_model: { ground_truth: "34", style: "rule" } }),
    );
    expect(solved(tasks.test)).toEqual([["How many?", { answer: "34" }]]);
  });

  test("gzipped files, carriage returns and empty lines", async () => {
    const text = '{"problem":"P","answer":"1"}\r\n\r\n{"problem":"Q","answer":"2"}';
    const { tasks } = await load(new Uint8Array(gzipSync(text)));
    expect(solved(tasks.test)).toHaveLength(2);
    expect(tasks.test.map((task) => task.source).sort()).toEqual(["data.jsonl:1", "data.jsonl:3"]);
  });
});

describe("load counts and skips", () => {
  test("broken lines and rows without question or answer, each with the first row's number", async () => {
    const { tasks, skipped } = await load(
      lines({ problem: "P", answer: "1" }, { problem: "Q" }, { problem: "R", answer: " " }, { answer: "1" }, 7) +
        '{"problem": "cut of',
    );
    expect(tasks.test).toHaveLength(1);
    expect(skipped).toEqual([
      { reason: expect.stringContaining('no answer in "answer"') as string, count: 2, first: "row 2" },
      { reason: expect.stringContaining('no question in "problem"') as string, count: 1, first: "row 4" },
      { reason: expect.stringContaining("not a JSON object") as string, count: 2, first: "row 5" },
    ]);
  });

  test("GSM8K rows without ####", async () => {
    const { skipped } = await load(lines({ question: "A?", answer: "#### 2" }, { question: "B?", answer: "It is 3" }));
    expect(skipped).toEqual([{ reason: expect.stringContaining("GSM8K") as string, count: 1, first: "row 2" }]);
  });

  test("exact repeats once, and questions whose repeats disagree altogether", async () => {
    const { tasks, skipped } = await load(
      lines(
        { problem: "P", answer: "1" },
        { problem: "P", answer: "1" },
        { problem: "Q", answer: "1" },
        { problem: "Q", answer: "2" },
      ),
    );
    expect(solved(tasks.test)).toEqual([["P", { answer: "1" }]]);
    expect(skipped.map(({ count, first }) => [count, first])).toEqual([
      [1, "row 2"],
      [2, "row 3"],
    ]);
  });
});

describe("load refuses", () => {
  test.each([
    ["an empty file", "", /is empty/],
    ["a file of empty lines", "\n \n", /no rows/],
    ["text that is not JSON", "question,answer\n1,2\n", /no line is a JSON object/],
    [
      "unknown columns",
      lines({ input: "a", output: "b" }),
      /expected the columns .*problem \+ answer.*found input, output/,
    ],
    ["bytes that are not text", new Uint8Array([0xff, 0xfe, 0x00, 0x80]), /no line is a JSON object.*not UTF-8/],
    ["a truncated gzip file", new Uint8Array(gzipSync("x".repeat(1000))).subarray(0, 15), /damaged gzip/],
    ["a damaged Parquet file", encode("PAR1 and then nothing of use"), /damaged Parquet/],
    ["rows of which none has an answer", lines({ problem: "P", answer: "" }), /0 usable rows.*no answer.*row 1/],
  ])("%s, with one line that names the file", async (_name, content, message) => {
    const failure = load(content);
    await expect(failure).rejects.toThrow(TaskError);
    await expect(failure).rejects.toThrow(message);
    await expect(failure).rejects.toThrow(/^data\.jsonl: [^\n]*$/);
  });

  test("fewer rows than splits", async () => {
    const rows = lines({ problem: "P", answer: "1" }, { problem: "Q", answer: "2" }, { problem: "R", answer: "3" });
    await expect(load(rows, SIZES)).rejects.toThrow(/3 usable rows cannot fill 4 splits/);
  });
});

test("load divides a file into disjoint splits, none of them empty", async () => {
  const rows = Array.from({ length: 60 }, (_, i) => ({ problem: `P${String(i)}`, answer: String(i) }));
  const { tasks } = await load(lines(...rows), SIZES);
  expect(SPLITS.map((split) => tasks[split].length)).toEqual([46, 5, 4, 5]);
  expect(new Set(SPLITS.flatMap((split) => tasks[split].map((task) => task.id))).size).toBe(60);
});
