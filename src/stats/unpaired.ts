/**
 * Comparison of two sets of runs that share no tasks: difference of means, bootstrap interval with both sides drawn on
 * their own, and a permutation test of the labels (Good 2005, section 3.2.1).
 */
import type { Rng } from "../base/rng.ts";
import { meanOf, type BootstrapOptions } from "./bootstrap.ts";
import { clusterMeans, percentileInterval, resampleClusters, type Cluster } from "./hierarchical.ts";
import type { PairedOptions } from "./paired.ts";

/** The difference of two means. */
export type Difference = { readonly difference: number; readonly low: number; readonly high: number };

/**
 * First minus second of the first column of two sets of clusters, with a percentile interval.
 * @throws {RangeError} Like `resampleClusters`.
 */
export function unpairedDifference(
  [first, second]: readonly [first: readonly Cluster[], second: readonly Cluster[]],
  rng: Rng,
  options: BootstrapOptions = {},
): Difference {
  const [a, b] = [resampleClusters(first, rng, options), resampleClusters(second, rng, options)];
  const draws = (a[0] as Float64Array).map((value, i) => value - (b[0]?.[i] as number));
  const difference = (clusterMeans(first)[0] as number) - (clusterMeans(second)[0] as number);
  return { difference, ...percentileInterval(draws, options.confidence) };
}

/**
 * Two-sided p-value that `first` and `second` have the same mean, from permuted labels. Never 0: the labels observed count
 * as one draw.
 * @throws {RangeError} If one is empty, or a value is not finite.
 */
export function labelPermutationPValue(
  [first, second]: readonly [first: readonly number[], second: readonly number[]],
  rng: Rng,
  options: PairedOptions = {},
): number {
  const { permutations = 10_000 } = options;
  const observed = Math.abs(meanOf(first) - meanOf(second));
  const all = [...first, ...second];
  const total = all.reduce((sum, value) => sum + value, 0);
  let extreme = 1;
  for (let i = 0; i < permutations; i += 1) {
    let sum = 0;
    // A partial Fisher-Yates shuffle: only the first group need be drawn.
    for (let j = 0; j < first.length; j += 1) {
      const at = j + rng.int(all.length - j);
      [all[j], all[at]] = [all[at] as number, all[j] as number];
      sum += all[j] as number;
    }
    const difference = Math.abs(sum / first.length - (total - sum) / second.length);
    if (difference >= observed - 1e-9) extreme += 1;
  }
  return extreme / (permutations + 1);
}
