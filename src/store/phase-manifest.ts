/**
 * The manifest of a phase: what came out of it and the hash of every file in its folder. It is written last, so a phase
 * folder without one is unfinished work.
 */
import { StoreError } from "../base/errors.ts";
import { hashContent } from "../base/hash.ts";
import { isJsonObject, type JsonObject } from "../base/json.ts";
import { RUN_SCHEMA } from "./run-files.ts";
import type { RunStore } from "./run-store.ts";

const MANIFEST_FILE = "manifest.json";

/** The blobs of a run, which is all that manifests need. */
export type PhaseFiles = Pick<RunStore, "name" | "readBlob" | "readJson" | "writeJson" | "listBlobs">;

/** Completes the phase in `folder`: writes `fields`, `schema` and `files` (SHA-256 by path within the folder). */
export async function completePhase(run: PhaseFiles, folder: string, fields: JsonObject): Promise<void> {
  const files: Record<string, string> = {};
  for (const path of await run.listBlobs(folder)) {
    const inside = path.slice(folder.length + 1);
    const bytes = inside === MANIFEST_FILE ? undefined : await run.readBlob(path);
    if (bytes) files[inside] = hashContent(bytes);
  }
  await run.writeJson(`${folder}/${MANIFEST_FILE}`, { ...fields, schema: RUN_SCHEMA, files });
}

/** The manifest of the phase in `folder`, or undefined where the phase is not complete. */
export async function readManifest(run: PhaseFiles, folder: string): Promise<JsonObject | undefined> {
  return run.readJson(`${folder}/${MANIFEST_FILE}`);
}

/**
 * Checks that the files of the phase in `folder` are those that its manifest names.
 * @throws {StoreError} If the phase is not complete, or a file is missing or changed.
 */
export async function verifyPhase(run: PhaseFiles, folder: string): Promise<void> {
  const files = (await readManifest(run, folder))?.["files"];
  if (!isJsonObject(files)) throw new StoreError(`${run.name}/${folder}: not complete, it has no ${MANIFEST_FILE}`);
  for (const [path, hash] of Object.entries(files)) {
    const bytes = await run.readBlob(`${folder}/${path}`);
    if (!bytes) throw new StoreError(`${run.name}/${folder}/${path}: missing, though ${MANIFEST_FILE} names it`);
    if (hashContent(bytes) !== hash)
      throw new StoreError(`${run.name}/${folder}/${path}: changed since ${MANIFEST_FILE} was written`);
  }
}
