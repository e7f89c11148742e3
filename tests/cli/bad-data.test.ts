/** Data files with every kind of fault, given to the command line: one clear line that names the file, the row and the way out. */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCommandLine } from "../../src/cli/dispatch.ts";
import { fakeTerminal } from "../support/fake-terminal.ts";

const lines = (...rows: readonly object[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

const MATH = range(40).map((i) => ({ id: String(i), problem: `What is ${String(i)} + 1?`, answer: String(i + 1) }));
const QUESTIONS = range(40).map((i) => ({
  question: `Who made ${String(i)}?`,
  golden_answers: [`Maker ${String(i)}`],
}));
const PASSAGES = range(40).map((i) => ({ id: String(i), title: String(i), text: `Maker ${String(i)} made it.` }));
const FEN = "7k/5ppp/8/8/8/8/8/R6K b - - 3 20";
const PUZZLES = `PuzzleId,FEN,Moves\n${range(6)
  .map((i) => `${String(i)},${FEN},h8g8 a1a8`)
  .join("\n")}\n`;
const GZIP = gzipSync(lines(...MATH));
const LATIN1 = Buffer.concat([
  Buffer.from(lines(...MATH)),
  Buffer.from('{"problem":"größe","answer":"1"}\n', "latin1"),
]);

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "spyhop-bad-"));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function spyhop(...argv: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  const terminal = fakeTerminal();
  const status = await runCommandLine(argv, terminal);
  return { status, stdout: terminal.stdout(), stderr: terminal.stderr() };
}

function save(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function check(domain: string, path: string, ...options: string[]): ReturnType<typeof spyhop> {
  return spyhop("data", "check", path, "--domain", domain, "--preset", "smoke", ...options);
}

describe("data check and run refuse", () => {
  test.each([
    ["math-reasoning", "empty", "", /empty/],
    ["math-reasoning", "blank", "\n\n", /no rows/],
    ["math-reasoning", "cut gzip", GZIP.subarray(0, 60), /damaged gzip, .*fetch the file again/],
    ["math-reasoning", "flipped gzip", GZIP.fill(0, 60, 70), /damaged gzip, .*fetch the file again/],
    [
      "math-reasoning",
      "cut Zstandard",
      new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0x20, 8]),
      /damaged Zstandard, .*fetch/,
    ],
    ["math-reasoning", "no Parquet", "PAR1 and nothing more", /damaged Parquet, .*fetch it again/],
    ["math-reasoning", "columns", lines({ q: "a", a: "b" }), /expected the columns .*found q, a/],
    ["math-reasoning", "text", "hello\n", /no line is a JSON object .*give JSON Lines/],
    ["math-reasoning", "open array", '[{"problem":"a"}', /begins as a JSON array but is not one, .*give JSON Lines/],
    [
      "math-reasoning",
      "no answers",
      lines(...MATH.map((row) => ({ ...row, answer: "" }))),
      /40 left out, no answer .*row 1/,
    ],
    [
      "math-reasoning",
      "three rows",
      lines(...MATH.slice(0, 3)),
      /3 usable rows cannot fill 4 splits; give at least 4 rows/,
    ],
    ["search-qa", "columns", lines({ q: "a" }), /expected the columns question and golden_answers.*found q/],
    ["search-qa", "no corpus", lines(...QUESTIONS), /pass --corpus FILE/],
    ["chess-puzzles", "columns", "a,b\n1,2\n", /expected a header with the columns FEN and Moves.*found a, b/],
    ["chess-puzzles", "illegal", PUZZLES.replaceAll(FEN, "8/8"), /6 left out, illegal FEN: mend .*row 2/],
  ])("%s with %s, in one line and without a run folder", async (...fault) => {
    const [domain, name, content, line] = fault;
    const path = save(`${domain} ${name}`, content);
    const out = join(folder, "runs", `${domain} ${name}`);
    const outcomes = [
      await check(domain, path),
      await spyhop("run", "--domain", domain, "--preset", "smoke", "--data", path, "--out", out),
      await spyhop("eval", "--domain", domain, "--data", path),
    ];
    for (const { status, stdout, stderr } of outcomes) {
      expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
      expect(stderr.trim().split("\n")).toHaveLength(1);
      expect(stderr).toContain(`${domain} ${name}`);
      expect(stderr).toMatch(line);
    }
    expect(readdirSync(folder)).not.toContain("runs");
  });

  test.each([
    ["no text", lines({ id: "1", title: "a", text: "" }), /no passage with text/],
    ["other columns", lines({ id: "1", body: "a" }), /expected a corpus with the columns .*found id, body/],
    ["damage", gzipSync(lines(...PASSAGES)).subarray(0, 50), /damaged gzip, .*fetch the file again/],
  ])("a corpus with %s", async (name, content, line) => {
    const data = save("questions.jsonl", lines(...QUESTIONS));
    const { status, stdout, stderr } = await check("search-qa", data, "--corpus", save(`corpus ${name}`, content));
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr).toContain(`corpus ${name}`);
    expect(stderr).toMatch(line);
  });

  test("a folder, a file that is not there, and one that is not on disk", async () => {
    mkdirSync(join(folder, "folder"));
    for (const [path, line] of [
      [join(folder, "folder"), /is a folder, expected a file/],
      [join(folder, "nothing"), /no such file/],
      ["/dev/zero", /expected a file on disk/],
    ] as const) {
      const { status, stderr } = await check("math-reasoning", path);
      expect(status).toBe(1);
      expect(stderr.trim().split("\n")).toHaveLength(1);
      expect(stderr).toContain(path);
      expect(stderr).toMatch(line);
    }
  });
});

// Root may read everything.
test.skipIf(process.getuid?.() === 0)("data check refuses a file that may not be read", async () => {
  const path = save("secret", lines(...MATH));
  chmodSync(path, 0);
  const { status, stderr } = await check("math-reasoning", path);
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: `spyhop: ${path}: permission denied; give a file that you may read\n`,
  });
});

test("eval says which splits of a small file are shorter than the settings ask for", async () => {
  const data = save("small.jsonl", lines(...MATH.slice(0, 10)));
  const { stderr } = await spyhop("eval", "--data", data, "--model", "/nowhere/model");
  expect(stderr.split("\n")[0]).toMatch(
    /small\.jsonl: fewer tasks than the settings ask for: 1 of 48 for test; those are used/,
  );
});

describe("data check counts and names", () => {
  const repeated = lines(
    ...MATH,
    { ...MATH[0], id: "again" },
    { ...MATH[1], answer: "9" },
    { id: "3", problem: "Other?", answer: "1" },
  );
  test.each([
    ["repeats", repeated, ["1  repeats an earlier row (first: row 41)", "repeats a question with another answer"]],
    [
      "repeated ids",
      repeated,
      ["1  the id of an earlier row with other content: give each row its own (first: row 43)"],
    ],
    ["bytes that are not UTF-8", LATIN1, ["1  not UTF-8 text: save the file as UTF-8 (first: row 41)"]],
    ["fewer rows than the splits want", lines(...MATH), ["64 wanted: the file holds fewer"]],
  ])("%s", async (name, content, parts) => {
    const { status, stdout, stderr } = await check("math-reasoning", save(`${name}.jsonl`, content));
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    for (const part of parts) expect(stdout).toContain(part);
  });

  test("passages without text and with the id of another", async () => {
    const data = save("questions.jsonl", lines(...QUESTIONS));
    const corpus = save("corpus.jsonl", lines(...PASSAGES, { id: "a", text: " " }, { id: "3", text: "Again." }));
    const { stdout } = await check("search-qa", data, "--corpus", corpus);
    expect(stdout).toContain("1  corpus corpus.jsonl: no text: fill it or remove the row (first: row 41)");
    expect(stdout).toContain(
      "1  corpus corpus.jsonl: repeats the id of an earlier passage: give each its own (first: row 42)",
    );
  });
});
