/**
 * How well weights and harness do on a set of tasks: mean@k with a bootstrap interval over tasks.
 *
 * Sampling is the training sampler's, not greedy, as in WHALE. The caller keys each rollout by run seed, purpose, task and
 * sample, so evaluations with the same seed and purpose meet the same random streams and can be compared in pairs.
 */
import { createRng } from "../base/rng.ts";
import type { Task } from "../rollout/domain.ts";
import type { RolloutTrace } from "../rollout/trace.ts";
import { bootstrapMean, meanOf, type MeanInterval } from "../stats/bootstrap.ts";

/** A rollout that an evaluation asks for. */
export type EvaluationRollout = { readonly task: Task; readonly sample: number };

/** What an evaluation needs. */
export type EvaluationOptions = {
  /** Runs the rollouts; traces come in the order of the requests. */
  readonly rollouts: (requests: readonly EvaluationRollout[]) => Promise<readonly RolloutTrace[]>;
  /** k: rollouts a task. */
  readonly samples: number;
  /** Bootstrap resamples over tasks. @default 2000 */
  readonly resamples?: number;
  /** Mass of the interval. @default 0.95 */
  readonly confidence?: number;
  /** Keys the bootstrap's stream. */
  readonly seed: number;
};

/** Scores by task, as kept in a run folder. */
export type TaskScores = {
  /** k: rollouts a task. */
  readonly samples: number;
  /** Task ids. */
  readonly tasks: readonly string[];
  /** Mean reward of each task, in the order of `tasks`. */
  readonly means: readonly number[];
};

/** The outcome. */
export type EvaluationResult = MeanInterval & {
  readonly scores: TaskScores;
  /** All rollouts, samples of one task beside each other. */
  readonly traces: readonly RolloutTrace[];
};

/**
 * Evaluates on `tasks`.
 * @throws {RangeError} If there are no tasks.
 */
export async function evaluate(tasks: readonly Task[], options: EvaluationOptions): Promise<EvaluationResult> {
  const { samples, resamples = 2000, confidence = 0.95 } = options;
  const requests = tasks.flatMap((task) => Array.from({ length: samples }, (_, sample) => ({ task, sample })));
  const traces = await options.rollouts(requests);
  const means = tasks.map((_, i) => meanOf(traces.slice(i * samples, (i + 1) * samples).map(({ reward }) => reward)));
  const interval = bootstrapMean(means, createRng(options.seed, "bootstrap"), { resamples, confidence });
  return { ...interval, scores: { samples, tasks: tasks.map(({ id }) => id), means }, traces };
}
