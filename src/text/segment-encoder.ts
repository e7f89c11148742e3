/**
 * Encoding with a memory: text is cut at special tokens, which tokenizers never merge across, and each part between
 * them is encoded once. Turns of one conversation and samples of one prompt repeat nearly all of their text.
 */
import type { TextTokenizer } from "./tokenizer.ts";

/** Parts remembered; about 0.1 kB to 2 kB each. */
const MEMORY = 4096;

/** Returns a function that gives the same ids as `tokenizer.encode`, not to be changed by the caller. */
export function createSegmentEncoder(tokenizer: TextTokenizer): (text: string) => readonly number[] {
  const boundaryIds = new Map<string, number>();
  for (const token of tokenizer.boundaries) boundaryIds.set(token, tokenizer.idOf(token) as number);
  const cut = boundaryPattern(tokenizer.boundaries);
  const memory = new Map<string, readonly number[]>();
  const encodePart = (text: string): readonly number[] => {
    const known = memory.get(text);
    if (known !== undefined) return known;
    const ids = tokenizer.encode(text);
    // Insertion order is age: the oldest part goes first.
    if (memory.size >= MEMORY) for (const oldest of memory.keys()) if (memory.delete(oldest)) break;
    memory.set(text, ids);
    return ids;
  };
  return (text) => {
    if (text === "") return [];
    if (cut === undefined) return encodePart(text);
    const ids: number[] = [];
    for (const part of text.split(cut)) {
      if (part === "") continue;
      const boundary = boundaryIds.get(part);
      if (boundary !== undefined) ids.push(boundary);
      else for (const id of encodePart(part)) ids.push(id);
    }
    return ids;
  };
}

function boundaryPattern(boundaries: readonly string[]): RegExp | undefined {
  if (boundaries.length === 0) return undefined;
  // Longest first, so that a token which begins with another one is found whole.
  const escaped = [...boundaries]
    .sort((a, b) => b.length - a.length)
    .map((token) => token.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`(${escaped.join("|")})`);
}
