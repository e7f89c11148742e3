import { describe, expect, test } from "vitest";
import { createMemoryStore } from "../../src/store/memory-store.ts";
import { completePhase, readManifest, verifyPhase } from "../../src/store/phase-manifest.ts";
import { createRun } from "../../src/store/run-store.ts";
import { readRun } from "../../src/store/run-view.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("readRun", () => {
  test("readRun gives whole lines and changes nothing when the run is going on", async () => {
    const files = new Map<string, Uint8Array>();
    const store = createMemoryStore(files);
    const run = await createRun(store, { name: "r", config: { seed: 1 } });
    run.emit({ step: 1 });
    run.time({ seconds: 2 });
    await run.mark({ step: 1 });
    await store.append("events.jsonl", bytes('{"step":2}\n{"st'));
    const before = new Map(files);
    const view = await readRun(store, "r");
    expect(view).toMatchObject({ config: { seed: 1 }, events: [{ step: 1 }, { step: 2 }], timings: [{ seconds: 2 }] });
    expect(view.summary).toBeUndefined();
    expect(files).toEqual(before);
  });

  test("readRun has the summary when the run is done", async () => {
    const store = createMemoryStore();
    await (await createRun(store, { name: "r", config: {} })).finish({ best: 1 });
    expect((await readRun(store, "r")).summary).toEqual({ best: 1 });
  });

  test("readRun names the line when it is damaged", async () => {
    const store = createMemoryStore();
    await createRun(store, { name: "r", config: {} });
    await store.append("events.jsonl", bytes("{}\n{oops}\n"));
    await expect(readRun(store, "r")).rejects.toThrow(/r\/events.jsonl:2: damaged, not JSON/);
  });
});

describe("completePhase", () => {
  test("completePhase records every file when the phase ends, and verifyPhase finds what changed since", async () => {
    const store = createMemoryStore();
    const run = await createRun(store, { name: "r", config: {} });
    const folder = "phases/001-weights";
    await run.writeBlob(`${folder}/a/w.txt`, bytes("abc"));
    expect(await readManifest(run, folder)).toBeUndefined();
    await expect(verifyPhase(run, folder)).rejects.toThrow(/r\/phases\/001-weights: not complete/);
    await completePhase(run, folder, { steps: 2 });
    // SHA-256 of "abc", FIPS 180-2 appendix B.1.
    const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    expect(await readManifest(run, folder)).toEqual({ schema: 1, steps: 2, files: { "a/w.txt": abc } });
    await verifyPhase(run, folder);
    await completePhase(run, folder, { steps: 2 });
    expect(await readManifest(run, folder)).toEqual({ schema: 1, steps: 2, files: { "a/w.txt": abc } });
    await run.writeBlob(`${folder}/a/w.txt`, bytes("abd"));
    await expect(verifyPhase(run, folder)).rejects.toThrow(/w.txt: changed since manifest.json was written/);
    await run.removeBlob(folder + "/a");
    await expect(verifyPhase(run, folder)).rejects.toThrow(/w.txt: missing, though manifest.json names it/);
  });
});
