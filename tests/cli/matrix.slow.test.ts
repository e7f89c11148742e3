/** Every condition in every domain, with the real model and the sizes of preset `smoke` cut down once more. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCommandLine } from "../../src/cli/dispatch.ts";
import { DOMAIN_NAMES } from "../../src/cli/registry.ts";
import { CONDITIONS } from "../../src/experiment/conditions.ts";
import { fakeTerminal } from "../support/fake-terminal.ts";

const SIZES = {
  "tasks.weight": 8,
  "tasks.harness": 4,
  "tasks.validation": 2,
  "tasks.test": 2,
  "rsft.prompts": 2,
  "rsft.samples": 4,
  "schedule.totalSteps": 2,
  "schedule.phaseSteps": 1,
  "schedule.iterations": 2,
  "schedule.harnessOnlyIterations": 2,
  "adaptive.harness.maxIterations": 1,
  "fst.batches": 1,
  "fst.passes": 6,
  "fst.minibatch": 1,
  "evaluation.samples": 2,
  "evaluation.resamples": 100,
};

let out = "";
beforeAll(() => {
  out = mkdtempSync(join(tmpdir(), "spyhop-matrix-"));
});
afterAll(() => {
  rmSync(out, { recursive: true, force: true });
});

describe("sweep", () => {
  it("runs all conditions in all domains, and has nothing left to do the second time", async () => {
    const settings = Object.entries(SIZES).flatMap(([key, value]) => ["--set", `${key}=${String(value)}`]);
    const words = ["sweep", "--preset", "smoke", "--seeds", "0", "--out", out, "--jobs", "2", "--json", ...settings];
    const first = fakeTerminal();
    expect(await runCommandLine(words, first), first.stderr()).toBe(0);
    const { cells, comparison } = JSON.parse(first.stdout()) as {
      cells: { status: string }[];
      comparison: { domains: { domain: string; conditions: object[] }[] };
    };
    expect(cells.map(({ status }) => status)).toEqual(Array(DOMAIN_NAMES.length * CONDITIONS.length).fill("done"));
    expect(comparison.domains.map(({ domain }) => domain)).toEqual(DOMAIN_NAMES);
    expect(comparison.domains.map(({ conditions }) => conditions.length)).toEqual(
      DOMAIN_NAMES.map(() => CONDITIONS.length),
    );
    expect(readFileSync(join(out, "compare.html"), "utf8")).toContain("Conditions compared");
    const whole = readFileSync(join(out, "math-reasoning-fst-native-s0", "events.jsonl"), "utf8");
    expect(whole).toContain('"population"');

    const second = fakeTerminal();
    expect(await runCommandLine(words, second)).toBe(0);
    expect(second.stderr().match(/done before/g)).toHaveLength(cells.length);
  });
});
