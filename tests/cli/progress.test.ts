import { describe, expect, test } from "vitest";
import { openProgress } from "../../src/cli/progress.ts";
import { bar, duration, grouped, interval, plural, points, sparkline } from "../../src/cli/progress/figures.ts";
import { formatEvent, formatSummary } from "../../src/cli/progress/lines.ts";
import { formatLive } from "../../src/cli/progress/live.ts";
import { advanceProgress, remainingTime, shareDone, startProgress } from "../../src/cli/progress/state.ts";
import type { ProgressEvent } from "../../src/experiment/events.ts";
import { EMPTY_LEDGER } from "../../src/experiment/ledger.ts";
import { resolveConfig } from "../../src/experiment/presets.ts";
import { summarize } from "../../src/experiment/summary.ts";
import { fakeTerminal } from "../support/fake-terminal.ts";
import { curvePoint } from "../support/synthetic-record.ts";

const CONFIG = resolveConfig("toy", { domain: "math-reasoning", condition: "whale", model: "tiny", seed: 3 });

const STEP: ProgressEvent = {
  kind: "rsft-step",
  phase: 1,
  cycle: 1,
  step: 1,
  spent: 256,
  reward: 0.25,
  rollouts: 256,
  accepted: 64,
  acceptRate: 0.25,
  promptsUnsolved: 0.5,
  promptsSolved: 0.1,
  completionLength: 41.6,
  clipped: 0.03,
  loss: 0.4567,
  gradNorm: 1,
  updates: 1,
  skipped: false,
  tokensSampled: 9000,
  tokensTrained: 2000,
};
const PHASE: ProgressEvent = {
  ...{ kind: "phase-start", phase: 1, cycle: 1, part: "weights", length: 5 },
  ...{ harness: "h0", step: 0, spent: 0 },
};
const BASE: ProgressEvent = { kind: "evaluation", index: 0, reused: false, point: curvePoint(0, "base", [0.2, 0.25]) };
const LATER: ProgressEvent = {
  ...{ kind: "evaluation", index: 1, reused: false },
  point: curvePoint(1280, "weights", [0.4, 0.35]),
};
const ROLLOUTS: ProgressEvent = { kind: "rollouts", use: "weights", done: 128, total: 256, reward: 0.3 };

function withoutColours(line: string): string {
  return line.replaceAll(new RegExp(`\u001b\\[[\\d;]*m`, "g"), "");
}

describe("figures", () => {
  test("duration takes the two units that matter", () => {
    expect([400, 59_400, 80_000, 7_500_000, -5].map(duration)).toEqual([
      "0 s",
      "59 s",
      "1 min 20 s",
      "2 h 05 min",
      "0 s",
    ]);
  });

  test("sparkline measures from zero, so equal heights mean equal values", () => {
    expect(sparkline([0, 0.5, 1], 1)).toBe("▁▅█");
    expect(sparkline([0.9, 1], 1)).toBe("▇█");
    expect(sparkline([0, 0], 0)).toBe("▁▁");
  });

  test("numbers, shares and nouns", () => {
    expect(points(-0.031)).toBe("−3.1");
    expect(interval(0.412, 0.35, 0.471)).toBe("41.2 % [35.0, 47.1]");
    expect([grouped(12800), plural(1, "step"), plural(2, "step")]).toEqual(["12 800", "1 step", "2 steps"]);
    expect(bar(0.5, 4)).toBe("━━╌╌");
    expect(bar(7, 2)).toBe("━━");
  });
});

describe("formatEvent", () => {
  const state = startProgress(CONFIG, 0);

  test.each<[ProgressEvent, string | undefined]>([
    [PHASE, "weights 1: 5 training steps, starting from harness h0"],
    [STEP, "  step 1: reward 25.0 %, accepted 64 of 256, 42 tokens a rollout, loss 0.457"],
    [{ ...STEP, loss: null }, "  step 1: reward 25.0 %, accepted 64 of 256, 42 tokens a rollout, nothing learned"],
    [BASE, "base, 0 rollouts: validation 20.0 % [14.0, 26.0], test 25.0 % [19.0, 31.0]"],
    [ROLLOUTS, undefined],
    [{ kind: "resumed", phases: 1, steps: 5 }, "resumed after 1 phase and 5 steps"],
  ])("writes %j", (event, line) => {
    expect(formatEvent(event, state)).toBe(line);
  });

  test("says why a candidate was refused, and how much a good one gained", () => {
    const about = { phase: 2, cycle: 1, name: "h1", iteration: 1, parent: "h0", axis: "turns", mechanisms: [] };
    const candidate = { kind: "candidate", ...about, hypothesis: "Ask twice", sourceHash: "x" } as const;
    const refused = { ...candidate, refusedBy: "null-model", reason: "scores without a model", result: null };
    expect(formatEvent(refused, state)).toBe("  h1 (turns, from h0) refused by null-model: scores without a model");
    const gain = { mean: 0.1, low: 0.02, high: 0.2 };
    const result = { reward: 0.5, turns: 2, tokens: 30, gain, causes: {} };
    const good = { ...candidate, refusedBy: "", reason: "", result };
    expect(formatEvent(good, state)).toBe("  h1 (turns, from h0) 50.0 %, +10.0 [+2.0, +20.0]: Ask twice");
  });
});

describe("progress state", () => {
  test("knows nothing of the time left before it has timed a piece", () => {
    expect(remainingTime(startProgress(CONFIG, 0), 10)).toBeUndefined();
  });

  test("prices unseen kinds of work by their rollouts, and seen ones by what they took", () => {
    let state = startProgress(CONFIG, 0);
    const point = (CONFIG.tasks.validation + CONFIG.tasks.test) * CONFIG.evaluation.samples;
    state = advanceProgress(state, BASE, point); // 1 ms a rollout
    const { weights, harness, evaluation } = state.planned;
    const step = CONFIG.rsft.prompts * CONFIG.rsft.samples;
    const round = CONFIG.search.candidates * CONFIG.tasks.harness;
    const expected = weights * step + harness * round + (evaluation - 1) * point;
    expect(remainingTime(state, point)).toBeCloseTo(expected, 6);
    state = advanceProgress(state, STEP, point + 512);
    expect(remainingTime(state, point + 512)).toBeLessThan(expected * 2);
    const left = remainingTime(state, point + 512) ?? 0;
    expect(remainingTime(state, point + 612)).toBeCloseTo(left - 100, 6);
  });

  test("shareDone grows with every event and ends at 1", () => {
    let state = startProgress(CONFIG, 0);
    let before = shareDone(state);
    expect(before).toBe(0);
    for (const event of [BASE, PHASE, ROLLOUTS, STEP, LATER]) {
      state = advanceProgress(state, event, 100);
      expect(shareDone(state)).toBeGreaterThanOrEqual(before);
      before = shareDone(state);
    }
    expect(shareDone({ ...state, done: state.planned })).toBe(1);
  });

  test("counts what a resumed run had already done", () => {
    const state = advanceProgress(startProgress(CONFIG, 0), { kind: "resumed", phases: 2, steps: 6 }, 5);
    expect(state.done.weights).toBe(6);
    expect(state.done.harness).toBeGreaterThan(0);
    expect(state.done.evaluation).toBe(3);
  });
});

describe("formatLive", () => {
  const events = [BASE, PHASE, STEP, ROLLOUTS];
  const state = events.reduce((s, event) => advanceProgress(s, event, 2000), startProgress(CONFIG, 0));

  test("shows phase, step, reward, acceptance, curve and time left", () => {
    const text = formatLive(state, 2000, { columns: 120, isColoured: false }).join("\n");
    expect(text).toContain("weights 1  step 2 of 5  rollout 128 of 256, reward 30.0 % so far");
    expect(text).toContain("reward 25.0 %, accepted 25.0 %, 42 tokens");
    expect(text).toMatch(/validation █ 20.0 % → 20.0 %/);
    expect(text).toMatch(/about .* left/);
  });

  test("never exceeds the terminal, with or without colours", () => {
    for (const columns of [20, 40, 200])
      for (const isColoured of [false, true])
        for (const line of formatLive(state, 2000, { columns, isColoured })) {
          expect(withoutColours(line).length).toBeLessThan(columns);
        }
  });
});

describe("openProgress", () => {
  test("writes plain lines where stderr is no terminal, and nothing on stdout", () => {
    const terminal = fakeTerminal();
    const progress = openProgress(terminal, CONFIG);
    for (const event of [BASE, PHASE, ROLLOUTS, STEP]) progress.sink(event);
    progress.close();
    expect(terminal.stdout()).toBe("");
    expect(terminal.stderr().split("\n").filter(Boolean)).toHaveLength(3);
    expect(terminal.stderr()).not.toContain("\u001b");
  });

  test("redraws in a terminal, no more often than 12 times a second for rollouts, and cleans up", () => {
    let now = 0;
    const terminal = fakeTerminal({ isInteractive: true, clock: () => now });
    const progress = openProgress(terminal, CONFIG);
    progress.sink(PHASE);
    const drawn = terminal.writes();
    for (let i = 0; i < 10; i += 1) {
      now += 8;
      progress.sink(ROLLOUTS);
    }
    expect(terminal.writes() - drawn).toBe(1);
    progress.sink(BASE);
    progress.close();
    expect(terminal.stderr()).toContain("base, 0 rollouts");
    expect(terminal.stderr().endsWith("\u001b[0J")).toBe(true);
  });
});

describe("formatSummary", () => {
  test("labels the chosen point apart from the one that looks at test", () => {
    const curve = [curvePoint(0, "base", [0.2, 0.25]), curvePoint(1280, "weights", [0.4, 0.35])];
    const policy = { name: "tiny", hash: "h", device: "cpu" };
    const text = formatSummary(summarize(CONFIG, policy, { curve, ledger: EMPTY_LEDGER })).join("\n");
    expect(text).toContain("mean@8");
    expect(text).toContain("best on validation: +10.0 points on test");
    expect(text).toContain("chosen by looking at test");
  });
});
