import { describe, expect, it } from "vitest";
import type { ExperimentParts } from "../../src/experiment/context.ts";
import { runExperiment } from "../../src/experiment/run.ts";
import { createDirectSandbox } from "../support/direct-sandbox.ts";
import { makeParts, memoryFolder, smallConfig, TINY_SIZES } from "../support/experiment.ts";
import { killEverywhere, ledgerText, live, type RunFiles } from "../support/killed-run.ts";

const sandbox = createDirectSandbox();

describe("a resumed run", () => {
  // A step makes eight writes, so a stride of seven meets all kinds of them; `resume.slow.test.ts` meets each one.
  it("ends with the same ledger wherever it was killed", async () => {
    const { kills, differing } = await killEverywhere({ config: smallConfig("whale", TINY_SIZES), sandbox }, 7);
    expect(differing).toEqual([]);
    expect(kills).toBeGreaterThan(8);
  });

  it("ends with the same ledger when it is killed again and again", async () => {
    const config = smallConfig("adaptive", TINY_SIZES);
    const whole: RunFiles = new Map();
    const files: RunFiles = new Map();
    await live({ config, sandbox, files: whole });
    let lives = 1;
    while ((await live({ config, sandbox, files }, 9)) === "killed") lives += 1;
    expect(lives).toBeGreaterThan(5);
    expect(ledgerText(files)).toBe(ledgerText(whole));
  });

  it("stays as it is when the run was done", async () => {
    const life = { config: smallConfig("weight-only", TINY_SIZES), sandbox, files: new Map<string, Uint8Array>() };
    await live(life);
    const before = ledgerText(life.files);
    expect(await live(life)).toBe("done");
    expect(ledgerText(life.files)).toBe(before);
  });

  it("is refused when model, tasks or first harness are others than at its start", async () => {
    const config = smallConfig("whale", TINY_SIZES);
    const folder = memoryFolder(config);
    const parts = makeParts(config, { sandbox, store: await folder.open() });
    await expect(runExperiment(config, { ...parts, proposer: failing })).rejects.toThrow("no proposer");
    const resume = async (change: Partial<ExperimentParts>): Promise<unknown> =>
      runExperiment(config, { ...parts, store: await folder.open(), ...change });
    const other = { ...parts.policy, describe: () => ({ name: "other", hash: "1", device: "cpu" }) };
    await expect(resume({ policy: other })).rejects.toThrow(/base model has changed/);
    await expect(resume({ tasks: { ...parts.tasks, test: [] } })).rejects.toThrow(/tasks have changed/);
    await expect(resume({ domain: { ...parts.domain, seedHarness: "" } })).rejects.toThrow(
      /first harness .* has changed/,
    );
    await expect(resume({})).resolves.toMatchObject({ domain: "sums" });
  });
});

function failing(): never {
  throw new RangeError("no proposer");
}
