/**
 * Paired comparison of two scores over the same tasks: mean difference, bootstrap interval, sign-flip permutation test
 * (Fisher 1935; Good 2005, section 3.2). The test asks whether the differences could as well have had the other sign.
 */
import type { Rng } from "../base/rng.ts";
import { bootstrapMean, meanOf, type BootstrapOptions } from "./bootstrap.ts";

/** How to draw; every field has a default. */
export type PairedOptions = BootstrapOptions & {
  /** Sign assignments drawn; all are counted instead where they are no more than this. @default 10000 */
  readonly permutations?: number;
};

/** The outcome of a paired comparison. */
export type PairedComparison = {
  readonly tasks: number;
  /** Mean over tasks of first minus second. */
  readonly difference: number;
  /** Ends of the bootstrap interval of `difference`. */
  readonly low: number;
  readonly high: number;
  /** Two-sided; never 0, since the assignment observed counts as one of those drawn. */
  readonly pValue: number;
};

/** Sums that differ by rounding alone count as equal. */
const ROUNDING = 1e-9;

/**
 * Compares `first` with `second`, per-task scores in the same order. Equal streams give equal results.
 * @throws {RangeError} If the lengths differ, there are no tasks, or a score is not finite.
 */
export function comparePaired(
  [first, second]: readonly [first: readonly number[], second: readonly number[]],
  rng: Rng,
  options: PairedOptions = {},
): PairedComparison {
  const differences = pairwiseDifferences(first, second);
  const { mean: difference, low, high } = bootstrapMean(differences, rng, options);
  return { tasks: differences.length, difference, low, high, pValue: signFlipPValue(differences, rng, options) };
}

/**
 * Two-sided p-value of the sign-flip permutation test that `differences` lie around 0: exact for few tasks, else drawn.
 * @throws {RangeError} If there are no differences, one is not finite, or `permutations` is below 1.
 */
export function signFlipPValue(differences: readonly number[], rng: Rng, options: PairedOptions = {}): number {
  const { permutations = 10_000 } = options;
  if (!(Number.isSafeInteger(permutations) && permutations >= 1))
    throw new RangeError(`signFlipPValue: permutations must be 1 or more, got ${String(permutations)}`);
  const observed = Math.abs(meanOf(differences) * differences.length);
  // A difference of 0 has no sign to flip.
  const sizes = differences.map(Math.abs).filter((size) => size > 0);
  const isExtreme = (sum: number): boolean => Math.abs(sum) >= observed - ROUNDING;
  if (2 ** sizes.length <= permutations) return countAll(sizes, isExtreme) / 2 ** sizes.length;
  let extreme = 1;
  for (let i = 0; i < permutations; i += 1) if (isExtreme(drawSum(sizes, rng))) extreme += 1;
  return extreme / (permutations + 1);
}

function pairwiseDifferences(first: readonly number[], second: readonly number[]): number[] {
  if (first.length !== second.length)
    throw new RangeError(
      `comparePaired: expected scores of the same tasks, got ${String(first.length)} and ${String(second.length)}`,
    );
  return first.map((score, i) => score - (second[i] as number));
}

function countAll(sizes: readonly number[], isExtreme: (sum: number) => boolean): number {
  let extreme = 0;
  for (let signs = 0; signs < 2 ** sizes.length; signs += 1) {
    const sum = sizes.reduce((total, size, i) => total + ((signs >>> i) & 1 ? size : -size), 0);
    if (isExtreme(sum)) extreme += 1;
  }
  return extreme;
}

function drawSum(sizes: readonly number[], rng: Rng): number {
  return sizes.reduce((total, size) => total + (rng.uniform() < 0.5 ? size : -size), 0);
}
