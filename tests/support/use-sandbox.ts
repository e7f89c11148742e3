/** The real sandbox for all tests of a file. */
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import type { Sandbox } from "../../src/sandbox/isolate.ts";
import { createSandbox } from "../../src/sandbox/quickjs-sandbox.ts";

/** Opens a sandbox before the file's tests and closes it behind them; each test must leave no isolate alive. */
export function useSandbox(): Sandbox {
  let opened: Sandbox;
  beforeAll(async () => {
    opened = await createSandbox();
  });
  afterEach(() => {
    expect(opened.alive()).toBe(0);
  });
  afterAll(() => {
    opened[Symbol.dispose]();
  });
  return {
    run: (program) => opened.run(program),
    alive: () => opened.alive(),
    [Symbol.dispose]: () => {
      opened[Symbol.dispose]();
    },
  };
}
