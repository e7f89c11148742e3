/**
 * Passages out of a corpus file: `{id, title, text}`, or Search-R1's `{id, contents}` whose first line is the quoted title,
 * as JSON Lines, JSON array or Parquet, compressed or not.
 */
import { TaskError } from "../../src/base/errors.ts";
import type { DataFile, SkippedRows } from "../../src/rollout/domain.ts";
import { readRows, type Fields } from "../shared/rows.ts";
import { SkipCounter } from "../shared/skips.ts";
import type { Passage } from "./passage.ts";

/** A corpus, and which of its rows could not be used. */
export type Corpus = { readonly passages: readonly Passage[]; readonly skipped: readonly SkippedRows[] };

/**
 * Reads the corpus in `file` into memory.
 * @throws {TaskError} If it is empty or damaged, has no known columns, or not one passage with text.
 */
export async function readCorpus(file: DataFile): Promise<Corpus> {
  const skips = new SkipCounter();
  const skip = (reason: string, row: number): void => {
    skips.add(`corpus ${file.name}: ${reason}`, row);
  };
  const ids = new Set<string>();
  const passages: Passage[] = [];
  let isKnown = false;
  for await (const { number, fields, skip: reason } of readRows(file, ["id", "title", "text", "contents"])) {
    if (!fields) {
      skip(reason, number);
      continue;
    }
    if (!isKnown) checkColumns(file, fields);
    isKnown = true;
    const passage = readPassage(fields);
    const id = readId(fields["id"], number);
    if (!passage) skip("no text: fill it or remove the row", number);
    else if (ids.has(id)) skip("repeats the id of an earlier passage: give each its own", number);
    else passages.push(passage);
    ids.add(id);
  }
  const skipped = skips.list();
  if (passages.length === 0)
    throw new TaskError(
      `${file.name}: no passage with text; ${skipped[0]?.reason ?? "give title and text in each row"}`,
    );
  return { passages, skipped };
}

function checkColumns(file: DataFile, fields: Fields): void {
  if ("text" in fields || "contents" in fields) return;
  throw new TaskError(
    `${file.name}: expected a corpus with the columns id, title and text, or id and contents; found ${Object.keys(fields).join(", ")}`,
  );
}

function readPassage(fields: Fields): Passage | undefined {
  const { title, text, contents } = fields as Readonly<Partial<Record<string, unknown>>>;
  if (typeof text === "string")
    return text.trim() === "" ? undefined : { title: typeof title === "string" ? title.trim() : "", text: text.trim() };
  return typeof contents === "string" ? splitContents(contents.trim()) : undefined;
}

/** `"Title"`, a line break, then the text; without a line break all of it is text. */
function splitContents(contents: string): Passage | undefined {
  if (contents === "") return undefined;
  const end = contents.indexOf("\n");
  if (end < 0) return { title: "", text: contents };
  const title = contents
    .slice(0, end)
    .trim()
    .replace(/^"(.*)"$/, "$1");
  const text = contents.slice(end + 1).trim();
  return text === "" ? undefined : { title, text };
}

/** A passage without an id is known by its row. */
function readId(value: unknown, number: number): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "bigint"
    ? String(value)
    : `row ${String(number)}`;
}
