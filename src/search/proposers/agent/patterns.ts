/**
 * Path patterns and text search for an agent's tools, in time that grows with pattern times text at worst: a pattern
 * comes from a model, and a regular expression could be one that never ends.
 */

/** Whether `path` fits `pattern`: `*` is anything within a name, `**` anything across folders, `?` one character. */
export function fitsGlob(path: string, pattern: string): boolean {
  return fitsSegments(path.split("/"), pattern.split("/"));
}

/** Greedy match with one point to come back to: only the last wildcard can still take more. */
function fitsSegments(path: readonly string[], pattern: readonly string[]): boolean {
  return matchWild(path.length, pattern.length, {
    isStar: (p) => pattern[p] === "**",
    fits: (t, p) => fitsName(path[t] ?? "", pattern[p] ?? ""),
  });
}

function fitsName(name: string, pattern: string): boolean {
  return matchWild(name.length, pattern.length, {
    isStar: (p) => pattern[p] === "*",
    fits: (t, p) => pattern[p] === "?" || pattern[p] === name[t],
  });
}

type Wild = {
  /** Whether item `p` of the pattern takes any number of items. */
  readonly isStar: (p: number) => boolean;
  /** Whether item `t` of the text fits item `p` of the pattern. */
  readonly fits: (t: number, p: number) => boolean;
};

function matchWild(textLength: number, patternLength: number, { isStar, fits }: Wild): boolean {
  let [t, p] = [0, 0];
  let [star, from] = [-1, 0];
  while (t < textLength) {
    if (p < patternLength && isStar(p)) {
      star = p;
      from = t;
      p += 1;
    } else if (p < patternLength && fits(t, p)) {
      t += 1;
      p += 1;
    } else if (star >= 0) {
      from += 1;
      t = from;
      p = star + 1;
    } else return false;
  }
  while (p < patternLength && isStar(p)) p += 1;
  return p === patternLength;
}

/** One place where a text was found: offsets in characters. */
export type Found = { readonly start: number; readonly end: number };

/**
 * The first place in each line of `text` that fits `pattern`, at most `most` of them: plain text, `|` between
 * alternatives, `.*` for anything in between; case does not matter.
 */
export function searchText(text: string, pattern: string, most: number): Found[] {
  const alternatives = pattern
    .toLowerCase()
    .split("|")
    .map((part) => part.split(".*").filter((piece) => piece !== ""))
    .filter((pieces) => pieces.length > 0);
  const found: Found[] = [];
  let lineStart = 0;
  for (const line of text.split("\n")) {
    if (found.length >= most) break;
    const lower = line.toLowerCase();
    const hits = alternatives.flatMap((pieces) => findPieces(lower, pieces) ?? []);
    const [first] = hits.sort((a, b) => a.start - b.start);
    if (first) found.push({ start: lineStart + first.start, end: lineStart + first.end });
    lineStart += line.length + 1;
  }
  return found;
}

function findPieces(line: string, pieces: readonly string[]): Found | undefined {
  let [start, end] = [-1, 0];
  for (const piece of pieces) {
    const at = line.indexOf(piece, end);
    if (at < 0) return undefined;
    if (start < 0) start = at;
    end = at + piece.length;
  }
  return { start, end };
}
