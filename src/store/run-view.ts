/** A run folder as a reader sees it: for reports and comparisons, of a run that may be going on or have been killed. */
import { StoreError } from "../base/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import type { BlobStore } from "./blob-store.ts";
import { EVENTS_FILE, NEWLINE, readConfig, readMark, TIMINGS_FILE } from "./run-files.ts";

/** What a run folder held when it was read. */
export type RunView = {
  readonly name: string;
  readonly config: JsonObject;
  /** Undefined where the run is not done. */
  readonly summary: JsonObject | undefined;
  /** Whole lines of the ledger; those of a run that is not done may reach beyond its last mark. */
  readonly events: readonly JsonObject[];
  readonly timings: readonly JsonObject[];
  readonly readBlob: (path: string) => Promise<Uint8Array | undefined>;
  readonly listBlobs: (folder: string) => Promise<readonly string[]>;
};

/**
 * Reads the run behind `store` and changes nothing.
 * @throws {StoreError} If there is no run, a file is damaged, or another version wrote it.
 */
export async function readRun(store: BlobStore, name: string): Promise<RunView> {
  return {
    name,
    config: await readConfig(store, name),
    summary: (await readMark(store, name))?.summary,
    events: parseLines(await store.read(EVENTS_FILE), `${name}/${EVENTS_FILE}`),
    timings: parseLines(await store.read(TIMINGS_FILE), `${name}/${TIMINGS_FILE}`),
    readBlob: store.read,
    listBlobs: store.list,
  };
}

/** A last line without its end is still being written, or was torn by a kill: it is left out. */
function parseLines(bytes: Uint8Array | undefined, fileName: string): JsonObject[] {
  if (!bytes) return [];
  const whole = new TextDecoder().decode(bytes.subarray(0, bytes.lastIndexOf(NEWLINE) + 1));
  return whole
    .split("\n")
    .slice(0, -1)
    .map((line, i) => parseLine(line, `${fileName}:${String(i + 1)}`));
}

function parseLine(line: string, place: string): JsonObject {
  let value: JsonValue;
  try {
    value = JSON.parse(line) as JsonValue;
  } catch (cause) {
    throw new StoreError(`${place}: damaged, not JSON`, { cause });
  }
  if (!isJsonObject(value)) throw new StoreError(`${place}: damaged, expected a JSON object`);
  return value;
}
