/**
 * Bootstrap over two levels (Davison & Hinkley 1997, section 3.8): runs with their seeds, and tasks within a run. Both are
 * drawn with replacement, so an interval speaks of new seeds and of new tasks. Every run weighs the same.
 *
 * Where all runs met the same tasks, one draw of tasks serves all runs (crossed); else each run draws its own (nested).
 * With few runs the interval is too narrow, since there are few seeds to draw from; with one run it covers tasks alone.
 */
import type { Rng } from "../base/rng.ts";
import { quantile, type BootstrapOptions, type MeanInterval } from "./bootstrap.ts";

/** One run: [tasks][K] values, K things measured of each task. */
export type Cluster = readonly (readonly number[])[];

/** How to draw. */
export type HierarchicalOptions = BootstrapOptions & {
  /** Whether row i is the same task in every cluster. @default false */
  readonly crossed?: boolean;
};

/**
 * The K means of `clusters`: over the tasks of each, then over clusters.
 * @throws {RangeError} If there is no cluster, or one is empty, or rows differ in length.
 */
export function clusterMeans(clusters: readonly Cluster[]): number[] {
  const width = checkClusters(clusters);
  const means = new Array<number>(width).fill(0);
  for (const cluster of clusters)
    for (const row of cluster)
      for (let k = 0; k < width; k += 1)
        means[k] = (means[k] as number) + (row[k] as number) / (cluster.length * clusters.length);
  return means;
}

/**
 * Resampled means: [K] arrays of `resamples` values each, all K from the same draws. Equal streams give equal results.
 * @throws {RangeError} Like `clusterMeans`, or if clusters that are crossed differ in size.
 */
export function resampleClusters(
  clusters: readonly Cluster[],
  rng: Rng,
  options: HierarchicalOptions = {},
): Float64Array[] {
  const { resamples = 2000, crossed = false } = options;
  const width = checkClusters(clusters);
  const tasks = clusters[0]?.length ?? 0;
  if (crossed && clusters.some((cluster) => cluster.length !== tasks))
    throw new RangeError("resampleClusters: crossed clusters must have the same tasks");
  const draws = Array.from({ length: width }, () => new Float64Array(resamples));
  for (let i = 0; i < resamples; i += 1) {
    const shared = crossed ? drawRows(tasks, rng) : undefined;
    for (let c = 0; c < clusters.length; c += 1) {
      const cluster = clusters[rng.int(clusters.length)] as Cluster;
      const rows = shared ?? drawRows(cluster.length, rng);
      const weight = 1 / (rows.length * clusters.length);
      for (const index of rows) {
        const row = cluster[index] as readonly number[];
        for (const [k, column] of draws.entries()) column[i] = (column[i] as number) + weight * (row[k] as number);
      }
    }
  }
  return draws;
}

/**
 * Means of `clusters` with percentile intervals, one for each of the K columns.
 * @throws {RangeError} Like `resampleClusters`, or if an option lies outside its range.
 */
export function hierarchicalIntervals(
  clusters: readonly Cluster[],
  rng: Rng,
  options: HierarchicalOptions = {},
): MeanInterval[] {
  const means = clusterMeans(clusters);
  return resampleClusters(clusters, rng, options).map((draws, k) => ({
    mean: means[k] as number,
    ...percentileInterval(draws, options.confidence),
  }));
}

/** The middle `confidence` of `draws`, whose order does not matter. @throws {RangeError} If it lies outside (0, 1). */
export function percentileInterval(
  draws: Float64Array,
  confidence = 0.95,
): { readonly low: number; readonly high: number } {
  if (!(confidence > 0 && confidence < 1))
    throw new RangeError(`percentileInterval: confidence must be in (0, 1), got ${String(confidence)}`);
  const sorted = draws.toSorted();
  const tail = (1 - confidence) / 2;
  return { low: quantile(sorted, tail), high: quantile(sorted, 1 - tail) };
}

function drawRows(count: number, rng: Rng): number[] {
  return Array.from({ length: count }, () => rng.int(count));
}

function checkClusters(clusters: readonly Cluster[]): number {
  const width = clusters[0]?.[0]?.length;
  if (width === undefined || clusters.some((cluster) => cluster.length === 0))
    throw new RangeError("hierarchical bootstrap: expected one run or more, each with a task or more");
  for (const row of clusters.flat()) {
    if (row.length !== width) throw new RangeError("hierarchical bootstrap: tasks must be measured alike");
    if (!row.every(Number.isFinite)) throw new RangeError("hierarchical bootstrap: values must be finite");
  }
  return width;
}
