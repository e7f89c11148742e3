import { describe, expect, it } from "vitest";
import { CONDITION_TABLE, type ConditionName } from "../../src/experiment/conditions.ts";
import { nextPhase, planPhases, stepsOfEpochs, type SchedulePlan } from "../../src/experiment/schedule.ts";

function plan(condition: ConditionName, totalSteps: number, phaseSteps: number): SchedulePlan {
  return {
    condition: CONDITION_TABLE[condition],
    schedule: {
      ...{ totalSteps, phaseSteps, iterations: 6, harnessOnlyIterations: 41, maxCycles: 30 },
      ...{ stagewiseSteps: 0, stagewiseIterations: 0 },
    },
    maxIterations: 15,
    fastSlow: { steps: 6, proposals: (batches) => 10 * batches },
  };
}

const letters = (of: SchedulePlan): string =>
  planPhases(of)
    .map((phase) => (phase.kind === "weights" ? "W" : "H"))
    .join("");
const steps = (of: SchedulePlan): number[] =>
  planPhases(of).flatMap((phase) => (phase.kind === "weights" ? [phase.steps] : []));

describe("planPhases", () => {
  // The paper's three runs: total steps, steps a phase, weight phases, length of the last one.
  it.each([
    { total: 296, length: 44, phases: 7, last: 32 },
    { total: 420, length: 42, phases: 10, last: 42 },
    { total: 256, length: 38, phases: 7, last: 28 },
  ])("ends ($total, $length) with weight phase $phases of $last steps", ({ total, length, phases, last }) => {
    const sequence = letters(plan("whale", total, length));
    expect(sequence).toBe("WH".repeat(phases - 1) + "W");
    expect(steps(plan("whale", total, length))).toEqual([...Array<number>(phases - 1).fill(length), last]);
  });

  it("makes I - 1 rounds of proposals in each harness phase", () => {
    const rounds = planPhases(plan("whale", 100, 40)).flatMap((phase) =>
      phase.kind === "harness" ? [phase.rounds] : [],
    );
    expect(rounds).toEqual([5, 5]);
  });

  it("numbers a weight phase and the harness phase after it as one cycle", () => {
    expect(planPhases(plan("whale", 100, 40)).map((phase) => phase.cycle)).toEqual([1, 1, 2, 2, 3]);
  });

  it("leaves out the harness phases when the condition is weight-only", () => {
    expect(letters(plan("weight-only", 100, 40))).toBe("WWW");
    expect(steps(plan("weight-only", 100, 40))).toEqual([40, 40, 20]);
  });

  it("leaves out the weight phases when the condition is harness-only", () => {
    expect(planPhases(plan("harness-only", 100, 40))).toEqual([{ index: 1, cycle: 1, kind: "harness", rounds: 40 }]);
  });

  it("switches once, with the same steps and proposals, when the condition is stagewise", () => {
    expect(planPhases(plan("stagewise", 100, 40))).toEqual([
      { index: 1, cycle: 1, kind: "weights", steps: 100 },
      { index: 2, cycle: 1, kind: "harness", rounds: 10 },
    ]);
  });

  it("takes its own lengths when the condition is stagewise and has them", () => {
    const own = plan("stagewise", 100, 40);
    expect(planPhases({ ...own, schedule: { ...own.schedule, stagewiseSteps: 70, stagewiseIterations: 33 } })).toEqual([
      { index: 1, cycle: 1, kind: "weights", steps: 70 },
      { index: 2, cycle: 1, kind: "harness", rounds: 32 },
    ]);
  });

  it("searches prompts before each slow phase when the condition is fst-native", () => {
    expect(planPhases(plan("fst-native", 14, 40))).toEqual([
      { index: 1, cycle: 1, kind: "harness", rounds: 60 },
      { index: 2, cycle: 1, kind: "weights", steps: 6 },
      { index: 3, cycle: 2, kind: "harness", rounds: 60 },
      { index: 4, cycle: 2, kind: "weights", steps: 6 },
      { index: 5, cycle: 3, kind: "harness", rounds: 20 },
      { index: 6, cycle: 3, kind: "weights", steps: 2 },
    ]);
  });

  it("ends with a weight phase when the number of cycles is what ends the run", () => {
    const capped = plan("whale", 100, 10);
    expect(letters({ ...capped, schedule: { ...capped.schedule, maxCycles: 2 } })).toBe("WHW");
  });
});

describe("nextPhase", () => {
  it("offers all steps that are left when phases end by patience", () => {
    expect(nextPhase(plan("adaptive", 100, 40), { phases: 2, steps: 17 })).toEqual({
      index: 3,
      cycle: 2,
      kind: "weights",
      steps: 83,
    });
    expect(nextPhase(plan("adaptive", 100, 40), { phases: 3, steps: 60 })).toMatchObject({
      kind: "harness",
      rounds: 15,
    });
  });

  it("is undefined when a weight phase has reached the total", () => {
    expect(nextPhase(plan("whale", 100, 40), { phases: 5, steps: 100 })).toBeUndefined();
  });
});

describe("stepsOfEpochs", () => {
  it("gives the reference's step counts for 0.6 and 0.2 epochs of the three domains", () => {
    expect([74, 70, 64].map((epoch) => stepsOfEpochs(0.6, epoch))).toEqual([44, 42, 38]);
    expect([74, 70, 64].map((epoch) => stepsOfEpochs(0.2, epoch))).toEqual([15, 14, 13]);
  });
});
