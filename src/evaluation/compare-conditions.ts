/**
 * How much better one condition is than another, and how many rollouts it takes to pass the other's peak.
 *
 * Runs of one seed that share tasks are compared task by task, which takes the difficulty of tasks and most of the luck of
 * the seed out of the difference. Where nothing can be paired, both sides are drawn on their own and the result says so.
 */
import { createRng, type Rng } from "../base/rng.ts";
import { firstAbove } from "../stats/area-under-curve.ts";
import { meanOf, type MeanInterval } from "../stats/bootstrap.ts";
import { hierarchicalIntervals, type Cluster } from "../stats/hierarchical.ts";
import { signFlipPValue } from "../stats/paired.ts";
import { labelPermutationPValue, unpairedDifference } from "../stats/unpaired.ts";
import {
  byMeasure,
  haveSameTasks,
  measureRun,
  type ComparisonOptions,
  type ConditionRuns,
  type ConditionSummary,
  type Measure,
  type MeasuredRun,
} from "./condition-scores.ts";

/** The difference in one figure. */
export type FigureDifference = {
  /** First minus second, as a share. */
  readonly difference: number;
  readonly low: number;
  readonly high: number;
  /** Over tasks, for these runs: sign flips where paired, else permuted labels. */
  readonly pValue: number;
  /** Sign flips over seeds; null where fewer than two seeds are paired. With n seeds it cannot fall below 2 / 2^n. */
  readonly pSeeds: number | null;
};

/** Two conditions compared. */
export type ConditionDifference = {
  readonly first: string;
  readonly second: string;
  readonly paired: boolean;
  /** Seeds that both have with the same tasks, or runs of the smaller side where nothing is paired. */
  readonly seeds: number;
  /** Pairs of scores that went in, or scores of the smaller side. */
  readonly tasks: number;
  readonly measures: Readonly<Record<Measure, FigureDifference>>;
};

/** Rollouts that `first` needs to rise above the best mean of `second`. */
export type PeakPassed = {
  readonly first: string;
  readonly second: string;
  /** Highest mean of the second's curve. */
  readonly peak: number;
  /** Rollouts at which the second reached it. */
  readonly peakAt: number;
  /** Null where the first never rises above it. */
  readonly rollouts: number | null;
};

/**
 * The difference of `first` minus `second` in every figure.
 * @throws {RangeError} If a side has no run or no task.
 */
export function compareConditions(
  first: ConditionRuns,
  second: ConditionRuns,
  options: ComparisonOptions,
): ConditionDifference {
  const [mine, theirs] = [first, second].map(({ runs }) => runs.map((run) => measureRun(run, options))) as [
    MeasuredRun[],
    MeasuredRun[],
  ];
  const rng = createRng(options.seed ?? 0, "difference", first.label, second.label);
  const pairs = pairRuns(mine, theirs);
  const about = { first: first.label, second: second.label };
  if (pairs.length > 0) {
    const tasks = pairs.reduce((sum, pair) => sum + pair.tasks.length, 0);
    return { ...about, paired: true, seeds: pairs.length, tasks, measures: pairedMeasures(pairs, rng, options) };
  }
  const size = (runs: readonly MeasuredRun[]): number => runs.reduce((sum, { tasks }) => sum + tasks.length, 0);
  return {
    ...about,
    paired: false,
    seeds: Math.min(mine.length, theirs.length),
    tasks: Math.min(size(mine), size(theirs)),
    measures: byMeasure((k) => unpairedMeasure([column(mine, k), column(theirs, k)], rng, options)),
  };
}

/** When the mean curve of `first` passes the peak of that of `second`. */
export function rolloutsToPass(first: ConditionSummary, second: ConditionSummary): PeakPassed {
  const peak = second.curve.reduce((best, point) => (point.mean > best.mean ? point : best));
  const line = first.curve.map(({ rollouts, mean }) => ({ x: rollouts, y: mean }));
  const passed = firstAbove(line, peak.mean);
  return {
    first: first.label,
    second: second.label,
    peak: peak.mean,
    peakAt: peak.rollouts,
    rollouts: passed === undefined ? null : Math.ceil(passed),
  };
}

/** Differences of the runs with one seed, on the tasks that both have. */
function pairRuns(mine: readonly MeasuredRun[], theirs: readonly MeasuredRun[]): MeasuredRun[] {
  return mine.flatMap((run) => {
    const partner = theirs.find(({ seed }) => seed === run.seed);
    const rows = new Map(partner?.tasks.map((id, i) => [id, partner.rows[i] as readonly number[]]));
    const tasks = run.tasks.filter((id) => rows.has(id));
    if (tasks.length === 0) return [];
    const own = new Map(run.tasks.map((id, i) => [id, run.rows[i] as readonly number[]]));
    const differences = tasks.map((id) => (own.get(id) ?? []).map((value, k) => value - (rows.get(id)?.[k] as number)));
    return [{ seed: run.seed, tasks, rows: differences }];
  });
}

function pairedMeasures(
  pairs: readonly MeasuredRun[],
  rng: Rng,
  options: ComparisonOptions,
): Readonly<Record<Measure, FigureDifference>> {
  const crossed = haveSameTasks(pairs);
  const clusters = pairs.map(({ rows }) => rows);
  const intervals = hierarchicalIntervals(clusters, rng, { ...options, crossed });
  return byMeasure((k) => {
    const bySeed = clusters.map((rows) => rows.map((row) => row[k] as number));
    // A task that all seeds met is one piece of evidence, not one for each seed.
    const byTask = crossed
      ? (bySeed[0] ?? []).map((_, t) => meanOf(bySeed.map((of) => of[t] as number)))
      : bySeed.flat();
    const { mean: difference, low, high } = intervals[k] as MeanInterval;
    return {
      difference,
      low,
      high,
      pValue: signFlipPValue(byTask, rng),
      pSeeds: bySeed.length < 2 ? null : signFlipPValue(bySeed.map(meanOf), rng),
    };
  });
}

function column(runs: readonly MeasuredRun[], k: number): Cluster[] {
  return runs.map(({ rows }) => rows.map((row) => [row[k] as number]));
}

function unpairedMeasure(
  sides: readonly [Cluster[], Cluster[]],
  rng: Rng,
  options: ComparisonOptions,
): FigureDifference {
  const values = (side: readonly Cluster[]): number[] => side.flat(2);
  const pValue = labelPermutationPValue([values(sides[0]), values(sides[1])], rng);
  return { ...unpairedDifference(sides, rng, options), pValue, pSeeds: null };
}
