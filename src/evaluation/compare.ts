/** The paired difference of two evaluations: of two points of one run, or of two runs on the same tasks. */
import { TaskError } from "../base/errors.ts";
import { createRng } from "../base/rng.ts";
import { comparePaired, type PairedComparison } from "../stats/paired.ts";
import type { TaskScores } from "./evaluate.ts";

/** Options of `compareScores`. */
export type CompareOptions = {
  /** Keys the random streams of the interval and the test. @default 0 */
  readonly seed?: number;
  /** @default 2000 */
  readonly resamples?: number;
  /** @default 0.95 */
  readonly confidence?: number;
};

/** A comparison on the tasks that both evaluations have. */
export type ScoreComparison = PairedComparison & {
  /** Means over the shared tasks. */
  readonly first: number;
  readonly second: number;
  /** Tasks that only one of the two has. */
  readonly unshared: number;
};

/**
 * Compares `first` with `second` task by task; `difference` is first minus second.
 * @throws {TaskError} If they share no task.
 */
export function compareScores(first: TaskScores, second: TaskScores, options: CompareOptions = {}): ScoreComparison {
  const { seed = 0, resamples = 2000, confidence = 0.95 } = options;
  const other = new Map(second.tasks.map((id, i) => [id, second.means[i] as number]));
  const shared = first.tasks.flatMap((id, i): [number, number][] => {
    const score = other.get(id);
    return score === undefined ? [] : [[first.means[i] as number, score]];
  });
  if (shared.length === 0) throw new TaskError("compare: the two evaluations share no task");
  const [mine, theirs] = [shared.map(([score]) => score), shared.map(([, score]) => score)];
  const paired = comparePaired([mine, theirs], createRng(seed, "compare"), { resamples, confidence });
  const mean = (scores: readonly number[]): number => scores.reduce((sum, score) => sum + score, 0) / scores.length;
  return {
    ...paired,
    first: mean(mine),
    second: mean(theirs),
    unshared: first.tasks.length + second.tasks.length - 2 * shared.length,
  };
}
