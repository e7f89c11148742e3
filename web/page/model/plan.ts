/** How many rollouts a run will spend if no phase ends early: the length of the horizontal axis before the run is done. */
import { plannedRollouts, planPhases, planSchedule, type ExperimentConfig } from "../../../src/index.ts";
import type { RunView } from "./run-view.ts";

/** Training and search rollouts of the whole plan, at most; evaluations cost none of the axis. */
export function plannedSpending(config: ExperimentConfig): number {
  const evaluations = planPhases(planSchedule(config)).length + 1;
  const { tasks, evaluation } = config;
  return plannedRollouts(config) - evaluations * (tasks.validation + tasks.test) * evaluation.samples;
}

/** Right end of the horizontal axis for `view` with `overlays` laid over it, all of which are shown whole. */
export function horizon(view: RunView, overlays: readonly Pick<RunView, "curve">[] = []): number {
  const ends = [view, ...overlays].map(({ curve }) => curve.at(-1)?.rollouts ?? 0);
  const reached = Math.max(view.spent, ...ends);
  if (view.isComplete || view.config === undefined) return Math.max(1, reached);
  return Math.max(1, reached, plannedSpending(view.config));
}
