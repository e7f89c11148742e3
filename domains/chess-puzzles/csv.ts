/** Records of a CSV file (RFC 4180) as a stream: quoted fields may hold commas, doubled quotes and line ends. */
import type { DataFile } from "../../src/rollout/domain.ts";
import { readLines } from "../shared/lines.ts";

/** One record, or why it could not be read; `number` is that of its first line, from 1. */
export type CsvRecord = { readonly number: number } & (
  | { readonly fields: readonly string[]; readonly skip?: undefined }
  | { readonly fields?: undefined; readonly skip: string }
);

/** Longest record that goes over several lines, in characters; a stray quote must not swallow the file. */
const LONGEST_RECORD = 65_536;

/**
 * The records of `file`; blank lines are left out.
 * @throws {TaskError} If the file is empty, cut short or damaged.
 */
export async function* readCsv(file: DataFile): AsyncGenerator<CsvRecord> {
  let open: { number: number; text: string } | undefined;
  for await (const { number, text } of readLines(file)) {
    if (text === undefined) {
      open = undefined;
      yield { number, skip: "not UTF-8 text: save the file as UTF-8" };
      continue;
    }
    if (!open && text.trim() === "") continue;
    const record: { number: number; text: string } = open
      ? { number: open.number, text: `${open.text}\n${text}` }
      : { number, text };
    open = undefined;
    if (isBalanced(record.text)) yield { number: record.number, fields: splitRecord(record.text) };
    else if (record.text.length <= LONGEST_RECORD) open = record;
    else yield { number: record.number, skip: UNCLOSED };
  }
  if (open) yield { number: open.number, skip: UNCLOSED };
}

const UNCLOSED = "a quote is never closed: mend or remove the row";

function isBalanced(text: string): boolean {
  if (!text.includes('"')) return true;
  return (text.match(/"/g)?.length ?? 0) % 2 === 0;
}

/** The fields of one whole record. */
export function splitRecord(text: string): string[] {
  if (!text.includes('"')) return text.split(",");
  const fields: string[] = [];
  let field = "";
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '"' && isQuoted && text.charAt(at + 1) === '"') {
      field += char;
      at += 1;
    } else if (char === '"') isQuoted = !isQuoted;
    else if (char === "," && !isQuoted) {
      fields.push(field);
      field = "";
    } else field += char;
  }
  return [...fields, field];
}
