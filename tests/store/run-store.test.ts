import { describe, expect, test } from "vitest";
import { StoreError } from "../../src/base/errors.ts";
import type { BlobStore } from "../../src/store/blob-store.ts";
import { createMemoryStore } from "../../src/store/memory-store.ts";
import { checkpointFolder, createRun, openRun, phaseFolder } from "../../src/store/run-store.ts";
import { Crash, createCrashingStore, type CrashPlan } from "../support/crashing-store.ts";
import { continueToyRun } from "../support/toy-run.ts";

const STEPS = 7;
const config = { domain: "toy", seed: 3 };

async function text(store: BlobStore, path: string): Promise<string | undefined> {
  const bytes = await store.read(path);
  return bytes && new TextDecoder().decode(bytes);
}

async function runWhole(): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  await continueToyRun(await createRun(createMemoryStore(files), { name: "r", config }), STEPS);
  return files;
}

/** Starts or resumes until the run is done, dying once for each of `plans`. Counts the deaths. */
async function runWithCrashes(files: Map<string, Uint8Array>, plans: readonly CrashPlan[]): Promise<number> {
  let crashes = 0;
  for (const plan of [...plans, { at: Infinity, done: 1 }]) {
    const store = createCrashingStore(createMemoryStore(files), plan);
    try {
      const started = files.has("config.json");
      const run = started ? await openRun(store, "r") : await createRun(store, { name: "r", config });
      await continueToyRun(run, STEPS);
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      crashes += 1;
    }
  }
  return crashes;
}

/** All files but the timings, of which a repeated step writes a second line. */
function ledgerFiles(files: Map<string, Uint8Array>): Record<string, string> {
  const kept = [...files].filter(([path]) => path !== "timings.jsonl");
  return Object.fromEntries(kept.sort().map(([path, bytes]) => [path, new TextDecoder().decode(bytes)] as const));
}

describe("createRun", () => {
  test("createRun writes the settings with a schema version when the folder is empty", async () => {
    const store = createMemoryStore();
    const run = await createRun(store, { name: "r", config });
    expect(run.config).toEqual(config);
    expect(run.lastMark()).toBeUndefined();
    expect(run.summary()).toBeUndefined();
    expect(await text(store, "config.json")).toBe('{"domain":"toy","schema":1,"seed":3}\n');
    expect((await openRun(store, "r")).config).toEqual(config);
  });

  test("createRun names the next step when the folder holds another run", async () => {
    const store = createMemoryStore();
    await createRun(store, { name: "runs/a", config });
    const again = createRun(store, { name: "runs/a", config });
    await expect(again).rejects.toThrow(StoreError);
    await expect(again).rejects.toThrow(
      "runs/a: holds another run; give another --out, or go on with it: spyhop resume runs/a",
    );
  });

  test("createRun leaves a folder alone when it holds something else", async () => {
    const files = new Map([["thesis.tex", new Uint8Array(1)]]);
    const creating = createRun(createMemoryStore(files), { name: "runs/a", config });
    await expect(creating).rejects.toThrow(
      /runs\/a: expected an empty folder, it holds thesis.tex; give another --out/,
    );
    expect([...files.keys()]).toEqual(["thesis.tex"]);
  });
});

describe("run", () => {
  test("mark commits events and state together when awaited", async () => {
    const store = createMemoryStore();
    const run = await createRun(store, { name: "r", config });
    run.emit({ b: 1, a: "x" });
    expect(await text(store, "events.jsonl")).toBeUndefined();
    await run.mark({ step: 1 });
    expect(await text(store, "events.jsonl")).toBe('{"a":"x","b":1}\n');
    expect(run.lastMark()).toEqual({ step: 1 });
    expect((await openRun(store, "r")).lastMark()).toEqual({ step: 1 });
  });

  test("mark keeps the state as it was when the caller changes it afterwards", async () => {
    const store = createMemoryStore();
    const run = await createRun(store, { name: "r", config });
    const state = { scores: [1] };
    const marking = run.mark(state);
    state.scores.push(2);
    run.emit({ late: true });
    await marking;
    expect(run.lastMark()).toEqual({ scores: [1] });
    expect(await text(store, "events.jsonl")).toBeUndefined();
  });

  test("marks keep their order when they are not awaited one by one", async () => {
    const store = createMemoryStore();
    const run = await createRun(store, { name: "r", config });
    const marks = [1, 2, 3].map((step) => {
      run.emit({ step });
      return run.mark({ step });
    });
    await Promise.all(marks);
    expect(await text(store, "events.jsonl")).toBe('{"step":1}\n{"step":2}\n{"step":3}\n');
    expect(await text(store, "mark.json")).toBe('{"eventsLength":33,"schema":1,"state":{"step":3}}\n');
  });

  test("openRun drops events beyond the last mark when they were only flushed", async () => {
    const store = createMemoryStore();
    const run = await createRun(store, { name: "r", config });
    run.emit({ step: 1 });
    await run.mark({ step: 1 });
    run.emit({ step: 2 });
    run.time({ step: 2, seconds: 1 });
    await run.flush();
    await store.append("events.jsonl", new TextEncoder().encode('{"step":3,"te'));
    await store.append("timings.jsonl", new TextEncoder().encode('{"step":3,'));
    const resumed = await openRun(store, "r");
    expect(await text(store, "events.jsonl")).toBe('{"step":1}\n');
    expect(await text(store, "timings.jsonl")).toBe('{"seconds":1,"step":2}\n');
    resumed.emit({ step: 2 });
    await resumed.mark({ step: 2 });
    expect(await text(store, "events.jsonl")).toBe('{"step":1}\n{"step":2}\n');
  });

  test("openRun starts from the beginning when there is no mark yet", async () => {
    const store = createMemoryStore();
    const run = await createRun(store, { name: "r", config });
    run.emit({ step: 1 });
    await run.flush();
    expect((await openRun(store, "r")).lastMark()).toBeUndefined();
    expect(await text(store, "events.jsonl")).toBe("");
  });

  test("finish writes the summary when all is done, and no event is taken afterwards", async () => {
    const store = createMemoryStore();
    const run = await createRun(store, { name: "r", config });
    run.emit({ step: 1 });
    await run.finish({ best: 0.5 });
    expect(await text(store, "summary.json")).toBe('{"best":0.5}\n');
    expect(run.summary()).toEqual({ best: 0.5 });
    expect(() => {
      run.emit({ step: 2 });
    }).toThrow(TypeError);
    await expect(run.mark({})).rejects.toThrow(TypeError);
    expect((await openRun(store, "r")).summary()).toEqual({ best: 0.5 });
  });

  test("all later writes fail with the first error when a write has failed", async () => {
    const store = createMemoryStore();
    const full = { ...store, append: () => Promise.reject(new StoreError("r/events.jsonl: the disk is full")) };
    const run = await createRun(full, { name: "r", config });
    run.emit({ step: 1 });
    await expect(run.mark({ step: 1 })).rejects.toThrow(/disk is full/);
    await expect(run.mark({ step: 2 })).rejects.toThrow(/disk is full/);
    expect(await store.read("mark.json")).toBeUndefined();
  });

  test("emit throws when a number is not finite", async () => {
    const run = await createRun(createMemoryStore(), { name: "r", config });
    expect(() => {
      run.emit({ loss: NaN });
    }).toThrow(TypeError);
  });
});

describe("resume", () => {
  test("the ledger ends the same when the run is killed at any operation, in the middle of it or after it", async () => {
    const whole = ledgerFiles(await runWhole());
    let at = 0;
    for (let crashes = 1; crashes > 0; at += 1) {
      crashes = 0;
      for (const done of [0, 0.3, 0.7, 1]) {
        const files = new Map<string, Uint8Array>();
        crashes += await runWithCrashes(files, [{ at, done }]);
        expect(withoutOldCheckpoints(ledgerFiles(files))).toEqual(withoutOldCheckpoints(whole));
      }
    }
    expect(at).toBeGreaterThan(30);
  });

  test("the ledger ends the same when the run is killed again and again", async () => {
    const whole = ledgerFiles(await runWhole());
    for (const at of [3, 5, 8]) {
      const files = new Map<string, Uint8Array>();
      const plans = Array.from({ length: 40 }, (_, i) => ({ at: at + (i % 4), done: (i % 3) / 2 }));
      expect(await runWithCrashes(files, plans)).toBeGreaterThan(2);
      expect(withoutOldCheckpoints(ledgerFiles(files))).toEqual(withoutOldCheckpoints(whole));
    }
  });

  /** A kill between a mark and the removal after it leaves a checkpoint that no mark names. */
  function withoutOldCheckpoints(files: Record<string, string>): Record<string, string> {
    const last = checkpointFolder(STEPS);
    return Object.fromEntries(
      Object.entries(files).filter(([path]) => !path.startsWith("checkpoints/") || path.startsWith(last)),
    );
  }
});

describe("openRun", () => {
  test.each([
    ["there is no run", {}, /r: no run here, config.json is missing; start one with/],
    ["the settings are damaged", { "config.json": "{" }, /r\/config.json: damaged, not JSON/],
    ["the settings are a list", { "config.json": "[]" }, /r\/config.json: damaged, expected a JSON object/],
    [
      "another version wrote it",
      { "config.json": '{"schema":2}' },
      /r\/config.json: expected schema 1, got 2; use the/,
    ],
    ["there is no version", { "config.json": "{}" }, /r\/config.json: expected schema 1, got null/],
    ["the mark is damaged", { "config.json": '{"schema":1}', "mark.json": '{"schema":1}' }, /r\/mark.json: damaged/],
    [
      "the ledger is shorter than its mark says",
      { "config.json": '{"schema":1}', "mark.json": '{"schema":1,"eventsLength":9}', "events.jsonl": "{}\n" },
      /r\/events.jsonl: expected at least 9 bytes, got 3/,
    ],
  ])("openRun throws StoreError when %s", async (_, files, message) => {
    const entries = Object.entries(files).map(([path, content]) => [path, new TextEncoder().encode(content)] as const);
    const opening = openRun(createMemoryStore(new Map(entries)), "r");
    await expect(opening).rejects.toThrow(StoreError);
    await expect(opening).rejects.toThrow(message);
  });
});

test("phaseFolder and checkpointFolder pad their numbers so that names sort", () => {
  expect(phaseFolder(3, "harness")).toBe("phases/003-harness");
  expect(checkpointFolder(12)).toBe("checkpoints/step-000012");
});
