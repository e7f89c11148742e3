/**
 * Which rows to prefill together. Rows of one run are padded to its longest, and each run costs something by itself, so
 * the cheapest partition of the rows, sorted by length, is found by dynamic programming.
 */

/** What a run costs beyond its tokens, counted in tokens. */
const RUN_COST = 24;

/**
 * Splits rows into runs. `counts` are the new tokens of each row, each at most `mostTokens`; the result lists indices
 * into it, longest rows first, so that no run has more than `mostTokens` tokens after padding (a single row always fits).
 */
export function planPrefill(counts: readonly number[], mostTokens: number): number[][] {
  const order = counts.map((_, i) => i).sort((a, b) => (counts[b] as number) - (counts[a] as number) || a - b);
  const size = order.length;
  // best[i]: cost of the rows from i on; until[i]: where the first run of that partition ends.
  const best = new Float64Array(size + 1);
  const until = new Int32Array(size + 1);
  for (let from = size - 1; from >= 0; from -= 1) {
    const width = counts[order[from] as number] as number;
    best[from] = Infinity;
    for (let to = from + 1; to <= size; to += 1) {
      const tokens = width * (to - from);
      if (to > from + 1 && tokens > mostTokens) break;
      const cost = RUN_COST + tokens + (best[to] as number);
      if (cost < (best[from] as number)) {
        best[from] = cost;
        until[from] = to;
      }
    }
  }
  const runs: number[][] = [];
  for (let from = 0; from < size; from = until[from] as number) runs.push(order.slice(from, until[from]));
  return runs;
}
