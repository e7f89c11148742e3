/** A run folder as the record that reports and comparisons work on; of a run that may be going on or have been killed. */
import { StoreError } from "../base/errors.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import type { TaskScores } from "../evaluation/evaluate.ts";
import type { ExperimentConfig } from "../experiment/config.ts";
import { harnessPath } from "../experiment/context.ts";
import { evaluationPath } from "../experiment/evaluate-point.ts";
import type { RunEvent } from "../experiment/events.ts";
import { GRID_FILE, GRID_SCHEMA, type Grid } from "../experiment/grid.ts";
import { EMPTY_LEDGER, type Ledger } from "../experiment/ledger.ts";
import { summarize, type CurvePoint, type RunSummary } from "../experiment/summary.ts";
import { TRACE_VERSION, type RolloutTrace } from "../rollout/trace.ts";
import type { BlobStore } from "../store/blob-store.ts";
import { readMark } from "../store/run-files.ts";
import { readRun, type RunView } from "../store/run-view.ts";
import type { CandidateRow, PhaseSpan, RunRecord, StepPoint, TranscriptPair } from "./run-record.ts";

/** The splits that evaluations score. */
export type ScoredSplit = "validation" | "test";

/**
 * Reads the run behind `store`, which messages call `folder`.
 * @throws {StoreError} If there is no run, or a file is damaged.
 */
export async function readRunRecord(store: BlobStore, folder: string): Promise<RunRecord> {
  const view = await readRun(store, folder);
  // The schema of the folder covers the shape of its events and settings.
  const events = view.events as readonly RunEvent[];
  const config = view.config as unknown as ExperimentConfig;
  const start = events.find((event) => event.kind === "run-start");
  const curve = events.flatMap((event) => (event.kind === "evaluation" ? [event.point] : []));
  const ledger = await readLedger(store, view);
  const summary =
    (view.summary as RunSummary | undefined) ??
    (start !== undefined && curve.length > 0 ? summarize(config, start.model, { curve, ledger }) : undefined);
  return {
    folder,
    domain: config.domain,
    condition: config.condition,
    preset: config.preset,
    seed: config.seed,
    model: start?.model.name ?? config.model,
    modelHash: start?.model.hash ?? "",
    device: start?.model.device ?? "",
    isComplete: view.summary !== undefined,
    confidence: config.evaluation.confidence,
    curve,
    base: summary?.base,
    chosen: summary?.chosen,
    final: summary?.final,
    bestOnTest: summary?.bestOnTest,
    phases: collectPhases(events),
    steps: collectSteps(events),
    candidates: collectCandidates(events),
    confirmations: events.flatMap((event) =>
      event.kind === "phase-end" && event.confirmation !== undefined
        ? [{ ...event.confirmation, harness: event.harness, cycle: event.cycle }]
        : [],
    ),
    harness: await readHarnesses(view, summary?.chosen.harness ?? "h0"),
    transcripts: await readTranscripts(view, summary?.chosen),
    grid: await readGrid(view),
    ledger,
    config: view.config,
  };
}

/**
 * Scores by task of the point `point` of the run behind `view`.
 * @throws {StoreError} If the run keeps none for that point.
 */
export async function readScores(view: RunView, point: CurvePoint, split: ScoredSplit): Promise<TaskScores> {
  const path = evaluationPath(evaluationIndex(view, point));
  const scores = (await readJson(view, path))?.[split];
  if (!isTaskScores(scores)) throw new StoreError(`${view.name}/${path}: scores of ${split} by task are missing`);
  return scores;
}

async function readLedger(store: BlobStore, view: RunView): Promise<Ledger> {
  const { ledger } = view.summary ?? (await readMark(store, view.name))?.state ?? {};
  return ledger === undefined ? EMPTY_LEDGER : (ledger as Ledger);
}

function collectPhases(events: readonly RunEvent[]): PhaseSpan[] {
  const spans: PhaseSpan[] = [];
  for (const event of events) {
    if (event.kind === "phase-start")
      spans.push({ kind: event.part, cycle: event.cycle, from: event.spent, to: event.spent });
    const last = spans.at(-1);
    const isWithin = event.kind === "phase-end" || event.kind === "rsft-step" || event.kind === "search-iteration";
    if (isWithin && last !== undefined) spans[spans.length - 1] = { ...last, to: event.spent };
  }
  return spans;
}

function collectSteps(events: readonly RunEvent[]): StepPoint[] {
  return events.flatMap((event) =>
    event.kind === "rsft-step"
      ? [
          {
            rollouts: event.spent,
            phase: event.phase,
            step: event.step,
            reward: event.reward,
            accepted: event.acceptRate,
            length: event.completionLength,
            clipped: event.clipped,
          },
        ]
      : [],
  );
}

/** Candidates are named within their phase, where `h0` is the harness that came in; the report uses names of the run. */
function collectCandidates(events: readonly RunEvent[]): CandidateRow[] {
  const rows: CandidateRow[] = [];
  let incoming = "h0";
  for (const event of events) {
    if (event.kind === "phase-start") incoming = event.harness;
    if (event.kind === "candidate") {
      const nameOf = (name: string): string => (name === "h0" ? incoming : `p${String(event.phase)}-${name}`);
      rows.push({
        name: nameOf(event.name),
        parent: nameOf(event.parent),
        cycle: event.cycle,
        axis: event.axis,
        hypothesis: event.hypothesis,
        mechanisms: event.mechanisms,
        score: event.result?.reward,
        gain: event.result?.gain,
        refused: event.result === null ? `${event.refusedBy}: ${event.reason}` : "",
        isAccepted: false,
      });
    }
    if (event.kind === "search-iteration") {
      const best = `p${String(event.phase)}-${event.best}`;
      const at = rows.findIndex((row) => row.name === best);
      const row = rows[at];
      if (row !== undefined) rows[at] = { ...row, isAccepted: true };
    }
  }
  return rows;
}

async function readHarnesses(view: RunView, name: string): Promise<RunRecord["harness"]> {
  const read = async (harness: string): Promise<string> => {
    const bytes = await view.readBlob(harnessPath(harness));
    return bytes === undefined ? "" : new TextDecoder().decode(bytes);
  };
  return { before: await read("h0"), after: await read(name), name };
}

async function readTranscripts(view: RunView, chosen: CurvePoint | undefined): Promise<TranscriptPair[]> {
  if (chosen === undefined) return [];
  const before = transcriptsOf(await readJson(view, evaluationPath(0)));
  const after = transcriptsOf(await readJson(view, evaluationPath(evaluationIndex(view, chosen))));
  const pairs = before.flatMap((trace): TranscriptPair[] => {
    const partner = after.find(({ task }) => task === trace.task);
    return partner === undefined ? [] : [{ before: trace, after: partner }];
  });
  // All that the run kept are shown; those that changed most come first.
  const change = ({ before: b, after: a }: TranscriptPair): number => a.reward - b.reward;
  return pairs.sort((a, b) => change(b) - change(a));
}

async function readGrid(view: RunView): Promise<Grid | undefined> {
  const stored = await readJson(view, GRID_FILE);
  if (stored === undefined) return undefined;
  const parts = ["weights", "harnesses", "cells"].map((name) => stored[name]);
  if (stored["schema"] !== GRID_SCHEMA || !parts.every(isJsonArray))
    throw new StoreError(
      `${view.name}/${GRID_FILE}: damaged or of another version; make it anew with: spyhop grid ${view.name}`,
    );
  return stored as unknown as Grid;
}

function transcriptsOf(evaluation: JsonObject | undefined): RolloutTrace[] {
  const kept = evaluation?.["transcripts"];
  if (!isJsonArray(kept)) return [];
  return kept.filter((trace) => isJsonObject(trace) && trace["version"] === TRACE_VERSION) as unknown as RolloutTrace[];
}

/** Index of the evaluation whose file holds `point`: a point that was taken over from the one before has no file. */
function evaluationIndex(view: RunView, point: CurvePoint): number {
  let measured = 0;
  for (const event of view.events as readonly RunEvent[]) {
    if (event.kind !== "evaluation") continue;
    if (!event.reused) measured = event.index;
    const { phase, cycle, rollouts } = event.point;
    if (phase === point.phase && cycle === point.cycle && rollouts === point.rollouts) return measured;
  }
  return measured;
}

async function readJson(view: RunView, path: string): Promise<JsonObject | undefined> {
  const bytes = await view.readBlob(path);
  if (bytes === undefined) return undefined;
  let value: JsonValue;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes)) as JsonValue;
  } catch (cause) {
    throw new StoreError(`${view.name}/${path}: damaged, not JSON`, { cause });
  }
  return isJsonObject(value) ? value : undefined;
}

function isTaskScores(value: JsonValue | undefined): value is TaskScores {
  return isJsonObject(value) && isJsonArray(value["tasks"]) && isJsonArray(value["means"]);
}
