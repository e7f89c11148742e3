import { expect, test, vi } from "vitest";
import { createSandbox } from "../../src/sandbox/quickjs-sandbox.ts";
import { NATIVE_LIMITS, NATIVE_OPERATIONS } from "../support/native-operations.ts";

// Seconds each where nothing else runs; without fuel they would take minutes to years.
vi.setConfig({ testTimeout: 120_000 });

test.each(NATIVE_OPERATIONS)("%s ends, twice alike", async (_, body, faults) => {
  using sandbox = await createSandbox();
  const run = (): ReturnType<typeof sandbox.run> =>
    sandbox.run({
      source: `export function solve() { ${body} }`,
      entry: "solve",
      args: [],
      host: {},
      limits: NATIVE_LIMITS,
      seed: "slow",
    });
  const outcome = await run();
  expect(faults).toContain(outcome.ok ? "none" : outcome.fault);
  expect(await run()).toEqual(outcome);
});
