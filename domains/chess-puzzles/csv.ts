/** Records of a CSV file (RFC 4180) as a stream: quoted fields may hold commas, doubled quotes and line ends. */
import type { DataFile } from "../../src/rollout/domain.ts";
import { readLines, type Line } from "../shared/lines.ts";

/** One record, or why it could not be read; `number` is that of its first line, from 1. */
export type CsvRecord = { readonly number: number } & (
  | { readonly fields: readonly string[]; readonly skip?: undefined }
  | { readonly fields?: undefined; readonly skip: string }
);

/** Longest record that goes over several lines, in characters; a stray quote must not swallow the file. */
const LONGEST_RECORD = 65_536;

/**
 * The records of `file`; blank lines are left out. A quote that is opened and never closed, or closed within a field or where
 * the record would not have as many fields as the first one, spoils its own line only: those after it are read anew.
 * @throws {TaskError} If the file is empty, cut short or damaged.
 */
export async function* readCsv(file: DataFile): AsyncGenerator<CsvRecord> {
  const parser = new CsvParser();
  for await (const line of readLines(file)) yield* parser.add(line);
  yield* parser.end();
}

const NOT_UTF8 = "not UTF-8 text: save the file as UTF-8";
const UNCLOSED = "a quote is never closed: mend or remove the row";

class CsvParser {
  /** Lines of a record whose quote is still open. */
  #open: Line[] = [];
  #length = 0;
  /** Fields of the first record. */
  #width: number | undefined;

  *add(line: Line): Generator<CsvRecord> {
    const { number, text } = line;
    if (text === undefined) {
      yield* this.end();
      yield { number, skip: NOT_UTF8 };
      return;
    }
    if (this.#open.length === 0 && text.trim() === "") return;
    const isOdd = hasOpenQuote(text);
    if (this.#open.length === 0 && !isOdd) {
      yield this.#close(number, splitRecord(text));
      return;
    }
    this.#open.push(line);
    this.#length += text.length;
    // A second odd line closes what the first one opened.
    if (isOdd && this.#open.length > 1) {
      const record = this.#open.map((part) => part.text).join("\n");
      const fields = splitRecord(record);
      if (WELL_QUOTED.test(record) && fields.length === (this.#width ?? fields.length)) {
        const first = this.#open[0]?.number ?? number;
        this.#forget();
        yield this.#close(first, fields);
      } else yield* this.#reread();
    } else if (this.#length > LONGEST_RECORD) yield* this.#reread();
  }

  *end(): Generator<CsvRecord> {
    while (this.#open.length > 0) yield* this.#reread();
  }

  #close(number: number, fields: readonly string[]): CsvRecord {
    this.#width ??= fields.length;
    return { number, fields };
  }

  /** Gives up the line with the quote and reads those after it as lines of their own. */
  *#reread(): Generator<CsvRecord> {
    const [first, ...others] = this.#open;
    this.#forget();
    if (first) yield { number: first.number, skip: UNCLOSED };
    for (const line of others) yield* this.add(line);
  }

  #forget(): void {
    this.#open = [];
    this.#length = 0;
  }
}

/** Fields that are quoted from their first to their last character, or hold no quote and no line end. */
const WELL_QUOTED = /^(?:(?:"[^"]*(?:""[^"]*)*"|[^",\n]*)(?:,|$))+$/;

function hasOpenQuote(text: string): boolean {
  return text.includes('"') && (text.match(/"/g)?.length ?? 0) % 2 === 1;
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
