import { describe, expect, it } from "vitest";
import { CONDITIONS } from "../../src/experiment/conditions.ts";
import { createSandbox } from "../../src/sandbox/quickjs-sandbox.ts";
import { smallConfig, TINY_SIZES } from "../support/experiment.ts";
import { killEverywhere } from "../support/killed-run.ts";

describe("a resumed run", () => {
  it.each(CONDITIONS)("ends with the same ledger whichever write it was killed at (%s)", async (condition) => {
    using sandbox = await createSandbox();
    const { kills, differing } = await killEverywhere({ config: smallConfig(condition, TINY_SIZES), sandbox }, 1);
    expect(differing).toEqual([]);
    expect(kills).toBeGreaterThan(15);
  });
});
