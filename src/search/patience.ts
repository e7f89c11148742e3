/**
 * When a harness phase stops (whale-spec 2.8): at iteration `max`, or once `patience` iterations have passed without a
 * new best candidate, counted from iteration `min` on. As in the reference the phase's own h0 does not count towards the
 * best; unlike there, the state is plain JSON and is kept for resume.
 */

/** How long a harness phase lasts, in iterations. */
export type PatienceConfig = {
  /** No early stop before this iteration; 0 turns early stopping off. */
  readonly min: number;
  /** Iterations without a new best before the phase stops. */
  readonly patience: number;
  /** The phase never goes beyond this iteration. */
  readonly max: number;
};

/** The paper's fixed schedule: five iterations, no early stop. */
export const FIXED_PATIENCE: PatienceConfig = { min: 0, patience: 2, max: 5 };
/** The paper's adaptive schedule. */
export const ADAPTIVE_PATIENCE: PatienceConfig = { min: 5, patience: 2, max: 15 };

/** What the rule remembers. */
export type PatienceState = {
  /** Iterations that have ended. */
  readonly iteration: number;
  /** Best mean reward of a candidate so far; null before the first. */
  readonly best: number | null;
  /** Iteration of `best`; 0 before the first. */
  readonly bestIteration: number;
};

/** Before the first iteration. */
export const PATIENCE_START: PatienceState = { iteration: 0, best: null, bestIteration: 0 };

/** Ends an iteration whose best candidate scored `best`, or undefined where none was evaluated. */
export function advancePatience(state: PatienceState, best: number | undefined): PatienceState {
  const iteration = state.iteration + 1;
  if (best === undefined || (state.best !== null && best <= state.best)) return { ...state, iteration };
  return { iteration, best, bestIteration: iteration };
}

/** Why the phase is over, or undefined while it goes on. */
export function patienceVerdict(state: PatienceState, config: PatienceConfig): "max" | "patience" | undefined {
  if (state.iteration >= config.max) return "max";
  if (config.min === 0 || state.iteration < config.min) return undefined;
  return state.iteration - state.bestIteration >= config.patience ? "patience" : undefined;
}
