/**
 * Which phase comes next. Pure: the answer follows from the plan and from what has been done, so a resumed run asks the
 * same question and gets the same answer.
 *
 * Weights come first (in `fst-native` prompts do) and, where both parts are on, the last phase is a weight phase: the loop ends with the phase that
 * reaches the step total. In the paper's notation (E, I) a weight phase has E epochs, and I counts the evaluation of the
 * incoming harness as one iteration, so that a harness phase makes I - 1 rounds of proposals.
 */
import type { Condition } from "./conditions.ts";

/** Lengths of a run. */
export type ScheduleConfig = {
  /** RSFT steps over the whole run. */
  readonly totalSteps: number;
  /** RSFT steps of one weight phase; the last phase may be shorter. Ignored where phases end by patience. */
  readonly phaseSteps: number;
  /** I: iterations of one harness phase, the evaluation of the incoming harness included. */
  readonly iterations: number;
  /** I of the single harness phase of `harness-only`. */
  readonly harnessOnlyIterations: number;
  /** Most weight phases of a run that alternates, whatever the total. */
  readonly maxCycles: number;
  /** RSFT steps of `stagewise`; 0 takes `totalSteps`. */
  readonly stagewiseSteps: number;
  /** I of the single harness phase of `stagewise`; 0 takes as many proposals as the alternating run makes in all. */
  readonly stagewiseIterations: number;
};

/** Lengths of the phases of `fst-native`. */
export type FastSlowLengths = {
  /** RSFT steps of a slow phase. */
  readonly steps: number;
  /** Most proposals of a fast phase that comes before `steps` of them. */
  readonly proposals: (steps: number) => number;
};

/** Everything that decides which phases there are. */
export type SchedulePlan = {
  readonly condition: Condition;
  readonly schedule: ScheduleConfig;
  /** Most rounds of proposals in a harness phase that ends by patience. */
  readonly maxIterations: number;
  readonly fastSlow: FastSlowLengths;
};

/** What a run has done. */
export type ScheduleProgress = {
  /** Phases completed. */
  readonly phases: number;
  /** RSFT steps completed. */
  readonly steps: number;
};

/** One phase to come. */
export type Phase = {
  /** Counted from 1 over the run. */
  readonly index: number;
  /** Counted from 1; a weight phase and the harness phase after it share one. */
  readonly cycle: number;
} & (
  | {
      readonly kind: "weights";
      /** RSFT steps, or the most of them where patience ends the phase. */
      readonly steps: number;
    }
  | {
      readonly kind: "harness";
      /** Rounds of proposals after the evaluation of the incoming harness, or the most of them. */
      readonly rounds: number;
    }
);

/** The next phase, or undefined when the run is complete. */
export function nextPhase(plan: SchedulePlan, progress: ScheduleProgress): Phase | undefined {
  const { condition, schedule } = plan;
  const index = progress.phases + 1;
  if (!condition.weights) {
    const rounds = Math.max(1, schedule.harnessOnlyIterations - 1);
    return index === 1 ? { index, cycle: 1, kind: "harness", rounds } : undefined;
  }
  if (condition.order === "stagewise") return stagewisePhase(plan, index);

  const left = schedule.totalSteps - progress.steps;
  if (condition.order === "fast-slow") return fastSlowPhase(plan, index, left);
  const cycle = condition.harness ? Math.ceil(index / 2) : index;
  if (condition.harness && index % 2 === 0) {
    // The weight phase just done was the last one, by steps or by count: no harness phase follows it.
    if (left <= 0 || cycle >= schedule.maxCycles) return undefined;
    return { index, cycle, kind: "harness", rounds: proposalRounds(plan) };
  }
  if (left <= 0 || cycle > schedule.maxCycles) return undefined;
  return { index, cycle, kind: "weights", steps: condition.adaptive ? left : Math.min(schedule.phaseSteps, left) };
}

/**
 * All phases of a run in order, with the lengths they have if patience stops none early; for progress bars and tests.
 */
export function planPhases(plan: SchedulePlan): Phase[] {
  const phases: Phase[] = [];
  let steps = 0;
  for (;;) {
    const phase = nextPhase(plan, { phases: phases.length, steps });
    if (phase === undefined) return phases;
    phases.push(phase);
    if (phase.kind === "weights") steps += phase.steps;
  }
}

/**
 * RSFT steps of a weight phase of E `epochs` (which may be a fraction), rounded as the reference rounds them.
 * `stepsPerEpoch` is the number of full prompt batches in the weight split.
 */
export function stepsOfEpochs(epochs: number, stepsPerEpoch: number): number {
  return Math.max(1, Math.round(epochs * stepsPerEpoch));
}

/** A single switch. */
function stagewisePhase(plan: SchedulePlan, index: number): Phase | undefined {
  const { totalSteps, phaseSteps, stagewiseSteps, stagewiseIterations } = plan.schedule;
  if (index === 1) return { index, cycle: 1, kind: "weights", steps: stagewiseSteps || totalSteps };
  if (index > 2) return undefined;
  const harnessPhases = Math.max(1, Math.ceil(totalSteps / phaseSteps) - 1);
  const rounds = stagewiseIterations > 0 ? stagewiseIterations - 1 : harnessPhases * proposalRounds(plan);
  return { index, cycle: 1, kind: "harness", rounds: Math.max(1, rounds) };
}

/** Prompts first, then steps under them, `left` of which remain; the last phase trains weights. */
function fastSlowPhase({ fastSlow }: SchedulePlan, index: number, left: number): Phase | undefined {
  if (left <= 0) return undefined;
  const cycle = Math.ceil(index / 2);
  const steps = Math.min(fastSlow.steps, left);
  return index % 2 === 0
    ? { index, cycle, kind: "weights", steps }
    : { index, cycle, kind: "harness", rounds: fastSlow.proposals(steps) };
}

function proposalRounds({ condition, schedule, maxIterations }: SchedulePlan): number {
  return condition.adaptive ? maxIterations : Math.max(1, schedule.iterations - 1);
}
