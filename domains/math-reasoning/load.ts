/**
 * Tasks out of real files: GSM8K (`question`, `answer` ending in `#### n`), MATH-500, AIME and the DAPO sample (`problem`,
 * `answer`), DAPO-Math-17k (`prompt`, `reward_model`), as JSON Lines or Parquet. Columns decide, not the file's name.
 */
import { TaskError } from "../../src/base/errors.ts";
import type { DataFile, TaskRow } from "../../src/rollout/domain.ts";
import { asRecord, NAME_COLUMNS, nameOfRow, readRows, type Fields, type Row } from "../shared/rows.ts";
import { createTask } from "../shared/splits.ts";

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
 * Reads the tasks of `file`, row by row.
 * @throws {TaskError} If the file is empty or damaged, or its first row has no known columns.
 */
export async function* readTasks(file: DataFile): AsyncGenerator<TaskRow> {
  let format: RowFormat | undefined;
  let problem = "";
  for await (const row of readRows(file, [...FORMATS.flatMap(({ columns }) => columns), ...NAME_COLUMNS])) {
    if (row.fields) format ??= findFormat(file, row.fields);
    problem ||= row.skip ?? "";
    yield format ? readTask(file, row, format) : { number: row.number, skip: row.skip ?? "" };
  }
  if (format === undefined)
    throw new TaskError(`${file.name}: no line is a JSON object (${problem}); give JSON Lines or Parquet`);
}

function findFormat(file: DataFile, fields: Fields): RowFormat {
  const format = FORMATS.find(({ columns }) => columns.every((column) => column in fields));
  if (format) return format;
  const found = Object.keys(fields).join(", ");
  const known = FORMATS.map(({ columns }) => columns.join(" + ")).join(", or ");
  throw new TaskError(`${file.name}: expected the columns ${known}; found ${found || "none"}`);
}

function readTask(file: DataFile, { number, fields, skip }: Row, format: RowFormat): TaskRow {
  if (!fields) return { number, skip };
  const [questionColumn, answerColumn] = format.columns;
  const question = format.readQuestion(fields[questionColumn])?.trim();
  if (!question) return { number, skip: `no question in "${questionColumn}": fill it or remove the row` };
  const answer = format.readAnswer(fields[answerColumn])?.trim();
  if (!answer) return { number, skip: `no answer in "${answerColumn}" (${format.name}): fill it or remove the row` };
  const task = createTask({ question }, { answer }, `${file.name}:${String(number)}`);
  return { number, task, ...nameOfRow(fields) };
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
