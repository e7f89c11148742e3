/**
 * What one condition reached over its runs (seeds): the figures that a comparison reports and the curve between them, each
 * with an interval over seeds and tasks. Curves are lines between evaluated points; a run that has ended stays where it is.
 */
import { createRng } from "../base/rng.ts";
import { areaUnderCurve, clipCurve, heightAt, type CurvePoint } from "../stats/area-under-curve.ts";
import type { MeanInterval } from "../stats/bootstrap.ts";
import { hierarchicalIntervals, type Cluster } from "../stats/hierarchical.ts";
import type { TaskScores } from "./evaluate.ts";

/**
 * The figures of a run: before anything; at the point best on validation; at the point best on test, which is how the
 * paper chose; at the end; and the mean height of the curve up to a budget of rollouts that all conditions reached.
 */
export const MEASURES = ["base", "chosen", "bestOnTest", "final", "area"] as const;
/** One of `MEASURES`. */
export type Measure = (typeof MEASURES)[number];

/** One evaluated point of a run. */
export type ScoredPoint = { readonly rollouts: number; readonly scores: TaskScores };

/** One run, by its scores on test. */
export type ScoredRun = {
  readonly name: string;
  readonly seed: number;
  /** In order; the first is the base. */
  readonly curve: readonly ScoredPoint[];
  /** Index in `curve` of the point best on validation. */
  readonly chosen: number;
  readonly bestOnTest: number;
};

/** The runs of one condition, which differ in their seed alone. */
export type ConditionRuns = { readonly label: string; readonly runs: readonly ScoredRun[] };

/** How to draw and how far to look. */
export type ComparisonOptions = {
  /** Rollouts up to which areas are taken. */
  readonly budget: number;
  /** @default 2000 */
  readonly resamples?: number;
  /** @default 0.95 */
  readonly confidence?: number;
  /** Keys the random streams. @default 0 */
  readonly seed?: number;
};

/** One height of a condition's mean curve. */
export type BandPoint = MeanInterval & { readonly rollouts: number };

/** A condition, described. */
export type ConditionSummary = {
  readonly label: string;
  readonly seeds: readonly number[];
  /** Tasks of each run. */
  readonly tasks: readonly number[];
  /** Whether all runs met the same tasks. */
  readonly crossed: boolean;
  readonly measures: Readonly<Record<Measure, MeanInterval>>;
  readonly curve: readonly BandPoint[];
};

/** Figures of each task of a run, in the order of `MEASURES`, then heights at the rollouts asked for. */
export type MeasuredRun = { readonly seed: number; readonly tasks: readonly string[]; readonly rows: Cluster };

/** Most rollouts that every one of `conditions` reached with each of its runs. */
export function commonBudget(conditions: readonly ConditionRuns[]): number {
  return Math.min(...conditions.flatMap(({ runs }) => runs.map(({ curve }) => curve.at(-1)?.rollouts ?? 0)));
}

/**
 * Figures and curve of `condition` with intervals.
 * @throws {RangeError} If it has no run, or a run has no point or no task.
 */
export function describeCondition(condition: ConditionRuns, options: ComparisonOptions): ConditionSummary {
  const { label, runs } = condition;
  const { budget, seed = 0 } = options;
  const stops = [...new Set(runs.flatMap(({ curve }) => curve.map(({ rollouts }) => rollouts)))].sort((a, b) => a - b);
  const measured = runs.map((run) => measureRun(run, { budget, stops }));
  const crossed = haveSameTasks(measured);
  const clusters = measured.map(({ rows }) => rows);
  const intervals = hierarchicalIntervals(clusters, createRng(seed, "condition", label), { ...options, crossed });
  return {
    label,
    seeds: runs.map((run) => run.seed),
    tasks: measured.map(({ tasks }) => tasks.length),
    crossed,
    measures: byMeasure((i) => intervals[i] as MeanInterval),
    curve: stops.map((rollouts, i) => ({ rollouts, ...(intervals[MEASURES.length + i] as MeanInterval) })),
  };
}

/**
 * Every task of `run` with its figures, and its heights at `stops`.
 * @throws {RangeError} If there is no point.
 */
export function measureRun(
  run: ScoredRun,
  { budget, stops = [] }: { readonly budget: number; readonly stops?: readonly number[] },
): MeasuredRun {
  const points = run.curve.map(({ rollouts, scores }) => ({
    rollouts,
    means: new Map(scores.tasks.map((id, i) => [id, scores.means[i] as number])),
  }));
  const tasks = (run.curve[0]?.scores.tasks ?? []).filter((id) => points.every(({ means }) => means.has(id)));
  const rows = tasks.map((id) => {
    const line: CurvePoint[] = points.map(({ rollouts, means }) => ({ x: rollouts, y: means.get(id) as number }));
    const at = (index: number): number => (line.at(index) as CurvePoint).y;
    const figures: Readonly<Record<Measure, number>> = {
      base: at(0),
      chosen: at(run.chosen),
      bestOnTest: at(run.bestOnTest),
      final: at(-1),
      area: areaUnderCurve(clipCurve(line, budget)),
    };
    return [...MEASURES.map((measure) => figures[measure]), ...stops.map((x) => heightAt(line, x))];
  });
  return { seed: run.seed, tasks, rows };
}

/** Whether all of `runs` met the same tasks in the same order. */
export function haveSameTasks(runs: readonly MeasuredRun[]): boolean {
  return new Set(runs.map(({ tasks }) => tasks.join())).size === 1;
}

/** A record with the value of `at(index of the measure)` for each measure. */
export function byMeasure<T>(at: (index: number) => T): Readonly<Record<Measure, T>> {
  return Object.fromEntries(MEASURES.map((measure, i) => [measure, at(i)])) as Record<Measure, T>;
}
