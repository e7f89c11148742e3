import { describe, expect, it } from "vitest";
import {
  FRESH_WEIGHT_PATIENCE,
  observeReward,
  type WeightPatienceConfig,
} from "../../src/experiment/weight-patience.ts";

const STRICT: WeightPatienceConfig = { window: 3, burnIn: 0, patience: 2, requireFullWindow: false };

type Case = {
  readonly rewards: readonly number[];
  readonly change: Partial<WeightPatienceConfig>;
  readonly stop: number | undefined;
};

/** The step at which a phase with these rewards ends, or undefined where it never does. */
function stopStep(rewards: readonly number[], config: WeightPatienceConfig): number | undefined {
  let state = FRESH_WEIGHT_PATIENCE;
  for (const [index, reward] of rewards.entries()) {
    const seen = observeReward(state, reward, config);
    if (seen.stop) return index + 1;
    // Through JSON and back, as a resumed run gets it.
    state = JSON.parse(JSON.stringify(seen.state)) as typeof state;
  }
  return undefined;
}

describe("observeReward", () => {
  // Worked by hand from the rule: best is a strict maximum of window means, stop when step > burnIn and
  // step - bestStep >= patience.
  it.each<[string, Case]>([
    ["never stops while the mean rises", { rewards: [0.1, 0.2, 0.3, 0.4, 0.5], change: {}, stop: undefined }],
    // means 0.9, 0.5, 0.4, 0.2: the lucky first step sets the mark, step 3 is two steps later
    ["lets a prefix shorter than the window set the mark", { rewards: [0.9, 0.1, 0.2, 0.3], change: {}, stop: 3 }],
    // full windows only: 0.4 at step 3, 0.2 at 4, 0.333 at 5 -> stop
    [
      "compares full windows only when told so",
      { rewards: [0.9, 0.1, 0.2, 0.3, 0.5, 0.6], change: { requireFullWindow: true }, stop: 5 },
    ],
    // best at step 1; burn-in 4 holds until step 5, as the comparison is strict
    [
      "waits until more than burnIn steps are done",
      { rewards: [0.9, 0.1, 0.1, 0.1, 0.1, 0.1], change: { burnIn: 4 }, stop: 5 },
    ],
    // equal means do not beat the mark: steps 2 and 3 tie with step 1
    ["does not count a tie as better", { rewards: [0.5, 0.5, 0.5, 0.5], change: {}, stop: 3 }],
    ["stops at exactly the patience", { rewards: [0.5, 0.4, 0.3, 0.2], change: { patience: 3 }, stop: 4 }],
    // window 0 averages everything: 0, 0.5, 0.667 (best, 3), 0.5 (4), 0.4 (5) -> stop
    ["averages the whole phase when the window is 0", { rewards: [0, 1, 1, 0, 0, 1], change: { window: 0 }, stop: 5 }],
    // window 1: raw rewards 0.2, 0.6 (best), 0.5, 0.55 -> stop at 4
    ["compares single steps when the window is 1", { rewards: [0.2, 0.6, 0.5, 0.55], change: { window: 1 }, stop: 4 }],
    // window 3: 0.3, 0.45, 0.3, 0.5 (0.6 0 0.9), 0.3, 0.3 -> best at 4, stop at 6
    ["forgets what has left the window", { rewards: [0.3, 0.6, 0, 0.9, 0, 0], change: {}, stop: 6 }],
  ])("%s", (_, { rewards, change, stop }) => {
    expect(stopStep(rewards, { ...STRICT, ...change })).toBe(stop);
  });
});
