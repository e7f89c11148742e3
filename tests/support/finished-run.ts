/** A small experiment on sums, run to its end into a store of the test's own, for tests of what reads run folders. */
import type { ConfigOverrides } from "../../src/experiment/config.ts";
import { runExperiment } from "../../src/experiment/run.ts";
import type { RunSummary } from "../../src/experiment/summary.ts";
import type { BlobStore } from "../../src/store/blob-store.ts";
import { createRun } from "../../src/store/run-store.ts";
import { createDirectSandbox } from "./direct-sandbox.ts";
import { makeParts, smallConfig } from "./experiment.ts";

/** Runs `condition` into the empty `blobs`. */
export async function finishRun(
  blobs: BlobStore,
  condition: string,
  overrides: ConfigOverrides = {},
): Promise<RunSummary> {
  const config = smallConfig(condition, overrides);
  const store = await createRun(blobs, { name: "run", config });
  return runExperiment(config, makeParts(config, { sandbox: createDirectSandbox(), store }));
}
