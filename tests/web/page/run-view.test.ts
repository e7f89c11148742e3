import { describe, expect, test } from "vitest";
import { resolveConfig, type CurvePoint, type ProgressEvent } from "../../../src/index.ts";
import { nearestPoint, planeCells, spread, stripData } from "../../../web/page/model/geometry.ts";
import { horizon, plannedSpending } from "../../../web/page/model/plan.ts";
import { adoptedHarnesses, viewOf } from "../../../web/page/model/run-view.ts";
import { compareWithBase, describeNow } from "../../../web/page/model/sentence.ts";
import { harnessTree } from "../../../web/page/model/tree.ts";

const config = resolveConfig("smoke", { domain: "math-reasoning", condition: "whale", model: "tiny", seed: 0 });

function point(part: Partial<CurvePoint> & { readonly mean: number }): CurvePoint {
  const { mean, ...rest } = part;
  const accuracy = { meanAt8: mean, low: mean - 0.05, high: mean + 0.05 };
  return {
    rollouts: 0,
    cycle: 0,
    phase: "base",
    step: 0,
    harness: "h0",
    validation: accuracy,
    test: accuracy,
    ...rest,
  };
}

const step = (phase: number, number: number, spent: number): ProgressEvent => ({
  kind: "rsft-step",
  phase,
  cycle: 1,
  step: number,
  spent,
  reward: 0.2,
  rollouts: 64,
  accepted: 13,
  acceptRate: 13 / 64,
  promptsUnsolved: 0,
  promptsSolved: 0,
  completionLength: 20,
  clipped: 0,
  loss: 0.1,
  gradNorm: 0.1,
  updates: 1,
  skipped: false,
  tokensSampled: 1280,
  tokensTrained: 260,
});

const candidate = (name: string, parent: string): ProgressEvent => ({
  kind: "candidate",
  phase: 2,
  cycle: 1,
  name,
  iteration: 1,
  parent,
  axis: "prefill",
  hypothesis: "It helps.",
  mechanisms: [],
  sourceHash: "",
  refusedBy: "",
  reason: "",
  result: { reward: 0.5, turns: 1, tokens: 20, gain: { mean: 0.3, low: 0.1, high: 0.5 }, causes: {} },
});

const weights = { kind: "phase-start", part: "weights", cycle: 1, length: 2, harness: "h0", step: 0 } as const;

const EVENTS: readonly ProgressEvent[] = [
  {
    kind: "run-start",
    schema: 1,
    config,
    model: { name: "tiny", hash: "", device: "wasm" },
    tasks: { validation: 12, test: 16 },
    tasksHash: "",
    harnessHash: "",
  },
  { kind: "evaluation", index: 0, reused: false, point: point({ mean: 0.1 }) },
  { ...weights, phase: 1, spent: 0 },
  step(1, 1, 64),
  step(1, 2, 128),
  {
    kind: "phase-end",
    phase: 1,
    cycle: 1,
    part: "weights",
    length: 2,
    stopped: "length",
    harness: "h0",
    step: 2,
    spent: 128,
  },
  {
    kind: "evaluation",
    index: 1,
    reused: false,
    point: point({ mean: 0.15, rollouts: 128, cycle: 1, phase: "weights", step: 2 }),
  },
  { ...weights, kind: "phase-start", part: "harness", phase: 2, spent: 128, step: 2 },
  candidate("h1", "h0"),
  candidate("h2", "h1"),
  {
    kind: "search-iteration",
    phase: 2,
    cycle: 1,
    iteration: 1,
    best: "h2",
    bestReward: 0.5,
    evaluated: 2,
    refused: 0,
    failure: "",
    spent: 200,
  },
  {
    kind: "phase-end",
    phase: 2,
    cycle: 1,
    part: "harness",
    length: 1,
    stopped: "length",
    harness: "p2-h2",
    step: 2,
    spent: 200,
  },
  {
    kind: "evaluation",
    index: 2,
    reused: false,
    point: point({ mean: 0.5, rollouts: 200, cycle: 1, phase: "harness", step: 2, harness: "p2-h2" }),
  },
];

describe("viewOf", () => {
  const view = viewOf(EVENTS);

  test("phases span the rollouts that they spent", () => {
    expect(view.phases.map(({ part, from, to }) => [part, from, to])).toEqual([
      ["weights", 0, 128],
      ["harness", 128, 200],
    ]);
  });

  test("candidates go by the names of the run, and the best of a round is the accepted one", () => {
    expect(view.candidates.map(({ name, parent, isAccepted }) => [name, parent, isAccepted])).toEqual([
      ["p2-h1", "h0", false],
      ["p2-h2", "p2-h1", true],
    ]);
  });

  test("costs are counted by use, and an evaluation costs tasks times samples", () => {
    expect(view.cost).toMatchObject({ training: 128, search: 72, evaluation: 3 * 28 * 8, evaluated: 2 });
  });

  test("the chosen point is the best on validation", () => {
    expect(view.chosen?.harness).toBe("p2-h2");
    expect(adoptedHarnesses(view)).toEqual(["h0", "p2-h2"]);
  });
});

describe("what is drawn from a view", () => {
  const view = viewOf(EVENTS);

  test("harnessTree puts children under their parents", () => {
    expect(harnessTree(view).map(({ name, depth }) => [name, depth])).toEqual([
      ["h0", 0],
      ["p2-h1", 1],
      ["p2-h2", 2],
    ]);
  });

  test("planeCells has one cell for each measured state", () => {
    const { columns, rows, cells } = planeCells(view);
    expect([columns, rows]).toEqual([
      [0, 2],
      ["h0", "p2-h2"],
    ]);
    expect(cells.map(({ column, row, index }) => [column, row, index])).toEqual([
      [0, 0, 0],
      [1, 0, 1],
      [1, 1, 2],
    ]);
  });

  test("stripData leaves a gap where another phase lies between two steps", () => {
    const steps = viewOf([...EVENTS, { ...weights, phase: 3, spent: 200 }, step(3, 3, 264)]).steps;
    expect(stripData(steps, ({ accepted }) => accepted)[1]).toEqual([13, 13, null, 13]);
  });

  test("nearestPoint takes the later of two points at one place", () => {
    expect(nearestPoint([point({ mean: 0, rollouts: 5 }), point({ mean: 0, rollouts: 5 })], 4)).toBe(1);
    expect(nearestPoint([], 4)).toBeUndefined();
  });

  test("spread pushes two heights apart and keeps their order", () => {
    expect(spread(10, 12, 16)).toEqual([3, 19]);
    expect(spread(50, 10, 16)).toEqual([50, 10]);
  });

  test("horizon is what the plan will spend until the run is done", () => {
    // 4 steps of 8 × 8, and one search of 24 tasks: the harness that came in and 2 rounds of 3.
    expect(plannedSpending(config)).toBe(4 * 64 + 24 * (1 + 2 * 3));
    expect(horizon(view)).toBe(plannedSpending(config));
    expect(horizon({ ...view, isComplete: true })).toBe(200);
  });

  test("horizon shows a run that is laid over to its end", () => {
    const overlay = { curve: [point({ mean: 0.5, rollouts: 900 })] };
    expect(horizon({ ...view, isComplete: true }, [overlay])).toBe(900);
  });
});

describe("describeNow", () => {
  test("says how many answers of a step were right", () => {
    expect(describeNow(viewOf(EVENTS.slice(0, 4)))).toBe(
      "Training step 1 of 2: 13 of 64 answers were right, learning from those.",
    );
  });

  test("says when a point cannot be told from the base, and when it can", () => {
    expect(describeNow(viewOf(EVENTS.slice(0, 7)))).toContain("Not yet distinguishable from the base.");
    const view = viewOf(EVENTS);
    expect(compareWithBase(view, view.curve[2]!)).toBe("Above the base’s band.");
  });

  test("says that it learns while the answers of a step are all in", () => {
    const batch = { kind: "rollouts", use: "weights", done: 64, total: 64, reward: 0.25 } as const;
    expect(describeNow(viewOf([...EVENTS.slice(0, 3), batch]))).toBe(
      "Training step 1 of 2: 16 of 64 answers were right, learning from those.",
    );
  });

  test("says how a run ended that was read from its folder, without its events", () => {
    const view = { ...viewOf(EVENTS), last: undefined, isComplete: true };
    expect(describeNow(view)).toMatch(/^Done: from /);
  });

  test("says what a measurement is for", () => {
    const batch = { kind: "rollouts", use: "evaluation", done: 3, total: 10, reward: 0 } as const;
    expect(describeNow(viewOf([...EVENTS.slice(0, 1), batch]))).toMatch(/^Measuring where it begins, /);
    expect(describeNow(viewOf([...EVENTS, batch]))).toMatch(/^Measuring what the new harness brought, /);
  });

  test("counts the tries of a batch under way", () => {
    const view = viewOf([
      ...EVENTS.slice(0, 3),
      { kind: "rollouts", use: "weights", done: 32, total: 64, reward: 0.25 },
    ]);
    expect(describeNow(view)).toBe(
      "Training step 1 of 2: 32 of 64 tries done, 8 right. It will learn from the right ones.",
    );
  });
});
