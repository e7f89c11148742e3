/**
 * Percentile bootstrap interval of a mean over tasks (Efron & Tibshirani 1993, chapter 13).
 *
 * The unit drawn is the task, never the sample: eight samples of one task say little more about other tasks than one does.
 * With few tasks the interval is somewhat too narrow, and it has no width where all tasks score alike.
 */
import type { Rng } from "../base/rng.ts";

/** How to draw; every field has a default. */
export type BootstrapOptions = {
  /** Number of resamples. @default 2000 */
  readonly resamples?: number;
  /** Share of the intervals that should cover the true mean, in (0, 1). @default 0.95 */
  readonly confidence?: number;
};

/** A mean with its interval. */
export type MeanInterval = { readonly mean: number; readonly low: number; readonly high: number };

/**
 * The mean of `values`, one a task, with its bootstrap interval. Equal streams give equal intervals.
 * @throws {RangeError} If there are no values, one is not finite, or an option lies outside its range.
 */
export function bootstrapMean(values: readonly number[], rng: Rng, options: BootstrapOptions = {}): MeanInterval {
  const { resamples = 2000, confidence = 0.95 } = options;
  if (!(Number.isSafeInteger(resamples) && resamples >= 1))
    throw new RangeError(`bootstrapMean: resamples must be 1 or more, got ${String(resamples)}`);
  if (!(confidence > 0 && confidence < 1))
    throw new RangeError(`bootstrapMean: confidence must be in (0, 1), got ${String(confidence)}`);
  const mean = meanOf(values);
  const means = new Float64Array(resamples);
  for (let i = 0; i < resamples; i += 1) means[i] = resampleMean(values, rng);
  means.sort();
  const tail = (1 - confidence) / 2;
  return { mean, low: quantile(means, tail), high: quantile(means, 1 - tail) };
}

/**
 * The arithmetic mean of `values`.
 * @throws {RangeError} If there are no values or one is not finite.
 */
export function meanOf(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError("meanOf: expected one value or more, got none");
  const sum = values.reduce((total, value) => total + value, 0);
  if (!Number.isFinite(sum)) throw new RangeError("meanOf: values must be finite");
  return sum / values.length;
}

/**
 * The quantile `share` of values sorted ascending, between neighbours in proportion (type 7 of Hyndman & Fan 1996).
 * @throws {RangeError} If there are no values or `share` lies outside [0, 1].
 */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) throw new RangeError("quantile: expected one value or more, got none");
  if (!(share >= 0 && share <= 1)) throw new RangeError(`quantile: share must be in [0, 1], got ${String(share)}`);
  const position = share * (sorted.length - 1);
  const below = Math.floor(position);
  const low = sorted[below] as number;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] as number;
  return low + (high - low) * (position - below);
}

function resampleMean(values: readonly number[], rng: Rng): number {
  let sum = 0;
  for (let i = 0; i < values.length; i += 1) sum += values[rng.int(values.length)] as number;
  return sum / values.length;
}
