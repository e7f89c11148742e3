import { describe, expect, it } from "vitest";
import type { ExperimentConfig } from "../../src/experiment/config.ts";
import type { ProgressEvent, RunEvent } from "../../src/experiment/events.ts";
import { runExperiment } from "../../src/experiment/run.ts";
import type { RunSummary } from "../../src/experiment/summary.ts";
import { createSandbox } from "../../src/sandbox/quickjs-sandbox.ts";
import { createDirectSandbox } from "../support/direct-sandbox.ts";
import { makeParts, memoryFolder, smallConfig, TINY_SIZES, type PartsOptions } from "../support/experiment.ts";

const sandbox = createDirectSandbox();

type Finished = {
  readonly summary: RunSummary;
  readonly events: readonly RunEvent[];
  readonly text: (path: string) => string;
};

/** Runs a small experiment in memory to its end. */
async function finish(config: ExperimentConfig, options: Partial<PartsOptions> = {}): Promise<Finished> {
  const folder = memoryFolder(config);
  const parts = makeParts(config, { sandbox, store: await folder.open(), ...options });
  const summary = await runExperiment(config, parts);
  return { summary, events: parseEvents(folder.text("events.jsonl")), text: folder.text };
}

function parseEvents(text: string): RunEvent[] {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as RunEvent);
}

const only = <K extends RunEvent["kind"]>(events: readonly RunEvent[], kind: K) =>
  events.filter((event): event is Extract<RunEvent, { kind: K }> => event.kind === kind);

describe("runExperiment", () => {
  it("gives the same ledger in the real sandbox", async () => {
    using real = await createSandbox();
    const [isolated, direct] = [
      await finish(smallConfig("weight-only", TINY_SIZES), { sandbox: real }),
      await finish(smallConfig("weight-only", TINY_SIZES)),
    ];
    expect(isolated.text("events.jsonl")).toBe(direct.text("events.jsonl"));
    expect(real.alive()).toBe(0);
  });

  it("alternates, raises accuracy and reports what was chosen on validation when the condition is whale", async () => {
    const { summary, events, text } = await finish(smallConfig("whale"));
    expect(summary.curve.map(({ phase }) => phase)).toEqual(["base", "weights", "harness", "weights"]);
    expect(summary.curve.map(({ step }) => step)).toEqual([0, 2, 2, 3]);
    expect(summary.chosen.test.meanAt8).toBeGreaterThan(summary.base.test.meanAt8);
    expect(summary.final.harness).toBe("p2-h2");
    expect(text("harnesses/p2-h2.js")).toContain("carefully");
    expect(JSON.parse(text("summary.json"))).toMatchObject(JSON.parse(JSON.stringify(summary)) as object);
    expect(events[0]).toMatchObject({ kind: "run-start", tasks: { weight: 12, test: 6 } });
    expect(events.at(-1)).toMatchObject({ kind: "run-end", summary });
  });

  it("counts everything it spends", async () => {
    const { summary } = await finish(smallConfig("whale"));
    const { rollouts, candidates, proposerTokens } = summary.ledger;
    expect(rollouts.weights).toBe(3 * 4 * 2);
    expect(rollouts.evaluation).toBe(4 * (4 + 6) * 2);
    expect(candidates).toEqual({ proposed: 4, refused: 3, evaluated: 1 });
    expect(proposerTokens).toBe(3 * 7);
    expect(summary.curve.at(-1)?.rollouts).toBe(rollouts.weights + rollouts.harness);
  });

  it("records each candidate with its fate", async () => {
    const { events } = await finish(smallConfig("whale"));
    const fates = only(events, "candidate").map(({ name, refusedBy, result }) => [name, refusedBy, result === null]);
    expect(fates).toEqual([
      ["h1", "syntax", true],
      ["h2", "", false],
      ["h3", "provenance", true],
      ["h4", "duplicate", true],
    ]);
    const gain = only(events, "candidate")[1]?.result?.gain;
    expect(gain?.mean).toBeGreaterThan(0);
    expect(only(events, "search-iteration").map(({ iteration, best, failure }) => [iteration, best, failure])).toEqual([
      [0, "h0", ""],
      [1, "h2", ""],
      [2, "h2", ""],
      [3, "h2", "scripted: out of ideas"],
    ]);
  });

  it("writes the same bytes twice, and no times", async () => {
    const [one, two] = [await finish(smallConfig("whale")), await finish(smallConfig("whale"))];
    expect(one.text("events.jsonl")).toBe(two.text("events.jsonl"));
    expect(one.text("summary.json")).toBe(two.text("summary.json"));
    expect(one.text("timings.jsonl")).toContain("seconds");
    expect(one.text("events.jsonl")).not.toContain("seconds");
  });

  it("writes other bytes when the seed is another", async () => {
    const [one, two] = [await finish(smallConfig("whale")), await finish(smallConfig("whale", { seed: 2 }))];
    expect(one.summary.base).not.toEqual(two.summary.base);
  });

  it.each([
    ["weight-only", ["base", "weights", "weights"]],
    ["harness-only", ["base", "harness"]],
    ["stagewise", ["base", "weights", "harness"]],
    ["fst", ["base", "weights", "harness", "weights"]],
    ["fst-native", ["base", "harness", "weights", "harness", "weights"]],
  ])("takes the phases of %s", async (condition, phases) => {
    const { summary, events } = await finish(smallConfig(condition));
    expect(summary.curve.map(({ phase }) => phase)).toEqual(phases);
    expect(only(events, "rsft-step")).toHaveLength(phases.includes("weights") ? 3 : 0);
    expect(only(events, "search-iteration").length > 0).toBe(phases.includes("harness"));
  });

  it("refuses all but prompt edits when the condition is fst", async () => {
    const { events } = await finish(smallConfig("fst"));
    const refusals = only(events, "candidate").map(({ name, refusedBy }) => [name, refusedBy]);
    expect(refusals).toContainEqual(["h3", "prompt-only"]);
    expect(refusals).toContainEqual(["h2", ""]);
  });

  it("trains and evaluates a population of prompts in equal shares when the condition is fst-native", async () => {
    const sizes = { "rsft.prompts": 6, "fst.minibatch": 12, "fst.passes": 6 };
    const { summary, events, text } = await finish(smallConfig("fst-native", sizes), {
      policy: { skill: -0.8, gain: 0.1 },
    });
    const [base, searched, trained] = summary.curve;
    expect(base?.population).toBeUndefined();
    expect(searched?.population).toEqual(["p1-h2", "h0"]);
    expect(trained?.population).toEqual(searched?.population);
    expect(searched?.harness).toBe("p1-h2");
    expect(text("harnesses/p1-h2.js")).toContain("carefully");
    const fates = only(events, "candidate").map(({ phase, name, refusedBy }) => [phase, name, refusedBy]);
    expect(fates.slice(0, 3)).toEqual([
      [1, "h1", "syntax"],
      [1, "h2", ""],
      [1, "h3", "prompt-only"],
    ]);
    // The second fast phase begins with both prompts, so its first proposal is h2.
    expect(fates.find(([phase]) => phase === 3)).toEqual([3, "h2", "syntax"]);
    expect(only(events, "phase-start")[2]?.population).toEqual(["p1-h2", "h0"]);
    expect(summary.chosen.test.meanAt8).toBeGreaterThan(summary.base.test.meanAt8);
  });

  it("stays within the budget of a fast phase and counts all of its rollouts", async () => {
    const config = smallConfig("fst-native");
    const { summary, events } = await finish(config);
    const anchors = [2 * 4, 4];
    const incoming = [1, 2];
    const starts = only(events, "phase-start").filter(({ part }) => part === "harness");
    const ends = only(events, "phase-end").filter(({ part }) => part === "harness");
    for (const [i, end] of ends.entries()) {
      const anchor = anchors[i] ?? 0;
      const spent = end.spent - (starts[i]?.spent ?? 0) - anchor * (incoming[i] ?? 0);
      expect(spent).toBeLessThanOrEqual(config.fst.passes * anchor);
      expect(spent).toBeGreaterThan(0);
    }
    expect(summary.ledger.rollouts.weights).toBe(3 * 4 * 2);
    expect(summary.curve.at(-1)?.rollouts).toBe(summary.ledger.rollouts.weights + summary.ledger.rollouts.harness);
  });

  it("ends phases by patience when the condition is adaptive", async () => {
    const patience = {
      "schedule.totalSteps": 12,
      "adaptive.weights.window": 1,
      "adaptive.weights.burnIn": 0,
      "adaptive.weights.patience": 1,
      "adaptive.harness.minIterations": 1,
      "adaptive.harness.patience": 1,
      "adaptive.harness.maxIterations": 5,
    };
    const { events } = await finish(smallConfig("adaptive", patience));
    const ends = only(events, "phase-end");
    expect(ends.some(({ part, stopped }) => part === "weights" && stopped === "patience")).toBe(true);
    // Round 1 finds the best candidate, round 2 is one round later.
    expect(ends.find(({ part }) => part === "harness")).toMatchObject({ stopped: "patience", length: 2 });
    expect(ends.at(-1)).toMatchObject({ part: "weights", step: 12 });
  });

  it("scores a winner on tasks that no search has met when search.confirm is on", async () => {
    const config = smallConfig("whale", { "search.confirm": 5 });
    const [plain, confirmed] = [await finish(smallConfig("whale")), await finish(config)];
    const ends = only(confirmed.events, "phase-end").filter(({ part }) => part === "harness");
    expect(ends).toHaveLength(1);
    const confirmation = ends[0]?.confirmation;
    expect(confirmation).toMatchObject({ tasks: 5, bestOf: 2 });
    expect(confirmation?.gain.mean).toBeCloseTo((confirmation?.reward ?? 0) - (confirmation?.incoming ?? 0));
    expect(confirmation?.searchReward).toBe(only(confirmed.events, "candidate")[1]?.result?.reward);
    // It is charged to evaluation, and the search is the same with it and without it.
    const [more, less] = [confirmed.summary.ledger.rollouts, plain.summary.ledger.rollouts];
    expect(more).toEqual({ ...less, evaluation: less.evaluation + 2 * 5 });
    expect(only(confirmed.events, "candidate").map(({ result }) => result?.reward)).toEqual(
      only(plain.events, "candidate").map(({ result }) => result?.reward),
    );
  });

  it("spends no rollouts on a second look at unchanged weights and harness", async () => {
    const { summary, events } = await finish(smallConfig("whale", { "schedule.iterations": 2 }), {
      policy: { skill: -30, gain: 0 },
    });
    expect(only(events, "rsft-step").every(({ skipped, updates }) => skipped && updates === 0)).toBe(true);
    expect(only(events, "rsft-step").map(({ step }) => step)).toEqual([1, 2, 3]);
    expect(only(events, "evaluation").map(({ reused }) => reused)).toEqual([false, true, true, true]);
    expect(summary.ledger.rollouts.evaluation).toBe((4 + 6) * 2);
    expect(summary.ledger.tokensTrained).toBe(0);
  });

  it("tells a watcher every event when it happens", async () => {
    const seen: ProgressEvent[] = [];
    const { events } = await finish(smallConfig("whale"), { progress: (event) => seen.push(event) });
    const recorded = seen.filter(({ kind }) => kind !== "rollouts");
    expect(recorded.map(({ kind }) => kind)).toEqual(events.map(({ kind }) => kind));
  });
});
