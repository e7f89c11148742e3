import { describe, expect, it } from "vitest";
import { PAPER_SCHEDULES, scheduleOverrides } from "../../src/experiment/ablation.ts";
import { overrideConfig, type ExperimentConfig } from "../../src/experiment/config.ts";
import { planSchedule } from "../../src/experiment/plan.ts";
import { resolveConfig } from "../../src/experiment/presets.ts";
import { planPhases } from "../../src/experiment/schedule.ts";

function lengths(config: ExperimentConfig): [steps: unknown, iterations: unknown][] {
  return PAPER_SCHEDULES.map((schedule) => {
    const overrides = scheduleOverrides(config, schedule);
    return [overrides["schedule.phaseSteps"], overrides["schedule.iterations"]];
  });
}

const full = (domain: string): ExperimentConfig =>
  resolveConfig("full", { domain, condition: "whale", model: "tiny", seed: 0 });

describe("scheduleOverrides", () => {
  it.each<[string, readonly [fifth: number, usual: number, whole: number]]>([
    ["search-qa", [15, 44, 74]],
    ["math-reasoning", [14, 42, 70]],
    ["chess-puzzles", [13, 38, 64]],
  ])("gives the paper's steps for %s at preset full", (domain, [fifth, usual, whole]) => {
    expect(lengths(full(domain))).toEqual([
      [fifth, 2],
      [fifth, 6],
      [usual, 2],
      [usual, 6],
      [whole, 10],
    ]);
  });

  it("keeps the proportions to the preset's own schedule where the run is short", () => {
    const toy = resolveConfig("toy", { domain: "math-reasoning", condition: "whale", model: "tiny", seed: 0 });
    expect(lengths(toy)[3]).toEqual([toy.schedule.phaseSteps, toy.schedule.iterations]);
    const phases = PAPER_SCHEDULES.map((schedule) => {
      const own = overrideConfig(toy, scheduleOverrides(toy, schedule));
      return planPhases(planSchedule(own)).length;
    });
    // The more often it switches the more phases, and every schedule searches at least once.
    expect(phases).toEqual([...phases].sort((a, b) => b - a));
    expect(Math.min(...phases)).toBeGreaterThanOrEqual(3);
  });
});
