/**
 * When an adaptive weight phase ends: sliding-window patience over the mean training reward.
 *
 * After each step the mean of the last `window` rewards of this phase is compared with the best such mean so far. As in
 * the reference, means over a prefix shorter than the window count too, so that one lucky first step can set a mark that
 * a full window never beats; `requireFullWindow` leaves those out. The state is plain JSON, so it survives a restart.
 */

/** Settings, in RSFT steps. */
export type WeightPatienceConfig = {
  /** Steps averaged; 0 averages the whole phase. */
  readonly window: number;
  /** No stop before more than this many steps. */
  readonly burnIn: number;
  /** Stop when the best mean is this many steps old, or older. */
  readonly patience: number;
  /** Compare only means over a full window. */
  readonly requireFullWindow: boolean;
};

/** What must be remembered between steps of one phase. */
export type WeightPatienceState = {
  /** Reward of each step of this phase. */
  readonly rewards: readonly number[];
  /** Best mean so far; null before the first. */
  readonly best: number | null;
  /** Step of the phase, from 1, that set `best`; 0 before the first. */
  readonly bestStep: number;
};

/** The state at the start of a phase. */
export const FRESH_WEIGHT_PATIENCE: WeightPatienceState = { rewards: [], best: null, bestStep: 0 };

/** Takes in the mean `reward` of one more step; returns the new state and whether the phase should stop. */
export function observeReward(
  state: WeightPatienceState,
  reward: number,
  config: WeightPatienceConfig,
): { readonly state: WeightPatienceState; readonly stop: boolean } {
  const rewards = [...state.rewards, reward];
  const step = rewards.length;
  const full = config.window === 0 || step >= config.window;
  const recent = config.window > 0 ? rewards.slice(-config.window) : rewards;
  const mean = recent.reduce((sum, value) => sum + value, 0) / recent.length;
  const counts = full || !config.requireFullWindow;
  const better = counts && (state.best === null || mean > state.best);
  const best = better ? mean : state.best;
  const bestStep = better ? step : state.bestStep;
  const stop = step > config.burnIn && best !== null && step - bestStep >= config.patience;
  return { state: { rewards, best, bestStep }, stop };
}
