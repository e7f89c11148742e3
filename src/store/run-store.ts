/**
 * A run folder: settings, an append-only ledger, and marks from which a killed run goes on.
 *
 *   config.json     the settings, written once, first
 *   events.jsonl    the ledger: one canonical JSON line an event, no times in it
 *   timings.jsonl   everything measured with a clock, apart, so that equal seeds give equal ledgers
 *   mark.json       the last durable mark: the loop's state and how many bytes of events.jsonl belong to it
 *   phases/NNN-kind/...  checkpoints/step-NNNNNN/...   files of the caller; a phase's manifest.json comes last
 *   summary.json    the result; it is there when the run is done
 *
 * The one commit point is the replacement of mark.json, after the events have been appended. Whatever a kill leaves
 * beyond it (torn lines, files of unfinished work) is cut off or written again by the resumed run, so the ledger ends
 * with the same bytes as that of a run that was never stopped. Blobs that a state names must be written before its mark
 * and be left alone until the next. One process at a time may write a run.
 */
import { StoreError } from "../base/errors.ts";
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import type { BlobStore } from "./blob-store.ts";

/** Version of the run folder's layout, written into each of its JSON files. */
export const RUN_SCHEMA = 1;

/** A run that is being written. */
export type RunStore = {
  /** What messages call it: the folder that the user gave. */
  readonly name: string;
  /** The settings that the run was created with. */
  readonly config: JsonObject;
  /** The summary, where the run is done; it then takes no more events. */
  readonly summary: JsonObject | undefined;
  /** Adds `event` to the ledger; it is kept in memory until the next mark or flush. Hand in no times. */
  readonly emit: (event: JsonObject) => void;
  /** Adds `record` to timings.jsonl, written at the next mark or flush. */
  readonly time: (record: JsonObject) => void;
  /** Writes what `emit` and `time` hold, for someone who watches; only a mark makes events durable. */
  readonly flush: () => Promise<void>;
  /** Commits all events so far together with the loop's `state`: after a kill there are both or neither. */
  readonly mark: (state: JsonObject) => Promise<void>;
  /** The state of the last mark, undefined where a run must start from its beginning. */
  readonly lastMark: () => JsonObject | undefined;
  /** Commits all events so far and `summary`: the run is done. The last state stays. */
  readonly finish: (summary: JsonObject) => Promise<void>;
  /** Replaces the file at `path`, such as `checkpoints/step-000004/adapter_model.safetensors`, as a whole. */
  readonly writeBlob: (path: string, bytes: Uint8Array) => Promise<void>;
  /** Writes `value` as canonical JSON with a line end. */
  readonly writeJson: (path: string, value: JsonObject) => Promise<void>;
  readonly readBlob: (path: string) => Promise<Uint8Array | undefined>;
  /** @throws {StoreError} If the file is there but is not a JSON object. */
  readonly readJson: (path: string) => Promise<JsonObject | undefined>;
  /** Paths of all files under `folder`, sorted. */
  readonly listBlobs: (folder: string) => Promise<readonly string[]>;
  /** Removes a file or folder, such as a checkpoint that no mark names any more. */
  readonly removeBlob: (path: string) => Promise<void>;
};

/** The path of a phase's folder: `phaseFolder(3, "harness")` is `phases/003-harness`. */
export function phaseFolder(index: number, kind: string): string {
  return `phases/${String(index).padStart(3, "0")}-${kind}`;
}

/** The path of a checkpoint's folder: `checkpointFolder(12)` is `checkpoints/step-000012`. */
export function checkpointFolder(step: number): string {
  return `checkpoints/step-${String(step).padStart(6, "0")}`;
}
