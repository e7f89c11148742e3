import { describe, expect, it } from "vitest";
import { runExperiment } from "../../src/experiment/run.ts";
import type { ExperimentConfig } from "../../src/experiment/config.ts";
import type { Sandbox } from "../../src/sandbox/isolate.ts";
import { createMemoryStore } from "../../src/store/memory-store.ts";
import { createRun, openRun } from "../../src/store/run-store.ts";
import { createCrashingStore, Crash } from "../support/crashing-store.ts";
import { makeParts, smallConfig } from "../support/experiment.ts";

const sandbox = undefined as unknown as Sandbox;

type Files = Map<string, Uint8Array>;

/** Starts or resumes the run in `files` in a new process, as far as the `at`-th change of a file. */
async function live(config: ExperimentConfig, files: Files, at = Infinity): Promise<"done" | "killed"> {
  const blobs = createCrashingStore(createMemoryStore(files), { at, done: (at % 4) / 4 });
  try {
    const store = files.has("config.json")
      ? await openRun(blobs, "run")
      : await createRun(blobs, { name: "run", config });
    await runExperiment(config, makeParts(config, { sandbox, store }));
    return "done";
  } catch (error) {
    if (error instanceof Crash) return "killed";
    throw error;
  }
}

const bytes = (files: Files, path: string): string => new TextDecoder().decode(files.get(path));

describe("a resumed run", () => {
  it.each(["whale", "adaptive"])("ends with the same ledger wherever it was killed (%s)", async (condition) => {
    const config = smallConfig(condition, { "evaluation.samples": 2, "tasks.test": 4, "tasks.validation": 4 });
    const whole: Files = new Map();
    expect(await live(config, whole)).toBe("done");
    let kills = 0;
    for (let at = 0; ; at += 1) {
      const files: Files = new Map();
      if ((await live(config, files, at)) === "done") break;
      kills += 1;
      expect(await live(config, files)).toBe("done");
      for (const path of ["events.jsonl", "summary.json"])
        expect(bytes(files, path), `${path} after a kill at change ${String(at)}`).toBe(bytes(whole, path));
    }
    expect(kills).toBeGreaterThan(50);
  });

  it("ends with the same ledger when it is killed again and again", async () => {
    const config = smallConfig("whale");
    const whole: Files = new Map();
    await live(config, whole);
    const files: Files = new Map();
    let lives = 1;
    while ((await live(config, files, 9)) === "killed") lives += 1;
    expect(lives).toBeGreaterThan(5);
    expect(bytes(files, "events.jsonl")).toBe(bytes(whole, "events.jsonl"));
    expect(bytes(files, "summary.json")).toBe(bytes(whole, "summary.json"));
  });

  it("gives the summary back when the run is already done", async () => {
    const config = smallConfig("weight-only");
    const files: Files = new Map();
    await live(config, files);
    const before = bytes(files, "events.jsonl");
    expect(await live(config, files)).toBe("done");
    expect(bytes(files, "events.jsonl")).toBe(before);
  });
});
