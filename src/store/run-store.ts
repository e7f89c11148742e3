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
import { canonicalJson, type JsonObject } from "../base/json.ts";
import type { BlobStore } from "./blob-store.ts";
import {
  CONFIG_FILE,
  EVENTS_FILE,
  formatJson,
  MARK_FILE,
  NEWLINE,
  readConfig,
  readJsonFile,
  readMark,
  RUN_SCHEMA,
  SUMMARY_FILE,
  TIMINGS_FILE,
  type Mark,
} from "./run-files.ts";

/** A run that is being written. */
export type RunStore = {
  /** What messages call it: the folder that the user gave. */
  readonly name: string;
  /** The settings that the run was created with. */
  readonly config: JsonObject;
  /** The summary, where the run is done; it then takes no more events. */
  readonly summary: () => JsonObject | undefined;
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

/** What `createRun` starts with. */
export type NewRun = {
  /** The folder as the user gave it. */
  readonly name: string;
  /** Settings, recorded as they are; `schema` is added. */
  readonly config: JsonObject;
};

const NO_MARK: Mark = { eventsLength: 0, state: undefined, summary: undefined };

/**
 * Starts a run in the empty folder behind `store`.
 * @throws {StoreError} If the folder holds a run or anything else.
 */
export async function createRun(store: BlobStore, { name, config }: NewRun): Promise<RunStore> {
  const files = await store.list("");
  if (files.includes(CONFIG_FILE))
    throw new StoreError(`${name}: holds another run; give another --out, or go on with it: spyhop resume ${name}`);
  if (files[0] !== undefined)
    throw new StoreError(`${name}: expected an empty folder, it holds ${files[0]}; give another --out`);
  await store.write(CONFIG_FILE, formatJson({ ...config, schema: RUN_SCHEMA }));
  return openRun(store, name);
}

/**
 * Opens the run behind `store` to go on with it, and drops what lies beyond its last mark.
 * @throws {StoreError} If there is no run, its files are damaged, or another version wrote it.
 */
export async function openRun(store: BlobStore, name: string): Promise<RunStore> {
  const config = await readConfig(store, name);
  const mark = (await readMark(store, name)) ?? NO_MARK;
  await trimEvents(store, name, mark.eventsLength);
  await trimTornLine(store, TIMINGS_FILE);
  // A kill between the last mark and summary.json leaves a run that is done but does not show it.
  if (mark.summary) await store.write(SUMMARY_FILE, formatJson(mark.summary));
  return { name, config, ...createLedger(store, mark), ...createBlobs(store, name) };
}

/** The path of a phase's folder: `phaseFolder(3, "harness")` is `phases/003-harness`. */
export function phaseFolder(index: number, kind: string): string {
  return `phases/${String(index).padStart(3, "0")}-${kind}`;
}

/** The path of a checkpoint's folder: `checkpointFolder(12)` is `checkpoints/step-000012`. */
export function checkpointFolder(step: number): string {
  return `checkpoints/step-${String(step).padStart(6, "0")}`;
}

async function trimEvents(store: BlobStore, name: string, eventsLength: number): Promise<void> {
  const length = (await store.read(EVENTS_FILE))?.byteLength ?? 0;
  if (length < eventsLength)
    throw new StoreError(
      `${name}/${EVENTS_FILE}: expected at least ${String(eventsLength)} bytes, got ${String(length)}; ` +
        "the folder was changed or copied while the run was going on, start a new run",
    );
  if (length > eventsLength) await store.truncate(EVENTS_FILE, eventsLength);
}

async function trimTornLine(store: BlobStore, path: string): Promise<void> {
  const bytes = await store.read(path);
  if (!bytes) return;
  const whole = bytes.lastIndexOf(NEWLINE) + 1;
  if (whole < bytes.byteLength) await store.truncate(path, whole);
}

type Ledger = Pick<RunStore, "summary" | "emit" | "time" | "flush" | "mark" | "lastMark" | "finish">;

function createLedger(store: BlobStore, opened: Mark): Ledger {
  let mark = opened;
  let state = opened.state;
  let written = opened.eventsLength;
  const events = createLineBuffer();
  const timings = createLineBuffer();
  // Writes queue up in the order of the calls; once one has failed, all later ones fail with its error.
  let queue: Promise<void> = Promise.resolve();

  const enqueue = (after: (eventsLength: number) => Promise<void>): Promise<void> => {
    const eventBytes = events.take();
    const timingBytes = timings.take();
    written += eventBytes.byteLength;
    const eventsLength = written;
    queue = queue.then(async () => {
      if (eventBytes.byteLength > 0) await store.append(EVENTS_FILE, eventBytes);
      if (timingBytes.byteLength > 0) await store.append(TIMINGS_FILE, timingBytes);
      await after(eventsLength);
    });
    return queue;
  };
  const commit = (summary?: JsonObject): Promise<void> => {
    // Turned into text at once: the caller may go on changing what it handed in.
    const committed = { state: state && copyJson(state), summary: summary && copyJson(summary) };
    return enqueue(async (eventsLength) => {
      await store.write(MARK_FILE, formatJson({ schema: RUN_SCHEMA, eventsLength, ...committed }));
      mark = { eventsLength, ...committed };
    });
  };
  const refuseWhenDone = (): void => {
    if (mark.summary) throw new TypeError("run store: the run is done and takes no more events");
  };

  return {
    summary: () => mark.summary,
    emit: (event) => {
      refuseWhenDone();
      events.add(event);
    },
    time: timings.add,
    flush: () => enqueue(() => Promise.resolve()),
    mark: async (next) => {
      refuseWhenDone();
      state = next;
      await commit();
    },
    lastMark: () => mark.state,
    finish: async (summary) => {
      refuseWhenDone();
      await commit(summary);
      await store.write(SUMMARY_FILE, formatJson(summary));
    },
  };
}

function createBlobs(store: BlobStore, name: string): Omit<RunStore, keyof Ledger | "name" | "config"> {
  return {
    writeBlob: store.write,
    writeJson: (path, value) => store.write(path, formatJson(value)),
    readBlob: store.read,
    readJson: (path) => readJsonFile(store, { name, path }),
    listBlobs: store.list,
    removeBlob: store.remove,
  };
}

function copyJson(value: JsonObject): JsonObject {
  return JSON.parse(canonicalJson(value)) as JsonObject;
}

function createLineBuffer(): { readonly add: (value: JsonObject) => void; readonly take: () => Uint8Array } {
  let lines: string[] = [];
  return {
    add: (value) => {
      lines.push(`${canonicalJson(value)}\n`);
    },
    take: () => {
      const text = lines.join("");
      lines = [];
      return new TextEncoder().encode(text);
    },
  };
}
