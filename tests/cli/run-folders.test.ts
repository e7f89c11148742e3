import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCommandLine } from "../../src/cli/dispatch.ts";
import { readRunRecord } from "../../src/report/read-run.ts";
import { createFsBlobStore } from "../../src/platform/node/fs-blob-store.ts";
import { createMemoryStore } from "../../src/store/memory-store.ts";
import { fakeTerminal } from "../support/fake-terminal.ts";
import { writeSyntheticRun } from "../support/synthetic-run.ts";

let root = "";
const folder = (name: string): string => join(root, name);

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "spyhop-cli-"));
  await writeSyntheticRun(createFsBlobStore(folder("a")));
  await writeSyntheticRun(createFsBlobStore(folder("b")), { condition: "weight-only", shift: -0.2 });
  await writeSyntheticRun(createFsBlobStore(folder("begun")), { isComplete: false });
});

afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

async function spyhop(...argv: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  const terminal = fakeTerminal();
  const status = await runCommandLine(argv, terminal);
  return { status, stdout: terminal.stdout(), stderr: terminal.stderr() };
}

describe("readRunRecord", () => {
  test("collects curve, phases, steps, candidates, harnesses and transcripts", async () => {
    const store = createMemoryStore();
    await writeSyntheticRun(store);
    const run = await readRunRecord(store, "m");
    expect(run.isComplete).toBe(true);
    expect(run.curve.map(({ rollouts }) => rollouts)).toEqual([0, 128, 272, 400]);
    expect(run.phases).toEqual([
      { kind: "weights", cycle: 1, from: 0, to: 128 },
      { kind: "harness", cycle: 1, from: 128, to: 272 },
      { kind: "weights", cycle: 2, from: 272, to: 400 },
    ]);
    expect(run.steps.map(({ step, rollouts }) => [step, rollouts])).toEqual([
      [1, 64],
      [2, 128],
      [3, 336],
      [4, 400],
    ]);
    expect(run.candidates.map(({ name, parent, refused, isAccepted }) => [name, parent, refused, isAccepted])).toEqual([
      ["p2-h1", "h0", "null-model: B", false],
      ["p2-h2", "h0", "", true],
    ]);
    expect(run.chosen?.test.meanAt8).toBe(0.58);
    expect(run.harness.name).toBe("p2-h2");
    expect(run.harness.after).not.toBe(run.harness.before);
    expect(run.transcripts.map(({ before, after }) => [before.reward, after.reward])).toEqual([[0, 1]]);
  });

  test("reads a run that was stopped, with what it had reached", async () => {
    const store = createMemoryStore();
    await writeSyntheticRun(store, { isComplete: false });
    const run = await readRunRecord(store, "m");
    expect(run.isComplete).toBe(false);
    expect(run.chosen?.rollouts).toBe(128);
  });
});

describe("report", () => {
  test("writes the page into the run folder and prints its path", async () => {
    const { status, stdout, stderr } = await spyhop("report", folder("a"));
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toBe(`${folder("a")}/report.html\n`);
    expect(await readFile(join(folder("a"), "report.html"), "utf8")).toContain("Weights and harness, taking turns");
  });

  test("overlays several runs into --out and prints one JSON document", async () => {
    const out = join(root, "pages", "both.html");
    const { status, stdout } = await spyhop("report", folder("a"), folder("b"), "--out", out, "--json");
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ report: out, runs: [folder("a"), folder("b")] });
    expect(await readFile(out, "utf8")).toContain("weight-only");
  });

  test("names the folder that holds no run", async () => {
    const { status, stdout, stderr } = await spyhop("report", folder("nothing"));
    expect(status).toBe(1);
    expect(stdout).toBe("");
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr).toContain(folder("nothing"));
  });
});

describe("compare", () => {
  test("gives paired differences with intervals against the first run", async () => {
    const { status, stdout } = await spyhop("compare", folder("b"), folder("a"), "--json");
    expect(status).toBe(0);
    const document = JSON.parse(stdout) as {
      reference: { folder: string };
      comparisons: { folder: string; chosen: { difference: number; low: number; high: number; tasks: number } }[];
    };
    expect(document.reference.folder).toBe(folder("b"));
    const [comparison] = document.comparisons;
    expect(comparison?.folder).toBe(folder("a"));
    expect(comparison?.chosen.tasks).toBe(40);
    expect(comparison?.chosen.difference).toBeCloseTo(0.2, 10);
    expect(comparison!.chosen.low).toBeLessThanOrEqual(comparison!.chosen.difference);
  });

  test("says that a run is not told apart from itself", async () => {
    const { status, stdout } = await spyhop("compare", folder("a"), folder("a"));
    expect(status).toBe(0);
    expect(stdout).toContain("+0.0 [+0.0, +0.0], p 1.0000, not told apart");
  });
});

describe("runCommandLine", () => {
  test.each([
    [["nonsense"], 2, "unknown command"],
    [["run", "--sede", "1"], 2, "did you mean --seed?"],
    [["run", "--domain", "math-resoning"], 2, 'did you mean "math-reasoning"?'],
    [["run", "--condition", "wale"], 2, "wale"],
    [["run", "--preset", "huge"], 2, "huge"],
    [["run", "--set", "rsft.promts=3"], 2, "rsft.prompts"],
    [["run", "--model", "large"], 2, 'unknown model "large"'],
    [["resume", "/nowhere/at/all"], 1, "/nowhere/at/all"],
    [["compare", "/nowhere/a", "/nowhere/b"], 1, "/nowhere/a"],
    [["harness", "check", "/nowhere/h.js"], 1, "/nowhere/h.js"],
    [["inspect", "train", "--adapter", "a", "--batch", "/nowhere/b.json"], 1, "/nowhere/b.json"],
    [["eval", "--model", "/nowhere/model"], 1, "/nowhere/model"],
  ])("%j ends with status %i and one line", async (argv, expected, part) => {
    const { status, stdout, stderr } = await spyhop(...argv);
    expect({ status, stdout }).toEqual({ status: expected, stdout: "" });
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr).toContain(part);
  });

  test("prints help and version on stdout", async () => {
    expect((await spyhop("--help")).stdout).toContain("Exit status");
    expect((await spyhop("run", "--help")).stdout).toContain("--preset");
    expect((await spyhop("--version")).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
