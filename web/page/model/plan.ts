/** How many rollouts a run will spend if no phase ends early: the length of the horizontal axis before the run is done. */
import { planPhases, planSchedule, type ExperimentConfig } from "../../../src/index.ts";
import type { RunView } from "./run-view.ts";

/** Training and search rollouts of the whole plan, at most. */
export function plannedRollouts(config: ExperimentConfig): number {
  const { rsft, search, tasks } = config;
  return planPhases(planSchedule(config)).reduce((sum, phase) => {
    if (phase.kind === "weights") return sum + phase.steps * rsft.prompts * rsft.samples;
    // The harness that came in is scored once, then each round scores its candidates.
    return sum + (1 + phase.rounds * search.candidates) * tasks.harness * search.samples;
  }, 0);
}

/** Right end of the horizontal axis for `view`. */
export function horizon(view: RunView): number {
  const reached = Math.max(view.spent, view.curve.at(-1)?.rollouts ?? 0);
  if (view.isComplete || view.config === undefined) return Math.max(1, reached);
  return Math.max(1, reached, plannedRollouts(view.config));
}
