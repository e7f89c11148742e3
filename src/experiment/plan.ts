/** What a config means in phases and rollouts: what the loop asks the schedule with, and what progress is priced by. */
import type { Split } from "../rollout/domain.ts";
import { CONDITION_TABLE } from "./conditions.ts";
import type { ExperimentConfig } from "./config.ts";
import type { RolloutUse } from "./ledger.ts";
import { planPhases, type SchedulePlan } from "./schedule.ts";

/** The schedule that `config` asks for. */
export function planSchedule(config: ExperimentConfig): SchedulePlan {
  const { condition, schedule, adaptive, fst } = config;
  return {
    condition: CONDITION_TABLE[condition],
    schedule,
    maxIterations: adaptive.harness.maxIterations,
    fastSlow: {
      steps: fst.batches,
      proposals: (steps) => mostProposals(config, anchorSize(config, steps * config.rsft.prompts)),
    },
  };
}

/** Tasks to load for each split; those of the setting `search.confirm` are part of the harness split. */
export function splitSizes({ tasks, search }: ExperimentConfig): Readonly<Record<Split, number>> {
  const { weight, harness, validation, test } = tasks;
  return { weight, harness: harness + search.confirm, validation, test };
}

/** Tasks in the anchor set of a fast phase whose batches hold `tasks`. */
export function anchorSize({ fst }: ExperimentConfig, tasks: number): number {
  return fst.anchor === 0 ? tasks : Math.min(fst.anchor, tasks);
}

/** Rollouts that a fast phase over `anchor` tasks may spend; those of the population that comes in are not among them. */
export function fastBudget({ fst }: ExperimentConfig, anchor: number): number {
  return fst.passes * anchor;
}

/** Rollouts of one piece of work of each kind: an RSFT step, an iteration of the search, an evaluation. */
export function rolloutsOfPieces(config: ExperimentConfig): Readonly<Record<RolloutUse, number>> {
  const { condition, rsft, search, tasks, evaluation } = config;
  return {
    weights: rsft.prompts * rsft.samples,
    harness:
      CONDITION_TABLE[condition].order === "fast-slow"
        ? meetRollouts(config)
        : search.candidates * tasks.harness * search.samples,
    evaluation: (tasks.validation + tasks.test) * evaluation.samples,
  };
}

/**
 * Rollouts of the whole run, evaluations included: a price, not a promise. Where patience ends the phases nobody knows
 * their number; then it is that of fixed lengths.
 */
export function plannedRollouts(config: ExperimentConfig): number {
  const piece = rolloutsOfPieces(config);
  const plan = planSchedule(config);
  const fixed = { ...plan, condition: { ...plan.condition, adaptive: false } };
  return planPhases(fixed).reduce((sum, phase) => {
    const work =
      phase.kind === "weights" ? phase.steps * piece.weights : phase.rounds * piece.harness + incomingRollouts(config);
    return sum + work + piece.evaluation;
  }, piece.evaluation);
}

/** Scoring what comes into a search, and in a fast phase the one pass that its proposals leave over. */
function incomingRollouts(config: ExperimentConfig): number {
  const { condition, fst, rsft, search, tasks } = config;
  if (CONDITION_TABLE[condition].order !== "fast-slow") return tasks.harness * search.samples;
  return (1 + fst.population) * anchorSize(config, fst.batches * rsft.prompts);
}

/** Parent and child side by side on one minibatch. */
function meetRollouts({ fst }: ExperimentConfig): number {
  return 2 * fst.minibatch;
}

/** If no proposal ever wins its minibatch; one more pass is held back for one that does. */
function mostProposals(config: ExperimentConfig, anchor: number): number {
  return Math.max(1, Math.floor((fastBudget(config, anchor) - anchor) / meetRollouts(config)));
}
