/** The files that a sweep writes beside its runs, so that `DIR/*` over its folder means the runs. */
import { basename, dirname } from "node:path";
import { StoreError } from "../../base/errors.ts";
import { isJsonArray } from "../../base/json.ts";
import { createFsBlobStore } from "../../platform/node/fs-blob-store.ts";
import { LOCK_FILE } from "../../platform/node/run-lock.ts";
import { readJsonFile } from "../../store/run-files.ts";

/** Name of the record of a sweep in its folder. */
export const SWEEP_FILE = "sweep.json";
/** Name of the folder of what its runs print. */
export const LOGS_FOLDER = "logs";
/** Names of the comparison that ends it. */
export const COMPARISON_FILES = { page: "compare.html", document: "compare.json" } as const;

const OWN_NAMES: ReadonlySet<string> = new Set([
  SWEEP_FILE,
  LOGS_FOLDER,
  LOCK_FILE,
  COMPARISON_FILES.page,
  COMPARISON_FILES.document,
]);

/** `paths` without those that a sweep wrote into its own folder; what merely has such a name elsewhere stays. */
export async function withoutSweepFiles(paths: readonly string[]): Promise<readonly string[]> {
  const sweeps = new Map<string, Promise<boolean>>();
  const isOwn = (path: string): Promise<boolean> => {
    const folder = dirname(path);
    if (!OWN_NAMES.has(basename(path))) return Promise.resolve(false);
    const known = sweeps.get(folder) ?? isSweepFolder(folder);
    sweeps.set(folder, known);
    return known;
  };
  const own = await Promise.all(paths.map(isOwn));
  return paths.filter((_, i) => own[i] === false);
}

async function isSweepFolder(folder: string): Promise<boolean> {
  try {
    const saved = await readJsonFile(createFsBlobStore(folder), { name: folder, path: SWEEP_FILE });
    return isJsonArray(saved?.["cells"]);
  } catch (error) {
    // A damaged record says nothing about whose folder it is.
    if (error instanceof StoreError) return false;
    throw error;
  }
}
