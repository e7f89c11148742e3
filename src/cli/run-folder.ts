/** Where a new run goes. */
import { StoreError } from "../base/errors.ts";
import type { ExperimentConfig } from "../experiment/config.ts";
import { createFsBlobStore } from "../platform/node/fs-blob-store.ts";

/** The folder of runs that were not told where to go. */
const RUNS_FOLDER = "runs";

/**
 * The folder of a new run: `out`, which must hold nothing, or without it the first free one of
 * `runs/DOMAIN-CONDITION-PRESET-seedN`, `...-2`, `...-3`, ...
 * @throws {StoreError} If `out` holds something, naming what.
 */
export async function chooseRunFolder(
  config: ExperimentConfig,
  out: string | undefined,
  root: string = RUNS_FOLDER,
): Promise<string> {
  if (out !== undefined) {
    const [first] = await createFsBlobStore(out).list("");
    if (first === undefined) return out;
    const what = await describeContents(out, first);
    throw new StoreError(`${out}: ${what}; give another --out`);
  }
  const { domain, condition, preset, seed } = config;
  const name = `${root}/${domain}-${condition}-${preset}-seed${String(seed)}`;
  for (let copy = 1; ; copy += 1) {
    const folder = copy === 1 ? name : `${name}-${String(copy)}`;
    if ((await createFsBlobStore(folder).list("")).length === 0) return folder;
  }
}

async function describeContents(folder: string, first: string): Promise<string> {
  const isRun = (await createFsBlobStore(folder).read("config.json")) !== undefined;
  return isRun
    ? `holds another run (spyhop resume ${folder} goes on with it)`
    : `expected an empty folder, it holds ${first}`;
}
