/** `sweep.json`: what became of each run of a sweep so far, for whoever watches, resumes or compares. */
import { join } from "node:path";
import { canonicalJson, isJsonArray, isJsonObject, type JsonObject } from "../../base/json.ts";
import type { ConfigOverrides } from "../../experiment/config.ts";
import { createFsBlobStore } from "../../platform/node/fs-blob-store.ts";
import { readJsonFile } from "../../store/run-files.ts";
import type { Cell } from "./cells.ts";
import { SWEEP_FILE } from "./own-files.ts";

/** Version of the file. */
const SWEEP_SCHEMA = 1;

/** How far a run has come. */
export type CellStatus = "waiting" | "running" | "done" | "failed";

/** What became of one run. */
export type CellRecord = {
  readonly name: string;
  readonly folder: string;
  readonly domain: string;
  readonly condition: string;
  readonly seed: number;
  readonly settings: ConfigOverrides;
  readonly status: CellStatus;
  /** Time that this sweep has spent on it, over all of its attempts. */
  readonly seconds: number;
  /** Why it failed; empty where it did not. */
  readonly error: string;
};

/** A record that has not been played, with the seconds that an earlier sweep into the folder `out` spent on it. */
export function startRecord(cell: Cell, out: string, seconds: number): CellRecord {
  const { domain, condition, seed } = cell.config;
  const folder = join(out, cell.name);
  return {
    name: cell.name,
    folder,
    domain,
    condition,
    seed,
    settings: cell.settings,
    status: "waiting",
    seconds,
    error: "",
  };
}

/** Seconds by name of the run, of an earlier sweep into `out`. */
export async function readSeconds(out: string): Promise<ReadonlyMap<string, number>> {
  const saved = await readJsonFile(createFsBlobStore(out), { name: out, path: SWEEP_FILE });
  const cells = saved?.["cells"];
  if (!isJsonArray(cells)) return new Map();
  return new Map(
    cells.flatMap((cell): [string, number][] => {
      if (!isJsonObject(cell)) return [];
      const { name, seconds } = cell;
      return typeof name === "string" && typeof seconds === "number" ? [[name, seconds]] : [];
    }),
  );
}

/** `sweep.json` as a document. */
export function describeSweep(preset: string, jobs: number, cells: readonly CellRecord[]): JsonObject {
  return { schema: SWEEP_SCHEMA, preset, jobs, cells };
}

/** Writes `sweep.json` into `out`. */
export async function writeSweep(out: string, sweep: JsonObject): Promise<void> {
  await createFsBlobStore(out).write(SWEEP_FILE, new TextEncoder().encode(`${canonicalJson(sweep)}\n`));
}
