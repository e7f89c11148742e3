import { describe, expect, it } from "vitest";
import { ADAPTIVE_PATIENCE, advancePatience, PATIENCE_START, patienceVerdict } from "../../src/search/patience.ts";
import type { PatienceConfig } from "../../src/search/patience.ts";

/** Iteration at which the phase stops for the best score of each iteration, worked out by hand beside each case. */
function stopOf(scores: readonly (number | undefined)[], config: PatienceConfig): [number, string | undefined] {
  let state = PATIENCE_START;
  for (const score of scores) {
    state = JSON.parse(JSON.stringify(advancePatience(state, score))) as typeof state;
    const verdict = patienceVerdict(state, config);
    if (verdict) return [state.iteration, verdict];
  }
  return [state.iteration, undefined];
}

describe("patienceVerdict", () => {
  it.each<[string, [(number | undefined)[], PatienceConfig, [number, string | undefined]]]>([
    ["min 0 never stops early", [[0.5, 0.4, 0.4, 0.4], { min: 0, patience: 1, max: 9 }, [4, undefined]]],
    ["max stops", [[0.1, 0.2, 0.3], { min: 0, patience: 1, max: 3 }, [3, "max"]]],
    ["patience counts from the best", [[0.5, 0.4, 0.4], { min: 1, patience: 2, max: 9 }, [3, "patience"]]],
    ["an equal score is no new best", [[0.5, 0.5, 0.5], { min: 1, patience: 2, max: 9 }, [3, "patience"]]],
    ["min holds the stop back", [[0.5, 0.4, 0.4, 0.4, 0.4], ADAPTIVE_PATIENCE, [5, "patience"]]],
    ["a late best extends", [[0.5, 0.4, 0.4, 0.4, 0.6, 0.1, 0.1], ADAPTIVE_PATIENCE, [7, "patience"]]],
    ["empty iterations count", [[undefined, undefined], { min: 1, patience: 2, max: 9 }, [2, "patience"]]],
    ["a first score below 0 is still the best", [[-1, -2, -2], { min: 1, patience: 2, max: 9 }, [3, "patience"]]],
  ])("%s", (_name, [scores, config, expected]) => {
    expect(stopOf(scores, config)).toEqual(expected);
  });
});
