import { afterEach, describe, expect, it, vi } from "vitest";
import { createSettle } from "../../src/generation/settle.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("createSettle", () => {
  it.each(["setImmediate", "MessageChannel"])("waits for long chains of promises over %s", async (means) => {
    if (means === "MessageChannel") vi.stubGlobal("setImmediate", undefined);
    const settle = createSettle();
    for (let round = 0; round < 3; round += 1) {
      let done = 0;
      const chains = Array.from({ length: 5 }, async (_, i) => {
        for (let n = 0; n < 100 * i; n += 1) await Promise.resolve();
        done += 1;
      });
      await settle();
      expect(done).toBe(5);
      await Promise.all(chains);
    }
  });
});
