import { describe, expect, it } from "vitest";
import { CONDITIONS } from "../../src/experiment/conditions.ts";
import { fastBudget, plannedRollouts, planSchedule } from "../../src/experiment/plan.ts";
import { resolveConfig } from "../../src/experiment/presets.ts";
import { runExperiment } from "../../src/experiment/run.ts";
import { planPhases } from "../../src/experiment/schedule.ts";
import { createDirectSandbox } from "../support/direct-sandbox.ts";
import { makeParts, memoryFolder, smallConfig, TINY_SIZES } from "../support/experiment.ts";

describe("planSchedule", () => {
  it("has the numbers of the paper on Fast-Slow Training when the preset is full", () => {
    const config = resolveConfig("full", { domain: "math-reasoning", condition: "fst-native", model: "tiny", seed: 0 });
    expect(config.fst).toMatchObject({ population: 4, batches: 6, passes: 5, minibatch: 3, anchor: 192 });
    expect(fastBudget(config, 192)).toBe(960);
    const phases = planPhases(planSchedule(config));
    expect(phases.length).toBe(2 * 70);
    expect(phases[0]).toMatchObject({ kind: "harness", rounds: (960 - 192) / 6 });
    expect(phases[1]).toMatchObject({ kind: "weights", steps: 6 });
  });
});

describe("plannedRollouts", () => {
  // Phases that end by patience have no planned number.
  it.each(CONDITIONS.filter((name) => name !== "adaptive"))(
    "is at least what a run of %s spends, and not twice as much",
    async (condition) => {
      const config = smallConfig(condition, TINY_SIZES);
      const store = await memoryFolder(config).open();
      const { ledger } = await runExperiment(config, makeParts(config, { sandbox: createDirectSandbox(), store }));
      const spent = Object.values(ledger.rollouts).reduce((sum, count) => sum + count, 0);
      expect(spent).toBeLessThanOrEqual(plannedRollouts(config));
      expect(spent).toBeGreaterThan(0.4 * plannedRollouts(config));
    },
  );
});
