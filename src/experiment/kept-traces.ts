/**
 * Traces in the run folder: one gzip file of JSON lines for each batch of rollouts, a header first.
 *
 *   traces/PHASE-USE/FIRST-PURPOSE-HARNESS.jsonl.gz
 *
 * FIRST is the number of the batch's first rollout in the run, which a resumed run counts alike, so that a batch that is
 * played again replaces its own file. Traces are complete: messages, sampled ids and log-probabilities (to six decimals),
 * tools, notes, reward and why. They hold no gold answer. Rollouts of checks (smoke, null model) are not rollouts of the
 * run and are not kept. No proposer reads these files; what proposers see goes through `redactTrace`.
 */
import { StoreError } from "../base/errors.ts";
import { isJsonObject, type JsonValue } from "../base/json.ts";
import { TRACE_VERSION, type RolloutTrace } from "../rollout/trace.ts";
import { gunzipLines, gzipLines } from "../store/gzip.ts";
import type { RolloutUse } from "./ledger.ts";

/** Folder of all trace files. */
export const TRACES_FOLDER = "traces";

/** What one file of traces is about: its first line. */
export type TraceHeader = {
  readonly schema: typeof TRACE_VERSION;
  /** Phase of the run, from 1; 0 is the evaluation of the base. */
  readonly phase: number;
  readonly use: RolloutUse;
  /** Such as `weights-3` (step 3), `search-2` (phase 2), `validation`, `test`. */
  readonly purpose: string;
  /** Name of the harness in the run, such as `h0` or `p2-h5`. */
  readonly harness: string;
  /** RSFT step that the rollouts are of, or steps done before them. */
  readonly step: number;
  /** Number of the first rollout in the run, from 0. */
  readonly first: number;
  readonly rollouts: number;
  /** How many of them the file holds. */
  readonly kept: number;
  /** Mean over all rollouts. */
  readonly reward: number;
};

/** One file of traces, read. */
export type TraceFile = { readonly header: TraceHeader; readonly traces: readonly RolloutTrace[] };

/** Where the file with `header` stands. */
export function tracePath({ phase, use, purpose, harness, first }: Omit<TraceHeader, "kept" | "reward">): string {
  const folder = `${TRACES_FOLDER}/${String(phase).padStart(3, "0")}-${use}`;
  return `${folder}/${String(first).padStart(7, "0")}-${`${purpose}-${harness}`.replace(/[^\w.-]+/g, "_")}.jsonl.gz`;
}

/**
 * The traces of a batch that are kept: those that `isNeeded` says, and `share` of the others, evenly spaced.
 * A share of 1 keeps all.
 */
export function selectKept(
  traces: readonly RolloutTrace[],
  share: number,
  isNeeded: (trace: RolloutTrace) => boolean,
): RolloutTrace[] {
  let others = 0;
  return traces.filter((trace) => {
    if (isNeeded(trace)) return true;
    others += 1;
    return Math.floor(others * share + 1e-9) > Math.floor((others - 1) * share + 1e-9);
  });
}

/** The bytes of a file. */
export function formatTraces({ header, traces }: TraceFile): Promise<Uint8Array> {
  return gzipLines(traceLines({ header, traces }));
}

/**
 * Reads the file `path` with `bytes`.
 * @throws {StoreError} If it is damaged, or another version wrote it.
 */
export async function parseTraces(bytes: Uint8Array, path: string): Promise<TraceFile> {
  let header: TraceHeader | undefined;
  const traces: RolloutTrace[] = [];
  for await (const value of readLines(bytes, path)) {
    if (header === undefined) header = readHeader(value, path);
    else traces.push(value as unknown as RolloutTrace);
  }
  if (header === undefined || traces.length !== header.kept)
    throw new StoreError(
      `${path}: damaged, expected ${String(header?.kept ?? 0)} traces, got ${String(traces.length)}`,
    );
  return { header, traces };
}

/**
 * Reads the first line alone.
 * @throws {StoreError} Like `parseTraces`.
 */
export async function parseTraceHeader(bytes: Uint8Array, path: string): Promise<TraceHeader> {
  for await (const value of readLines(bytes, path)) return readHeader(value, path);
  throw new StoreError(`${path}: damaged, it is empty`);
}

function* traceLines({ header, traces }: TraceFile): Generator<string> {
  yield JSON.stringify(header);
  for (const trace of traces) yield JSON.stringify(roundLogprobs(trace));
}

async function* readLines(bytes: Uint8Array, path: string): AsyncGenerator<JsonValue> {
  try {
    for await (const line of gunzipLines(bytes)) if (line !== "") yield JSON.parse(line) as JsonValue;
  } catch (cause) {
    throw new StoreError(`${path}: damaged, not gzip with JSON lines`, { cause });
  }
}

function readHeader(value: JsonValue, path: string): TraceHeader {
  if (!isJsonObject(value) || value["schema"] !== TRACE_VERSION)
    throw new StoreError(`${path}: expected traces of version ${String(TRACE_VERSION)}`);
  return value as unknown as TraceHeader;
}

function roundLogprobs(trace: RolloutTrace): RolloutTrace {
  const round = (values: readonly number[]): number[] => values.map((value) => Math.round(value * 1e6) / 1e6);
  return {
    ...trace,
    steps: trace.steps.map((step) => (step.kind === "chat" ? { ...step, logprobs: round(step.logprobs) } : step)),
    sequences: trace.sequences.map((sequence) => ({ ...sequence, logprobs: round(sequence.logprobs) })),
  };
}
