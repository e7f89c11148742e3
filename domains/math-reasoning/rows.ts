/**
 * Bytes of a data file to row objects: JSON Lines or Parquet, gzipped or not, told apart by content and not by name.
 */
import { parquetMetadata, parquetReadObjects, parquetSchema } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { describeError, TaskError } from "../../src/base/errors.ts";
import type { DataFile } from "../../src/rollout/domain.ts";

/** One row; `number` counts from 1 as an editor does, `fields` is undefined where the row is not an object. */
export type Row = { readonly number: number; readonly fields: Readonly<Record<string, unknown>> | undefined };

/**
 * Reads the rows of `file`. Of a Parquet file only the columns in `columns` are read.
 * @throws {TaskError} If the file is empty, damaged, or not UTF-8.
 */
export async function readRows(file: DataFile, columns: readonly string[]): Promise<readonly Row[]> {
  if (file.bytes.length === 0) throw new TaskError(`${file.name}: the file is empty`);
  const bytes = isGzip(file.bytes) ? await gunzip(file) : file.bytes;
  const rows = isParquet(bytes) ? await readParquet({ ...file, bytes }, columns) : readLines({ ...file, bytes });
  if (rows.length === 0) throw new TaskError(`${file.name}: the file holds no rows`);
  return rows;
}

function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function isParquet(bytes: Uint8Array): boolean {
  return String.fromCharCode(...bytes.subarray(0, 4)) === "PAR1";
}

async function gunzip({ name, bytes }: DataFile): Promise<Uint8Array> {
  try {
    const stream = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch (error) {
    throw new TaskError(`${name}: cannot be unzipped, ${describeError(error)}; fetch it again`, { cause: error });
  }
}

function readLines({ name, bytes }: DataFile): Row[] {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new TaskError(`${name}: is neither Parquet nor UTF-8 text`, { cause: error });
  }
  const rows: Row[] = [];
  for (const [index, line] of text.split("\n").entries())
    if (line.trim() !== "") rows.push({ number: index + 1, fields: parseObject(line) });
  return rows;
}

function parseObject(line: string): Row["fields"] {
  try {
    return asRecord(JSON.parse(line));
  } catch {
    return undefined; // the loader counts it as a skipped row
  }
}

async function readParquet({ name, bytes }: DataFile, columns: readonly string[]): Promise<Row[]> {
  const file = new Uint8Array(bytes).buffer;
  try {
    const metadata = parquetMetadata(file);
    const present = parquetSchema(metadata).children.map((child) => child.element.name);
    const wanted = columns.filter((column) => present.includes(column));
    // With no known column the names alone are given, so that the loader can say what it found.
    if (wanted.length === 0)
      return [{ number: 1, fields: Object.fromEntries(present.map((column) => [column, null])) }];
    const rows = await parquetReadObjects({ file, metadata, columns: wanted, compressors });
    return rows.map((row, index) => ({ number: index + 1, fields: asRecord(row) }));
  } catch (error) {
    throw new TaskError(`${name}: damaged Parquet, ${describeError(error)}; fetch it again`, { cause: error });
  }
}

/** `value` as an object with string keys, or undefined. */
export function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}
