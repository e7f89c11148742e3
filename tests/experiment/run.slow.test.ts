import { describe, expect, it } from "vitest";
import { EVOLVE } from "../../src/experiment/context.ts";
import { runExperiment } from "../../src/experiment/run.ts";
import { createDirectSandbox } from "../support/direct-sandbox.ts";
import { makeParts, memoryFolder, smallConfig } from "../support/experiment.ts";

describe("runExperiment", () => {
  it("finds the careful prompt by itself with the offline proposer", async () => {
    const config = smallConfig("harness-only", { "tasks.harness": 40, "schedule.harnessOnlyIterations": 4 });
    const folder = memoryFolder(config);
    const options = { sandbox: createDirectSandbox(), store: await folder.open(), proposer: EVOLVE };
    const summary = await runExperiment(config, makeParts(config, options));
    expect(summary.ledger.candidates.evaluated).toBeGreaterThan(0);
    expect(folder.text(`harnesses/${summary.final.harness}.js`)).toContain("carefully");
  });
});
