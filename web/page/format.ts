/** Figures as the page writes them: thin spaces, a true minus, no more digits than mean something. */

const THIN = "\u202f";

/** `0.583` as `58.3 %`. */
export function percent(share: number): string {
  return `${(100 * share).toFixed(1)}${THIN}%`;
}

/** `0.583` as `58 %`. */
export function wholePercent(share: number): string {
  return `${String(Math.round(100 * share))}${THIN}%`;
}

/** `12400` as `12 400`, with thin spaces from five digits up. */
export function grouped(count: number): string {
  const text = String(Math.round(count));
  return text.length < 5 ? text : text.replace(/\B(?=(\d{3})+$)/g, THIN);
}

/** A difference of shares in points, with its sign: `+4.7`. */
export function signedPoints(difference: number): string {
  const text = Math.abs(100 * difference).toFixed(1);
  if (text === "0.0") return "0.0";
  return `${difference < 0 ? "−" : "+"}${text}`;
}

/** `38.3 % [29.7, 52.0]`. */
export function withInterval({
  mean,
  low,
  high,
}: {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}): string {
  return `${percent(mean)} [${(100 * low).toFixed(1)}, ${(100 * high).toFixed(1)}]`;
}

/** `1 step`, `3 steps`. */
export function plural(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Milliseconds as `48 s` or `2 min 05 s`. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${String(seconds)}${THIN}s`;
  return `${String(Math.floor(seconds / 60))}${THIN}min ${String(seconds % 60).padStart(2, "0")}${THIN}s`;
}

/** Tokens a second as `9.1k tok/s`. */
export function speed(perSecond: number): string {
  return perSecond >= 1000 ? `${(perSecond / 1000).toFixed(1)}k tok/s` : `${String(Math.round(perSecond))} tok/s`;
}

/** Bytes as `3.4 MB`. */
export function bytes(count: number): string {
  if (count < 1e6) return `${String(Math.max(1, Math.round(count / 1e3)))}${THIN}kB`;
  return `${(count / 1e6).toFixed(1)}${THIN}MB`;
}
