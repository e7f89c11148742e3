import { describe, expect, it } from "vitest";
import { CONDITIONS } from "../../src/experiment/conditions.ts";
import { createSandbox } from "../../src/sandbox/quickjs-sandbox.ts";
import { createDirectSandbox } from "../support/direct-sandbox.ts";
import { smallConfig, TINY_SIZES } from "../support/experiment.ts";
import { killEverywhere } from "../support/killed-run.ts";

describe("a resumed run", () => {
  it.each(CONDITIONS)("ends with the same ledger whichever write it was killed at (%s)", async (condition) => {
    const sandbox = createDirectSandbox();
    const { kills, differing } = await killEverywhere({ config: smallConfig(condition, TINY_SIZES), sandbox }, 1);
    expect(differing).toEqual([]);
    expect(kills).toBeGreaterThan(15);
  });

  it("ends with the same ledger in the real sandbox", async () => {
    using sandbox = await createSandbox();
    const { kills, differing } = await killEverywhere({ config: smallConfig("whale", TINY_SIZES), sandbox }, 23);
    expect(differing).toEqual([]);
    expect(kills).toBeGreaterThan(2);
    expect(sandbox.alive()).toBe(0);
  });
});
