import { describe, expect, it } from "vitest";
import {
  chargeCandidates,
  chargeRollouts,
  chargeTraining,
  EMPTY_LEDGER,
  spentRollouts,
} from "../../src/experiment/ledger.ts";
import { summarize, type CurvePoint } from "../../src/experiment/summary.ts";
import { smallConfig } from "../support/experiment.ts";
import { makeTrace } from "../support/traces.ts";

const POLICY = { name: "fake", hash: "abc", device: "cpu" };

function point(rollouts: number, validation: number, test: number): CurvePoint {
  const accuracy = (meanAt8: number) => ({ meanAt8, low: meanAt8, high: meanAt8 });
  const [phase, cycle] = rollouts === 0 ? (["base", 0] as const) : (["weights", 1] as const);
  return {
    rollouts,
    cycle,
    phase,
    step: rollouts,
    harness: "h0",
    validation: accuracy(validation),
    test: accuracy(test),
  };
}

describe("summarize", () => {
  it("chooses on validation, the earliest of equals, whatever the test says", () => {
    const curve = [point(0, 0.2, 0.2), point(10, 0.6, 0.4), point(20, 0.6, 0.9), point(30, 0.5, 0.95)];
    const summary = summarize(smallConfig("whale"), POLICY, { curve, ledger: EMPTY_LEDGER });
    expect(summary.base).toBe(curve[0]);
    expect(summary.chosen).toBe(curve[1]);
    expect(summary.bestOnTest).toBe(curve[3]);
    expect(summary.final).toBe(curve[3]);
  });

  it("has the fields of the contract, no more", () => {
    const summary = summarize(smallConfig("whale"), POLICY, { curve: [point(0, 0, 0)], ledger: EMPTY_LEDGER });
    expect(Object.keys(summary)).toEqual([
      ...["schema", "domain", "condition", "preset", "seed", "model", "device", "samples", "curve"],
      ...["base", "chosen", "final", "bestOnTest", "ledger"],
    ]);
  });

  it("refuses a run without an evaluation", () => {
    expect(() => summarize(smallConfig("whale"), POLICY, { curve: [], ledger: EMPTY_LEDGER })).toThrow(RangeError);
  });
});

describe("Ledger", () => {
  it("adds up by use; evaluation is not spent on the result", () => {
    const usage = { tokens: 5, turns: 1, toolCalls: 2, fuel: 0 };
    const traces = [makeTrace({ usage }), makeTrace({ usage })];
    let ledger = chargeRollouts(EMPTY_LEDGER, "weights", traces);
    ledger = chargeRollouts(ledger, "harness", traces.slice(1));
    ledger = chargeRollouts(ledger, "evaluation", traces);
    ledger = chargeTraining(ledger, 4);
    ledger = chargeCandidates(ledger, { refused: 1, evaluated: 2, proposerTokens: 9 });
    expect(ledger).toEqual({
      rollouts: { weights: 2, harness: 1, evaluation: 2 },
      tokensSampled: 25,
      tokensTrained: 4,
      toolCalls: 10,
      candidates: { proposed: 3, refused: 1, evaluated: 2 },
      proposerTokens: 9,
    });
    expect(spentRollouts(ledger)).toBe(3);
  });
});
