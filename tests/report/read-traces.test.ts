import { beforeAll, describe, expect, test } from "vitest";
import {
  formatTraces,
  parseTraces,
  selectKept,
  tracePath,
  type TraceHeader,
} from "../../src/experiment/kept-traces.ts";
import { countRollouts } from "../../src/experiment/ledger.ts";
import type { RunSummary } from "../../src/experiment/summary.ts";
import { findTraces, listTraces, readTraces, sampleOf } from "../../src/report/read-traces.ts";
import { createMemoryStore } from "../../src/store/memory-store.ts";
import { readRun, type RunView } from "../../src/store/run-view.ts";
import { finishRun } from "../support/finished-run.ts";
import { makeTrace } from "../support/traces.ts";

const files = new Map<string, Uint8Array>();
let view: RunView;
let summary: RunSummary;

beforeAll(async () => {
  const store = createMemoryStore(files);
  summary = await finishRun(store, "whale");
  view = await readRun(store, "run");
});

describe("a run", () => {
  test("keeps every rollout that its ledger counts, numbered without gaps", async () => {
    const listings = await listTraces(view);
    let next = 0;
    for (const { header } of listings) {
      expect(header.first).toBe(next);
      expect(header.kept).toBe(header.rollouts);
      next += header.rollouts;
    }
    expect(next).toBe(countRollouts(summary.ledger));
  });

  test("says of each batch its phase, use, purpose and harness", async () => {
    const listings = await listTraces(view);
    const names = listings.map(({ header: { phase, use, purpose, harness, step } }) => [
      phase,
      use,
      purpose,
      harness,
      step,
    ]);
    expect(names.slice(0, 4)).toEqual([
      [0, "evaluation", "validation", "h0", 0],
      [0, "evaluation", "test", "h0", 0],
      [1, "weights", "weights-1", "h0", 1],
      [1, "weights", "weights-2", "h0", 2],
    ]);
    expect(names).toContainEqual([2, "harness", "search-2", "p2-h2", 2]);
    expect(names.at(-1)).toEqual([3, "evaluation", "test", "p2-h2", 3]);
  });

  test("keeps ids with a log-probability each, and sequences that hold them", async () => {
    for (const { path } of await listTraces(view))
      for (const trace of (await readTraces(view, path)).traces) {
        const chats = trace.steps.filter((step) => step.kind === "chat");
        for (const { ids, logprobs } of chats) expect(logprobs).toHaveLength(ids.length);
        const sampled = trace.sequences.flatMap(({ ids, mask }) => ids.filter((_, t) => mask[t] === 1));
        expect(sampled).toEqual(chats.flatMap(({ ids }) => ids));
      }
  });

  test("leaves the same bytes when it is run again", async () => {
    const again = new Map<string, Uint8Array>();
    await finishRun(createMemoryStore(again), "whale");
    const traces = [...files.keys()].filter((path) => path.startsWith("traces/"));
    expect(traces.length).toBeGreaterThan(8);
    for (const path of traces) expect(again.get(path)).toEqual(files.get(path));
  });

  test("keeps what it learnt from, and says how much it left out, when the share is 0", async () => {
    const store = createMemoryStore();
    await finishRun(store, "weight-only", { "rollout.traces": 0 });
    const lean = await readRun(store, "lean");
    for (const { path, header } of await listTraces(lean)) {
      const { traces } = await readTraces(lean, path);
      expect(traces.every(({ reward }) => header.use === "weights" && reward > 0.5)).toBe(true);
      const accepted = header.use === "weights" ? Math.round(header.reward * header.rollouts) : 0;
      expect(header.kept).toBe(accepted);
    }
  });
});

describe("findTraces", () => {
  test("takes a number as the n-th task of the last evaluation on test", async () => {
    const found = await findTraces(view, { task: "2" });
    expect(found.map(({ trace }) => sampleOf(trace))).toEqual([0, 1]);
    expect(found[0]?.header).toMatchObject({ purpose: "test", phase: 3 });
  });

  test("finds a task by the beginning of its id, the latest first", async () => {
    const [first] = await findTraces(view, { task: "1" });
    const found = await findTraces(view, { task: first?.trace.task.slice(0, 12) ?? "" });
    expect(found.map(({ header }) => header.phase)).toEqual([3, 3, 2, 2, 1, 1, 0, 0]);
  });

  test("narrows by phase, step and sample", async () => {
    const inPhase = await findTraces(view, { task: "1", phase: 2 });
    expect(inPhase[0]?.header.phase).toBe(2);
    const inStep = await findTraces(view, { task: "1", step: 2, sample: 1 });
    expect(inStep).toHaveLength(1);
    expect(inStep[0]?.header).toMatchObject({ use: "weights", step: 2 });
  });

  test("throws when nothing matches", async () => {
    await expect(findTraces(view, { task: "ffffffffffff" })).rejects.toThrow("no kept rollout matches");
  });
});

const HEADER: TraceHeader = {
  ...{ schema: 1, phase: 1, use: "weights", purpose: "weights-1", harness: "h0", step: 1 },
  ...{ first: 12, rollouts: 4, kept: 1, reward: 0.5 },
};

describe("kept trace files", () => {
  test("are named by phase, use, number, purpose and harness", () => {
    expect(tracePath(HEADER)).toBe("traces/001-weights/0000012-weights-1-h0.jsonl.gz");
    expect(tracePath({ ...HEADER, harness: "../x" })).not.toContain("/../");
  });

  test("read back what was written, whatever characters a text holds", async () => {
    const trace = makeTrace({ sequences: [], message: 'line\nbreak " \u2028 \u{1F40B}', returned: "x" });
    const bytes = await formatTraces({ header: HEADER, traces: [trace] });
    expect(await parseTraces(bytes, "p")).toEqual({ header: HEADER, traces: [trace] });
  });

  test("name what is damaged", async () => {
    const bytes = await formatTraces({ header: HEADER, traces: [makeTrace()] });
    await expect(parseTraces(bytes.subarray(0, 30), "a/b.gz")).rejects.toThrow("a/b.gz: damaged");
    const short = await formatTraces({ header: { ...HEADER, kept: 3 }, traces: [makeTrace()] });
    await expect(parseTraces(short, "a/b.gz")).rejects.toThrow("expected 3 traces, got 1");
  });

  test.each([
    [1, 8],
    [0.5, 4],
    [0.25, 2],
    [0, 0],
  ])("a share of %d keeps %d of 8", (share, kept) => {
    const traces = Array.from({ length: 8 }, () => makeTrace());
    expect(selectKept(traces, share, () => false)).toHaveLength(kept);
    expect(selectKept(traces, share, () => true)).toHaveLength(8);
  });
});

test("listTraces says what to do when a run kept none", async () => {
  const store = createMemoryStore();
  await finishRun(store, "harness-only");
  await store.remove("traces");
  await expect(readRun(store, "old").then(listTraces)).rejects.toThrow("run it again");
});
