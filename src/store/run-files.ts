/** The files of a run folder: their names, their version, and how each is read and checked. */
import { StoreError } from "../base/errors.ts";
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import type { BlobStore } from "./blob-store.ts";

/** Version of the run folder's layout, written into each of its JSON files. */
export const RUN_SCHEMA = 1;

/** Name of a file of the run folder. */
export const CONFIG_FILE = "config.json";
/** Name of a file of the run folder. */
export const EVENTS_FILE = "events.jsonl";
/** Name of a file of the run folder. */
export const TIMINGS_FILE = "timings.jsonl";
/** Name of a file of the run folder. */
export const MARK_FILE = "mark.json";
/** Name of a file of the run folder. */
export const SUMMARY_FILE = "summary.json";
/** The byte that ends a line of a ledger. */
export const NEWLINE = 0x0a;

/** The content of mark.json. */
export type Mark = {
  readonly eventsLength: number;
  readonly state: JsonObject | undefined;
  readonly summary: JsonObject | undefined;
};

/**
 * The settings of the run behind `store`.
 * @throws {StoreError} If there is no run or another version wrote it.
 */
export async function readConfig(store: BlobStore, name: string): Promise<JsonObject> {
  const stored = await readJsonFile(store, { name, path: CONFIG_FILE });
  if (!stored)
    throw new StoreError(`${name}: no run here, ${CONFIG_FILE} is missing; start one with: spyhop run --out ${name}`);
  checkSchema(stored, `${name}/${CONFIG_FILE}`);
  return Object.fromEntries(Object.entries(stored).filter(([key]) => key !== "schema"));
}

/**
 * The last durable mark of the run behind `store`, undefined where it made none.
 * @throws {StoreError} If mark.json is damaged or another version wrote it.
 */
export async function readMark(store: BlobStore, name: string): Promise<Mark | undefined> {
  const stored = await readJsonFile(store, { name, path: MARK_FILE });
  if (!stored) return undefined;
  checkSchema(stored, `${name}/${MARK_FILE}`);
  const { eventsLength, state, summary } = stored;
  const isLength = typeof eventsLength === "number" && Number.isSafeInteger(eventsLength) && eventsLength >= 0;
  if (!isLength || !isObjectOrAbsent(state) || !isObjectOrAbsent(summary))
    throw new StoreError(`${name}/${MARK_FILE}: damaged, expected eventsLength and state`);
  return { eventsLength, state, summary };
}

function isObjectOrAbsent(value: JsonValue | undefined): value is JsonObject | undefined {
  return value === undefined || isJsonObject(value);
}

/**
 * The JSON object in the file `path`, or undefined where there is none.
 * @throws {StoreError} If the file is there but is not a JSON object.
 */
export async function readJsonFile(
  store: BlobStore,
  { name, path }: { readonly name: string; readonly path: string },
): Promise<JsonObject | undefined> {
  const bytes = await store.read(path);
  if (!bytes) return undefined;
  let value: JsonValue;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes)) as JsonValue;
  } catch (cause) {
    throw new StoreError(`${name}/${path}: damaged, not JSON`, { cause });
  }
  if (!isJsonObject(value)) throw new StoreError(`${name}/${path}: damaged, expected a JSON object`);
  return value;
}

/** Canonical JSON with a line end. */
export function formatJson(value: JsonObject): Uint8Array {
  return new TextEncoder().encode(`${canonicalJson(value)}\n`);
}

function checkSchema(stored: JsonObject, path: string): void {
  if (stored["schema"] !== RUN_SCHEMA)
    throw new StoreError(
      `${path}: expected schema ${String(RUN_SCHEMA)}, got ${JSON.stringify(stored["schema"] ?? null)}; ` +
        "use the version of spyhop that wrote the run",
    );
}
