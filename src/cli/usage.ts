/**
 * Wrong usage: what it is, and the nearest name to offer instead of the one given.
 *
 * Distance is Levenshtein's, which is what people's slips look like; a name too far from all others gets no suggestion.
 */

/** A command line that cannot be understood; ends the process with status 2. */
export class UsageError extends SyntaxError {
  override readonly name = "UsageError";
}

/** The one of `names` closest to `given`, or undefined where none is within a third of its length (2 at least). */
export function findNearest(given: string, names: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.ceil(given.length / 3)) + 1;
  for (const name of names) {
    const distance = editDistance(given.toLowerCase(), name.toLowerCase());
    const isAbbreviation = given.length >= 3 && name.startsWith(given);
    const effective = isAbbreviation ? Math.min(distance, 1) : distance;
    if (effective < bestDistance) {
      best = name;
      bestDistance = effective;
    }
  }
  return best;
}

/** A `UsageError` for a `subject` (such as `domain`) named `given`, where only `names` exist. */
export function unknownName(subject: string, given: string, names: readonly string[]): UsageError {
  const nearest = findNearest(given, names);
  const hint = nearest === undefined ? `known: ${names.join(", ")}` : `did you mean ${JSON.stringify(nearest)}?`;
  return new UsageError(`unknown ${subject} ${JSON.stringify(given)}; ${hint}`);
}

/** Levenshtein distance between `a` and `b`, in single-character edits. */
export function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substituted = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current.push(Math.min(substituted, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}
