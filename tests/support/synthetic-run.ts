/** A run folder made by the run store from made-up events, for tests of whatever reads run folders. */
import type { JsonObject } from "../../src/base/json.ts";
import { harnessPath } from "../../src/experiment/context.ts";
import { evaluationPath } from "../../src/experiment/evaluate-point.ts";
import type { RunEvent } from "../../src/experiment/events.ts";
import { EMPTY_LEDGER } from "../../src/experiment/ledger.ts";
import { resolveConfig } from "../../src/experiment/presets.ts";
import { summarize, type CurvePoint } from "../../src/experiment/summary.ts";
import type { BlobStore } from "../../src/store/blob-store.ts";
import { createRun } from "../../src/store/run-store.ts";
import { curvePoint, syntheticRecord } from "./synthetic-record.ts";

/** How the made-up run differs from the usual one. */
export type SyntheticRunOptions = {
  readonly condition?: string;
  readonly seed?: number;
  /** Added to the test score of every task but those of the base. */
  readonly shift?: number;
  /** Whether the run ends; a run that does not stops after its first weight phase. */
  readonly isComplete?: boolean;
};

const TASKS = Array.from({ length: 40 }, (_, i) => `task-${String(i)}`);

/** Writes base, one weight phase, one harness phase with an accepted and a refused candidate, and one weight phase. */
export async function writeSyntheticRun(store: BlobStore, options: SyntheticRunOptions = {}): Promise<void> {
  const { condition = "whale", seed = 0, shift = 0, isComplete = true } = options;
  const config = resolveConfig("smoke", { domain: "math-reasoning", condition, model: "tiny", seed });
  const model = { name: "tiny", hash: "abc", device: "cpu" };
  const run = await createRun(store, { name: "synthetic", config });
  const { harness } = syntheticRecord();
  const curve: CurvePoint[] = [];
  const emit = (event: RunEvent): void => {
    run.emit(event);
  };
  const evaluate = async (index: number, point: CurvePoint): Promise<void> => {
    const means = TASKS.map((_, i) => Math.min(1, (i % 5) / 10 + (index === 0 ? 0 : 0.1 * index + shift)));
    const scores: JsonObject = { samples: 8, tasks: TASKS, means };
    const { transcripts } = syntheticRecord();
    const kept = transcripts.map(({ before, after }) => (index === 0 ? before : after)) as unknown as JsonObject[];
    await run.writeJson(evaluationPath(index), { schema: 1, validation: scores, test: scores, transcripts: kept });
    emit({ kind: "evaluation", index, reused: false, point });
    curve.push(point);
    await run.mark({ schema: 1, ledger: EMPTY_LEDGER });
  };

  await run.writeBlob(harnessPath("h0"), new TextEncoder().encode(harness.before));
  await run.writeBlob(harnessPath("p2-h2"), new TextEncoder().encode(harness.after));
  const tasks = { weight: 64, harness: 24, validation: 16, test: 40 };
  emit({ kind: "run-start", schema: 1, config, model, tasks, tasksHash: "t", harnessHash: "h" });
  await evaluate(0, { ...curvePoint(0, "base", [0.2, 0.22]), harness: "h0" });
  emitWeights(emit, { phase: 1, cycle: 1, from: 0, harness: "h0", step: 0 });
  await evaluate(1, { ...curvePoint(128, "weights", [0.3, 0.31]), harness: "h0", step: 2, cycle: 1 });
  if (!isComplete) return;
  emitHarness(emit);
  await evaluate(2, { ...curvePoint(272, "harness", [0.5, 0.52]), harness: "p2-h2", step: 2, cycle: 1 });
  emitWeights(emit, { phase: 3, cycle: 2, from: 272, harness: "p2-h2", step: 2 });
  await evaluate(3, { ...curvePoint(400, "weights", [0.6, 0.58]), harness: "p2-h2", step: 4, cycle: 2 });
  const summary = summarize(config, model, { curve, ledger: EMPTY_LEDGER });
  emit({ kind: "run-end", summary });
  await run.finish(summary);
}

type WeightsPlace = { phase: number; cycle: number; from: number; harness: string; step: number };

function emitWeights(emit: (event: RunEvent) => void, { phase, cycle, from, harness, step }: WeightsPlace): void {
  const about = { phase, cycle, part: "weights", length: 2, harness } as const;
  emit({ kind: "phase-start", ...about, step, spent: from });
  for (const i of [1, 2])
    emit({
      ...{ kind: "rsft-step", phase, cycle, step: step + i, spent: from + 64 * i, reward: 0.3, rollouts: 64 },
      ...{ accepted: 20, acceptRate: 0.3125, promptsUnsolved: 0.4, promptsSolved: 0.1, completionLength: 40 },
      ...{ clipped: 0.05, loss: 0.5, gradNorm: 1, updates: 1, skipped: false, tokensSampled: 9, tokensTrained: 3 },
    });
  emit({ kind: "phase-end", ...about, stopped: "length", step: step + 2, spent: from + 128 });
}

function emitHarness(emit: (event: RunEvent) => void): void {
  const about = { phase: 2, cycle: 1 };
  const search = { kind: "search-iteration", ...about, failure: "" } as const;
  const candidate = {
    kind: "candidate",
    ...about,
    iteration: 1,
    parent: "h0",
    mechanisms: ["m"],
    sourceHash: "s",
  } as const;
  const result = { reward: 0.5, turns: 2, tokens: 40, gain: { mean: 0.2, low: 0.1, high: 0.3 }, causes: {} };
  emit({ kind: "phase-start", ...about, part: "harness", length: 2, harness: "h0", step: 2, spent: 128 });
  emit({ ...search, iteration: 0, best: "h0", bestReward: 0.3, evaluated: 1, refused: 0, spent: 152 });
  emit({
    ...candidate,
    name: "h1",
    axis: "prompt",
    hypothesis: "A",
    refusedBy: "null-model",
    reason: "B",
    result: null,
  });
  emit({ ...candidate, name: "h2", axis: "turns", hypothesis: "C", refusedBy: "", reason: "", result });
  emit({ ...search, iteration: 1, best: "h2", bestReward: 0.5, evaluated: 1, refused: 1, spent: 272 });
  const end = { part: "harness", length: 2, stopped: "length", harness: "p2-h2", step: 2, spent: 272 } as const;
  emit({ kind: "phase-end", ...about, ...end });
}
