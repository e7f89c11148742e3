/**
 * Tasks out of real files: GSM8K (`question`, `answer` ending in `#### n`), MATH-500, AIME and the DAPO sample (`problem`,
 * `answer`), DAPO-Math-17k (`prompt`, `reward_model`), as JSON Lines or Parquet. Columns decide, not the file's name.
 */
import { TaskError } from "../../src/base/errors.ts";
import {
  SPLITS,
  type DataFile,
  type LoadedTasks,
  type LoadOptions,
  type SkippedRows,
} from "../../src/rollout/domain.ts";
import { asRecord, readRows, type Row } from "./rows.ts";
import { createTask, divideTasks } from "./splits.ts";

/** What one row asks and what solves it. */
type Entry = { readonly question: string; readonly answer: string; readonly number: number };

/** One known set of columns. `readAnswer` gives undefined where the row has none. */
type RowFormat = {
  readonly name: string;
  readonly columns: readonly [question: string, answer: string];
  readonly readQuestion: (value: unknown) => string | undefined;
  readonly readAnswer: (value: unknown) => string | undefined;
};

const FORMATS: readonly RowFormat[] = [
  {
    name: "DAPO-Math",
    columns: ["prompt", "reward_model"],
    readQuestion: readPrompt,
    readAnswer: (value) => readScalar(asRecord(value)?.["ground_truth"]),
  },
  { name: "problem and answer", columns: ["problem", "answer"], readQuestion: readText, readAnswer: readScalar },
  { name: "GSM8K", columns: ["question", "answer"], readQuestion: readText, readAnswer: readGsm8kAnswer },
];

/**
 * Reads the tasks of `file` and divides them. Rows that cannot be used are counted by reason, with the first row's number.
 * @throws {TaskError} If the file is empty or damaged, has no known columns, or has fewer usable rows than splits.
 */
export async function loadTasks(file: DataFile, options: LoadOptions): Promise<LoadedTasks> {
  const rows = await readRows(
    file,
    FORMATS.flatMap((format) => format.columns),
  );
  const format = findFormat(file, rows);
  const skips = new SkipCounter();
  const entries = joinRepeats(
    rows.flatMap((row) => readEntry(row, format, skips)),
    skips,
  );
  const tasks = entries.map(({ question, answer, number }) =>
    createTask(question, answer, `${file.name}:${String(number)}`),
  );
  const wanted = SPLITS.filter((split) => options.sizes[split] > 0).length;
  if (tasks.length < wanted) {
    const [first] = skips.list();
    const why = first ? `; ${first.reason}, first in ${first.first}` : "";
    throw new TaskError(`${file.name}: ${String(tasks.length)} usable rows cannot fill ${String(wanted)} splits${why}`);
  }
  return { tasks: divideTasks(tasks, options), skipped: skips.list() };
}

/** Counts unusable rows by reason, in the order in which reasons turn up. */
class SkipCounter {
  readonly #byReason = new Map<string, { count: number; first: string }>();

  add(reason: string, row: number): void {
    const entry = this.#byReason.get(reason);
    if (entry) entry.count += 1;
    else this.#byReason.set(reason, { count: 1, first: `row ${String(row)}` });
  }

  list(): SkippedRows[] {
    return [...this.#byReason].map(([reason, entry]) => ({ reason, ...entry }));
  }
}

function findFormat(file: DataFile, rows: readonly Row[]): RowFormat {
  const objects = rows.flatMap((row) => (row.fields ? [row.fields] : []));
  if (objects.length === 0) throw new TaskError(`${file.name}: no line is a JSON object; give JSON Lines or Parquet`);
  for (const format of FORMATS)
    if (objects.some((fields) => format.columns.every((column) => column in fields))) return format;
  const found = Object.keys(objects[0] ?? {}).join(", ");
  const known = FORMATS.map((format) => format.columns.join(" + ")).join(", or ");
  throw new TaskError(`${file.name}: expected the columns ${known}; found ${found || "none"}`);
}

function readEntry(row: Row, format: RowFormat, skips: SkipCounter): Entry[] {
  const [questionColumn, answerColumn] = format.columns;
  if (!row.fields) {
    skips.add("not a JSON object: mend or remove the line", row.number);
    return [];
  }
  const question = format.readQuestion(row.fields[questionColumn])?.trim();
  if (!question) {
    skips.add(`no question in "${questionColumn}": fill it or remove the row`, row.number);
    return [];
  }
  const answer = format.readAnswer(row.fields[answerColumn])?.trim();
  if (!answer) {
    skips.add(`no answer in "${answerColumn}" (${format.name}): fill it or remove the row`, row.number);
    return [];
  }
  return [{ question, answer, number: row.number }];
}

/** Keeps the first of equal rows; a question whose rows disagree about the answer is left out altogether. */
function joinRepeats(entries: readonly Entry[], skips: SkipCounter): Entry[] {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) {
    const group = groups.get(entry.question);
    if (group) group.push(entry);
    else groups.set(entry.question, [entry]);
  }
  return [...groups.values()].flatMap((group) => {
    const agree = group.every((entry) => entry.answer === group[0]?.answer);
    const reason = agree ? "repeats an earlier row" : "repeats a question with another answer: decide which is right";
    for (const entry of agree ? group.slice(1) : group) skips.add(reason, entry.number);
    return agree ? group.slice(0, 1) : [];
  });
}

function readText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function readScalar(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  return readText(value);
}

/** The number after the last `####`, without thousands commas. */
function readGsm8kAnswer(value: unknown): string | undefined {
  const text = readText(value);
  const mark = text?.lastIndexOf("####") ?? -1;
  return mark < 0
    ? undefined
    : text
        ?.slice(mark + 4)
        .trim()
        .replaceAll(",", "");
}

/** The text that DAPO-Math-17k puts around each problem; it asks for another answer form than ours. */
const DAPO_PREFIX =
  /^Solve the following math problem step by step\. The last line of your response should be [^\n]*\n\n/;
const DAPO_SUFFIX = /\n\nRemember to put your answer on its own line after "Answer:"\.\s*$/;

function readPrompt(value: unknown): string | undefined {
  const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
  const content = messages.map((message) => readText(asRecord(message)?.["content"])).findLast((text) => text);
  return (content ?? readText(value))?.replace(DAPO_PREFIX, "").replace(DAPO_SUFFIX, "");
}
