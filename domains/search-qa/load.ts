/**
 * Questions out of real files: Search-R1 and FlashRAG (`question`, `golden_answers`), PopQA (`possible_answers` as JSON
 * text), MuSiQue (`paragraphs`, `answer_aliases`), HotpotQA and 2WikiMultiHopQA (`context`, `supporting_facts`), NQ-open
 * (`question`, `answer[]`), as JSON Lines, JSON array or Parquet. Columns decide, not the file's name.
 */
import { TaskError } from "../../src/base/errors.ts";
import type { DataFile, TaskRow } from "../../src/rollout/domain.ts";
import { asRecord, NAME_COLUMNS, nameOfRow, readRows, type Fields, type Row } from "../shared/rows.ts";
import { createTask } from "../shared/splits.ts";
import type { Passage } from "./passage.ts";

/** One known set of columns beside `question`. */
type RowFormat = {
  readonly name: string;
  readonly columns: readonly string[];
  readonly readAnswers: (fields: Fields) => readonly string[];
  /** The passages that come with the question. */
  readonly readPassages?: (fields: Fields) => readonly Passage[];
};

/** The more particular come first. */
const FORMATS: readonly RowFormat[] = [
  {
    name: "Search-R1 or FlashRAG",
    columns: ["golden_answers"],
    readAnswers: ({ golden_answers: answers }) => readTexts(answers),
  },
  { name: "PopQA", columns: ["possible_answers"], readAnswers: ({ possible_answers: answers }) => readTexts(answers) },
  {
    name: "MuSiQue",
    columns: ["paragraphs", "answer"],
    readAnswers: ({ answer, answer_aliases: aliases }) => [...readTexts(answer), ...readTexts(aliases)],
    readPassages: ({ paragraphs }) => readParagraphs(paragraphs),
  },
  {
    name: "HotpotQA or 2WikiMultiHopQA",
    columns: ["context", "answer"],
    readAnswers: ({ answer }) => readTexts(answer),
    readPassages: ({ context }) => readContext(context),
  },
  { name: "NQ-open", columns: ["answer"], readAnswers: ({ answer }) => readTexts(answer) },
];

const COLUMNS = [
  "question",
  "answer_aliases",
  "answerable",
  ...FORMATS.flatMap(({ columns }) => columns),
  ...NAME_COLUMNS,
];

/**
 * Reads the tasks of `file`, row by row; where a question brings its own passages, they stand in `gold.passages`.
 * @throws {TaskError} If the file is empty or damaged, or its first row has no known columns.
 */
export async function* readTasks(file: DataFile): AsyncGenerator<TaskRow> {
  let format: RowFormat | undefined;
  let problem = "";
  for await (const row of readRows(file, COLUMNS)) {
    if (row.fields) format ??= findFormat(file, row.fields);
    problem ||= row.skip ?? "";
    yield format ? readTask(file, row, format) : { number: row.number, skip: row.skip ?? "" };
  }
  if (format === undefined)
    throw new TaskError(`${file.name}: no row is a JSON object (${problem}); give JSON Lines, a JSON array or Parquet`);
}

function findFormat(file: DataFile, fields: Fields): RowFormat {
  const format = FORMATS.find(({ columns }) => ["question", ...columns].every((column) => column in fields));
  if (format) return format;
  const found = Object.keys(fields).join(", ");
  const known = FORMATS.map(({ columns }) => columns.join(" + ")).join(", or ");
  throw new TaskError(`${file.name}: expected the columns question and ${known}; found ${found || "none"}`);
}

function readTask(file: DataFile, { number, fields, skip }: Row, format: RowFormat): TaskRow {
  if (!fields) return { number, skip };
  const question = typeof fields["question"] === "string" ? fields["question"].trim() : "";
  if (question === "") return { number, skip: `no question in "question": fill it or remove the row` };
  if (fields["answerable"] === false) return { number, skip: "marked as not answerable: it has no right answer" };
  const answers = [...new Set(format.readAnswers(fields))];
  if (answers.length === 0)
    return {
      number,
      skip: `no answer in "${format.columns.join('" or "')}" (${format.name}): fill it or remove the row`,
    };
  const source = sourceOf(file, number);
  if (!format.readPassages)
    return { number, task: createTask({ question }, { answers }, source), ...nameOfRow(fields) };
  const passages = format.readPassages(fields);
  if (passages.length === 0)
    return { number, skip: `no passage with text (${format.name}): fill it or remove the row` };
  return { number, task: createTask({ question }, { answers, passages }, source), ...nameOfRow(fields) };
}

function sourceOf(file: DataFile, number: number): string {
  return `${file.name}:${String(number)}`;
}

/** Texts out of a text, a list of texts, or the JSON text of a list; blank ones and what is no text are left out. */
function readTexts(value: unknown): string[] {
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return [String(value)];
  if (typeof value === "string") {
    const list = /^\s*\[/.test(value) ? parseList(value) : undefined;
    return list ? list.flatMap(readTexts) : value.trim() === "" ? [] : [value.trim()];
  }
  return Array.isArray(value) ? value.flatMap(readTexts) : [];
}

function parseList(text: string): readonly unknown[] | undefined {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : undefined;
  } catch {
    return undefined;
  }
}

function readParagraphs(value: unknown): Passage[] {
  const rows: readonly unknown[] = Array.isArray(value) ? value : [];
  return rows.flatMap((row) => {
    const fields = asRecord(row);
    return toPassage(fields?.["title"], fields?.["paragraph_text"] ?? fields?.["text"]);
  });
}

/** Pairs of a title and its sentences, or (as the Parquet files have it) a list of each. */
function readContext(value: unknown): Passage[] {
  const columns = asRecord(value);
  if (columns) {
    const [titles, texts] = [columns["title"], columns["sentences"] ?? columns["content"]];
    if (!Array.isArray(titles) || !Array.isArray(texts)) return [];
    return titles.flatMap((title, index) => toPassage(title, texts[index]));
  }
  const rows: readonly unknown[] = Array.isArray(value) ? value : [];
  return rows.flatMap((row) => (Array.isArray(row) ? toPassage(row[0], row[1]) : []));
}

function toPassage(title: unknown, body: unknown): Passage[] {
  const sentences: readonly unknown[] = Array.isArray(body) ? body : [body];
  const text = sentences
    .filter((part) => typeof part === "string")
    .map((part) => part.trim())
    .join(" ")
    .trim();
  return text === "" ? [] : [{ title: typeof title === "string" ? title.trim() : "", text }];
}
