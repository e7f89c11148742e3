/** How figures, durations and small curves are written in a terminal. */

const BLOCKS = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

/** A share in [0, 1] as `41.2 %`. */
export function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

/** A difference of shares in points, with its sign: `+18.0`. */
export function points(difference: number): string {
  return `${difference < 0 ? "−" : "+"}${Math.abs(100 * difference).toFixed(1)}`;
}

/** A share with its interval: `41.2 % [35.0, 47.1]`. */
export function interval(mean: number, low: number, high: number): string {
  return `${percent(mean)} [${(100 * low).toFixed(1)}, ${(100 * high).toFixed(1)}]`;
}

/** A whole number with thousands apart: `12 800`. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, " ");
}

/** `count` and its noun, which takes an s unless there is exactly one. */
export function plural(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** A duration in milliseconds as `45 s`, `1 min 20 s` or `2 h 05 min`. */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${String(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${String(minutes)} min ${String(seconds % 60).padStart(2, "0")} s`;
  return `${String(Math.floor(minutes / 60))} h ${String(minutes % 60).padStart(2, "0")} min`;
}

/** `values` in [0, `most`] as a row of blocks; the lowest block stands for 0, so heights may be compared. */
export function sparkline(values: readonly number[], most: number): string {
  return values
    .map((value) => {
      const share = most > 0 ? value / most : 0;
      return BLOCKS[Math.max(0, Math.min(BLOCKS.length - 1, Math.round(share * (BLOCKS.length - 1))))] ?? "";
    })
    .join("");
}

/** A bar of `width` characters, filled to `share` in [0, 1]. */
export function bar(share: number, width: number): string {
  const filled = Math.max(0, Math.min(width, Math.round(share * width)));
  return "━".repeat(filled) + "╌".repeat(width - filled);
}
