import { beforeAll, describe, expect, test } from "vitest";
import type { Grid } from "../../src/experiment/grid.ts";
import { compareRuns, labelGroups, readComparedRun, type ComparedRun } from "../../src/report/comparison.ts";
import { concludeDomain, renderComparison } from "../../src/report/comparison-page.ts";
import { drawGrid } from "../../src/report/grid-chart.ts";
import { formatPoints } from "../../src/report/chart.ts";
import { readRunRecord } from "../../src/report/read-run.ts";
import { renderReport } from "../../src/report/page.ts";
import type { RunRecord } from "../../src/report/run-record.ts";
import { createMemoryStore } from "../../src/store/memory-store.ts";
import { readRun } from "../../src/store/run-view.ts";
import { syntheticRecord } from "../support/synthetic-record.ts";
import { writeSyntheticRun, type SyntheticRunOptions } from "../support/synthetic-run.ts";

async function synthetic(folder: string, options: SyntheticRunOptions): Promise<ComparedRun> {
  const store = createMemoryStore();
  await writeSyntheticRun(store, options);
  return readComparedRun(await readRun(store, folder), await readRunRecord(store, folder));
}

let whale: ComparedRun[];
let weights: ComparedRun[];

beforeAll(async () => {
  whale = await Promise.all([0, 1].map((seed) => synthetic(`w${String(seed)}`, { seed })));
  weights = await Promise.all(
    [0, 1].map((seed) => synthetic(`o${String(seed)}`, { condition: "weight-only", seed, shift: -0.2 })),
  );
});

const FEW = { resamples: 200 };

describe("compareRuns", () => {
  test("takes runs that differ in the seed alone as one condition", () => {
    const [domain] = compareRuns([...whale, ...weights], FEW).domains;
    expect(domain?.conditions.map(({ label, seeds }) => [label, seeds])).toEqual([
      ["whale", [0, 1]],
      ["weight-only", [0, 1]],
    ]);
    expect(domain?.budget).toBe(400);
    const [difference] = domain?.differences ?? [];
    expect(difference).toMatchObject({ first: "weight-only", second: "whale", paired: true, seeds: 2 });
    expect(difference?.measures.final.difference).toBeCloseTo(-0.2, 10);
    expect(domain?.passes.find(({ first }) => first === "weight-only")?.rollouts).toBeNull();
    expect(domain?.passes.find(({ first }) => first === "whale")?.rollouts).toBeGreaterThan(0);
    expect(domain?.notes).toEqual([]);
  });

  test("counts the same settings and seed once, and names the copy", () => {
    const { domains, leftOut } = compareRuns([...whale, ...whale.slice(0, 1)], FEW);
    expect(domains[0]?.conditions[0]?.seeds).toEqual([0, 1]);
    expect(leftOut).toEqual([{ folder: "w0", reason: "same settings and seed as w0" }]);
  });

  test("leaves an unfinished run out where others ended, and shows it where none did", async () => {
    const begun = await synthetic("begun", { seed: 2, isComplete: false });
    const beside = compareRuns([...whale, begun], FEW);
    expect(beside.leftOut[0]?.reason).toContain("spyhop resume begun");
    expect(beside.domains[0]?.conditions[0]?.seeds).toEqual([0, 1]);
    const [alone] = compareRuns([begun], FEW).domains;
    expect(alone?.conditions[0]?.unfinished).toBe(true);
    expect(alone?.notes.join()).toContain("Unfinished");
  });

  test("says what it could not pair", async () => {
    const other = await synthetic("x", { condition: "fst", seed: 7 });
    const [domain] = compareRuns([...whale, other], FEW).domains;
    expect(domain?.differences[0]?.paired).toBe(false);
    expect(domain?.notes.join("\n")).toContain("Compared without pairing");
    expect(domain?.notes.join("\n")).toContain("One seed only");
  });

  test("works for one run alone", () => {
    const [domain] = compareRuns(whale.slice(0, 1), FEW).domains;
    expect(domain?.differences).toEqual([]);
    expect(domain?.conditions[0]?.measures.final.mean).toBeGreaterThan(domain?.conditions[0]?.measures.base.mean ?? 1);
  });

  test("names a run that has no evaluation", () => {
    const [first] = whale as [ComparedRun];
    const empty = { ...first, scores: { ...first.scores, curve: [] } };
    expect(compareRuns([empty], FEW)).toEqual({
      domains: [],
      leftOut: [{ folder: "w0", reason: "it has not been evaluated yet" }],
    });
  });
});

describe("labelGroups", () => {
  const record = (config: object, changes: Partial<RunRecord> = {}): RunRecord =>
    syntheticRecord({ config: config as RunRecord["config"], ...changes });

  test("names the settings in which runs of one condition differ", () => {
    const labels = labelGroups([
      record({ schedule: { phaseSteps: 2, iterations: 3 }, rsft: { samples: 8 } }),
      record({ schedule: { phaseSteps: 6, iterations: 3 }, rsft: { samples: 8 } }),
      record({ schedule: { phaseSteps: 2 } }, { condition: "fst" }),
    ]);
    expect(labels).toEqual(["whale, phaseSteps 2", "whale, phaseSteps 6", "fst"]);
  });

  test("names presets where they differ, and never gives one name twice", () => {
    expect(labelGroups([record({}), record({}, { preset: "full" })])).toEqual(["whale, toy", "whale, full"]);
    expect(labelGroups([record({}), record({})])).toEqual(["whale", "whale (2)"]);
  });
});

const GRID: Grid = {
  schema: 1,
  split: "validation",
  samples: 8,
  tasks: 12,
  weights: [{ step: 0 }, { step: 2 }],
  harnesses: [{ name: "h0" }, { name: "p2-h2" }],
  cells: [
    { step: 0, harness: "h0", mean: 0.1, low: 0, high: 0.2 },
    { step: 0, harness: "p2-h2", mean: 0.4, low: 0.3, high: 0.5 },
    { step: 2, harness: "h0", mean: 0.2, low: 0.1, high: 0.3 },
  ],
};

describe("pages", () => {
  test("renderComparison shows every condition, loads nothing and runs nothing", () => {
    const page = renderComparison(
      compareRuns([...whale, ...weights], { ...FEW, leftOut: [{ folder: "bad", reason: "bad: <torn>" }] }),
    );
    for (const part of ["weight-only", "Best on test", "Rollouts to rise above", "&lt;torn&gt;", "2 seeds"])
      expect(page).toContain(part);
    expect(page).not.toMatch(/<script|https?:\/\/(?!www\.w3\.org)|url\(/);
    expect(page).not.toContain("NaN");
  });

  test("concludeDomain names the two best and whether they are told apart", () => {
    const [domain] = compareRuns([...whale, ...weights], FEW).domains;
    if (domain === undefined) throw new RangeError("nothing was compared");
    expect(concludeDomain(domain)).toMatch(/^On math-reasoning, whale reached .* next is weight-only with [^,]*\.$/);
    const open = domain.differences.map((difference) => ({
      ...difference,
      measures: { ...difference.measures, chosen: { ...difference.measures.chosen, low: -0.1, high: 0.1 } },
    }));
    expect(concludeDomain({ ...domain, differences: open })).toContain("not told apart");
  });

  test("drawGrid shows each known cell, says what is missing, and follows the run", () => {
    const base = syntheticRecord();
    const at = (step: number, harness: string, phase: "base" | "weights" | "harness") => ({
      ...(base.curve[0] as RunRecord["curve"][number]),
      ...{ step, harness, phase },
    });
    const curve = [at(0, "h0", "base"), at(2, "h0", "weights"), at(2, "p2-h2", "harness"), at(9, "gone", "weights")];
    const { markup } = drawGrid({ ...base, grid: GRID, curve });
    expect(markup.match(/<rect/g)).toHaveLength(3);
    expect(markup).toContain("3 of 4 cells");
    expect(markup.match(/<path class="(weights|harness)"/g)).toEqual([
      '<path class="weights"',
      '<path class="harness"',
    ]);
  });

  test("the report of one run shows its grid, and none without", () => {
    expect(renderReport([syntheticRecord({ grid: GRID })])).toContain("Weights against harness");
    expect(renderReport([syntheticRecord()])).not.toContain("Weights against harness");
  });

  test.each([
    [0.123, "+12.3"],
    [-0.0004, "0.0"],
    [-0.05, "−5.0"],
  ])("formatPoints writes %d as %s", (value, text) => {
    expect(formatPoints(value)).toBe(text);
  });
});

test("the report says what fresh tasks said of a winner", () => {
  const gain = { mean: 0.1, low: -0.05, high: 0.25 };
  const confirmed = {
    harness: "p2-h2",
    cycle: 1,
    tasks: 32,
    reward: 0.4,
    incoming: 0.3,
    gain,
    searchReward: 0.52,
    bestOf: 9,
  };
  const page = renderReport([syntheticRecord({ confirmations: [confirmed] })]).replace(/\s+/g, " ");
  expect(page).toContain("on 32 fresh tasks against 30.0 % of the harness before it, +10.0 [−5.0, +25.0]");
  expect(page).toContain("52.0 % as the best of 9");
});

test("readRunRecord says that a grid is damaged, and how to mend it", async () => {
  const store = createMemoryStore();
  await writeSyntheticRun(store);
  await store.write("grid.json", new TextEncoder().encode('{"schema":1}'));
  await expect(readRunRecord(store, "m")).rejects.toThrow("spyhop grid m");
});
