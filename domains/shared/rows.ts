/**
 * Bytes of a data file to row objects: JSON Lines, a JSON array, or Parquet, compressed or not, told apart by content and
 * not by name. JSON Lines are read as a stream.
 */
import { describeError, TaskError } from "../../src/base/errors.ts";
import type { DataFile } from "../../src/rollout/domain.ts";
import { concat } from "./byte-reader.ts";
import { decompressed, readWhole } from "./bytes.ts";
import { readLines, type Line } from "./lines.ts";

/** Columns of one row by name. */
export type Fields = Readonly<Record<string, unknown>>;

/** One row: its fields, or why there are none. `number` counts from 1 as an editor does. */
export type Row = { readonly number: number } & (
  { readonly fields: Fields; readonly skip?: undefined } | { readonly fields?: undefined; readonly skip: string }
);

/**
 * Reads the rows of `file`. Of a Parquet file only the columns in `columns` are read.
 * @throws {TaskError} If the file is empty, damaged, or holds no rows.
 */
export async function* readRows(file: DataFile, columns: readonly string[]): AsyncGenerator<Row> {
  const head = await readHead(file);
  let isEmpty = true;
  const rows = startsWith(head, "PAR1")
    ? readParquet(file, columns)
    : /^\s*\[/.test(head)
      ? readArray(file)
      : readJsonLines(file);
  for await (const row of rows) {
    isEmpty = false;
    yield row;
  }
  if (isEmpty) throw new TaskError(`${file.name}: the file holds no rows`);
}

/** `value` as an object with string keys, or undefined. */
export function asRecord(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** Columns in which the known formats keep the name of a row. */
export const NAME_COLUMNS = ["id", "_id", "unique_id"] as const;

/** What the row calls itself, if it does. */
export function nameOfRow(fields: Fields): { readonly name?: string } {
  for (const column of NAME_COLUMNS) {
    const value = fields[column];
    if (typeof value === "string" && value.trim() !== "") return { name: value };
    if (typeof value === "number" || typeof value === "bigint") return { name: String(value) };
  }
  return {};
}

/** The first bytes as Latin-1 text, enough to tell formats apart. */
async function readHead(file: DataFile): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of decompressed(file)) {
    parts.push(chunk);
    length += chunk.length;
    if (length >= 64) break;
  }
  return String.fromCharCode(...concat(parts).subarray(0, 64));
}

function startsWith(head: string, magic: string): boolean {
  return head.startsWith(magic);
}

async function* readJsonLines(file: DataFile): AsyncGenerator<Row> {
  for await (const line of readLines(file))
    if (line.text === undefined || line.text.trim() !== "") yield readLine(line);
}

function readLine({ number, text }: Line): Row {
  if (text === undefined) return { number, skip: "not UTF-8 text: save the file as UTF-8" };
  try {
    return asRow(number, JSON.parse(text));
  } catch {
    return { number, skip: "not a JSON object: mend or remove the line" };
  }
}

function asRow(number: number, value: unknown): Row {
  const fields = asRecord(value);
  return fields ? { number, fields } : { number, skip: "not a JSON object: mend or remove the line" };
}

async function* readArray(file: DataFile): AsyncGenerator<Row> {
  const bytes = await readWhole(file);
  let rows: unknown;
  try {
    rows = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new TaskError(
      `${file.name}: begins as a JSON array but is not one, ${describeError(cause)}; mend it, or give JSON Lines`,
      { cause },
    );
  }
  if (Array.isArray(rows)) for (const [index, row] of rows.entries()) yield asRow(index + 1, row);
}

async function* readParquet(file: DataFile, columns: readonly string[]): AsyncGenerator<Row> {
  const bytes = await readWhole(file);
  const buffer = bytes.slice().buffer;
  // Loaded where a Parquet file is read, since it is larger than all of a domain, and a page may never need it.
  const [{ parquetMetadata, parquetReadObjects, parquetSchema }, { compressors }] = await Promise.all([
    import("hyparquet"),
    import("hyparquet-compressors"),
  ]);
  try {
    const metadata = parquetMetadata(buffer);
    const present = parquetSchema(metadata).children.map((child) => child.element.name);
    const wanted = columns.filter((column) => present.includes(column));
    // With no known column the names alone are given, so that the loader can say what it found.
    const rows =
      wanted.length === 0
        ? [Object.fromEntries(present.map((column) => [column, null]))]
        : await parquetReadObjects({ file: buffer, metadata, columns: wanted, compressors });
    for (const [index, row] of rows.entries()) yield asRow(index + 1, row);
  } catch (error) {
    throw new TaskError(`${file.name}: damaged Parquet, ${describeError(error)}; fetch it again`, { cause: error });
  }
}
