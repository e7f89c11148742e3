/** Lines of a UTF-8 file of any size; a line that is not UTF-8 is told apart instead of being read wrongly. */
import type { DataFile } from "../../src/rollout/domain.ts";
import { concat } from "./byte-reader.ts";
import { decompressed } from "./bytes.ts";

/** One line without its end; `number` counts from 1, `text` is undefined where the bytes are not UTF-8. */
export type Line = { readonly number: number; readonly text: string | undefined };

const NEWLINE = 0x0a;

/**
 * The lines of `file`, decompressed. A byte-order mark at the start is left out.
 * @throws {TaskError} If the file is empty, cut short or damaged.
 */
export async function* readLines(file: DataFile): AsyncGenerator<Line> {
  let pending: Uint8Array[] = [];
  let number = 0;
  const take = function* (block: Uint8Array): Generator<Line> {
    for (const text of decodeBlock(block)) yield { number: (number += 1), text };
  };
  for await (const chunk of decompressed(file)) {
    const end = chunk.lastIndexOf(NEWLINE);
    if (end < 0) {
      pending.push(chunk);
      continue;
    }
    yield* take(concat([...pending, chunk.subarray(0, end)]));
    pending = [chunk.subarray(end + 1)];
  }
  const last = concat(pending);
  if (last.length > 0) yield* take(last);
}

/** Decodes many lines at once; only a block that holds bad bytes is decoded line by line. */
function decodeBlock(block: Uint8Array): (string | undefined)[] {
  const whole = decodeStrictly(block);
  if (whole !== undefined) return whole.split("\n").map(trimReturn);
  const lines: (string | undefined)[] = [];
  for (let start = 0; start <= block.length;) {
    const found = block.indexOf(NEWLINE, start);
    const end = found < 0 ? block.length : found;
    const text = decodeStrictly(block.subarray(start, end));
    lines.push(text === undefined ? undefined : trimReturn(text));
    start = end + 1;
  }
  return lines;
}

function decodeStrictly(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function trimReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
