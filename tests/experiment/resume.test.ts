import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSandbox } from "../../src/sandbox/quickjs-sandbox.ts";
import type { Sandbox } from "../../src/sandbox/isolate.ts";
import { smallConfig, TINY_SIZES } from "../support/experiment.ts";
import { killEverywhere, ledgerText, live, type RunFiles } from "../support/killed-run.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox();
});
afterAll(() => {
  expect(sandbox.alive()).toBe(0);
  sandbox[Symbol.dispose]();
});

describe("a resumed run", () => {
  // A step makes eight writes, so a stride of three meets them all in time; `resume.slow.test.ts` meets each one.
  it("ends with the same ledger wherever it was killed", async () => {
    const { kills, differing } = await killEverywhere({ config: smallConfig("whale", TINY_SIZES), sandbox }, 3);
    expect(differing).toEqual([]);
    expect(kills).toBeGreaterThan(15);
  });

  it("ends with the same ledger when it is killed again and again", async () => {
    const config = smallConfig("adaptive", TINY_SIZES);
    const [whole, files]: [RunFiles, RunFiles] = [new Map(), new Map()];
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
});
