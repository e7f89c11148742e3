/**
 * The runs of this origin: `runs/NAME/` is a run folder as Node has it, `about/NAME.json` what only the page keeps of it
 * (title, date, whether it was deleted). A deleted run is removed for good at the next boot.
 */
import type { BlobStore, CurvePoint, ExperimentConfig, RunSummary } from "../../src/index.ts";
import { createOpfsBlobStore, listOpfsFolders, sizeOfOpfsFolder } from "../../src/platform/browser/opfs-blob-store.ts";
import { lockedRuns, lockRun } from "../../src/platform/browser/run-lock.ts";
import type { StorageState } from "../protocol/lab.ts";
import type { RunListing } from "../protocol/runs.ts";
import { LabProblem, toProblem } from "./problems.ts";

/** What is kept beside a run folder. */
type About = { readonly title: string; readonly createdAt: string; readonly isDeleted: boolean };

const RUNS = "runs";
const about = createOpfsBlobStore("about");

/**
 * Runs that are over, as their folders say, with the titles that their settings make: nothing changes them any more, and the
 * list is asked for whenever a run begins or ends. Reading all sizes each time costs native memory that browsers are slow to
 * give back.
 */
const ended = new Map<string, RunListing>();

/** The folder of `run`. */
export function openRunFolder(run: string): BlobStore {
  return createOpfsBlobStore(`${RUNS}/${checkName(run)}`);
}

/** A name for a new run of `config` that no run has yet: settings, then the date. */
export async function newRunName(config: ExperimentConfig, now: Date): Promise<string> {
  const stamp = now.toISOString().slice(0, 19).replace(/[-:]/g, "").replace("T", "-");
  const base = [config.domain, config.condition, config.preset, `s${String(config.seed)}`, stamp].join("-");
  return freeName(base);
}

/** `base`, or `base-2`, ... where runs have that name. */
export async function freeName(base: string): Promise<string> {
  const taken = new Set(await listOpfsFolders(RUNS));
  const clean = base.replace(/[^\w.-]+/g, "-").replace(/^\.+/, "") || "run";
  let name = clean;
  for (let i = 2; taken.has(name); i += 1) name = `${clean}-${String(i)}`;
  return name;
}

/** All runs but the deleted ones, newest first; `active` is the one that this worker runs. */
export async function listShelf(active: string | undefined): Promise<RunListing[]> {
  const locked = await lockedRuns();
  const runs = await listOpfsFolders(RUNS);
  // All at once: the browser's answers are waited for, not worked for.
  const listings = await Promise.all(
    runs.map(async (run) => {
      const known = await readAbout(run);
      return known?.isDeleted === true ? [] : [await describeRun(run, { active, locked, known })];
    }),
  );
  return listings.flat().sort((a, b) => (a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0));
}

/**
 * One run of the list.
 * @throws {LabProblem} If there is none of that name.
 */
export async function readListing(run: string, active: string | undefined): Promise<RunListing> {
  if (!(await listOpfsFolders(RUNS)).includes(checkName(run)))
    throw new LabProblem({
      kind: "storage-gone",
      what: `There is no run ${run} in this browser.`,
      safe: "Other runs are not touched.",
      next: "Import an exported copy, or start a new run.",
    });
  return describeRun(run, { active, locked: await lockedRuns(), known: await readAbout(run) });
}

/** Writes what is kept beside `run`; parts that are not given stay. */
export async function writeAbout(run: string, changes: Partial<About>): Promise<void> {
  const known = (await readAbout(run)) ?? { title: "", createdAt: new Date(0).toISOString(), isDeleted: false };
  await about.write(`${checkName(run)}.json`, new TextEncoder().encode(JSON.stringify({ ...known, ...changes })));
}

/** Removes the files of `run` for good. */
export async function removeRun(run: string): Promise<void> {
  ended.delete(run);
  await openRunFolder(run).remove("");
  await about.remove(`${checkName(run)}.json`);
}

/** Removes deleted runs that no tab holds. */
export async function sweepShelf(): Promise<void> {
  for (const run of await listOpfsFolders(RUNS)) {
    if ((await readAbout(run))?.isDeleted !== true) continue;
    const release = await lockRun(run);
    if (!release) continue;
    await removeRun(run);
    await release();
  }
}

/** How full the storage of this origin is. */
export async function readStorage(): Promise<StorageState> {
  const { usage, quota } = await navigator.storage.estimate();
  return { usage, quota, isPersistent: await navigator.storage.persisted() };
}

type Surroundings = {
  readonly active: string | undefined;
  readonly locked: ReadonlySet<string>;
  readonly known: About | undefined;
};

async function describeRun(run: string, surroundings: Surroundings): Promise<RunListing> {
  const { active, locked, known } = surroundings;
  const title = known?.title ?? "";
  const createdAt = known?.createdAt ?? new Date(0).toISOString();
  const kept = ended.get(run);
  if (kept?.createdAt === createdAt && run !== active && !locked.has(run))
    return { ...kept, title: title || kept.title };
  const listing = await readFolder(run, createdAt, surroundings);
  if (listing.status === "done") ended.set(run, listing);
  return { ...listing, title: title || listing.title };
}

async function readFolder(run: string, createdAt: string, { active, locked }: Surroundings): Promise<RunListing> {
  const about = { run, createdAt, bytes: await sizeOfOpfsFolder(`${RUNS}/${run}`) };
  try {
    const folder = openRunFolder(run);
    const config = (await readJson(folder, "config.json")) as ExperimentConfig | undefined;
    if (config === undefined) throw new TypeError("config.json is missing");
    const mark = (await readJson(folder, "mark.json")) as Mark | undefined;
    const { domain, condition, preset, seed } = config;
    const isDone = mark?.summary !== undefined;
    const isElsewhere = locked.has(run) && run !== active;
    return {
      ...about,
      title: `${domain}, ${condition}, ${preset}, seed ${String(seed)}`,
      ...{ domain, condition, preset, seed },
      status: run === active ? "active" : isElsewhere ? "other-tab" : isDone ? "done" : "unfinished",
      problem: "",
      curve: mark?.summary?.curve ?? mark?.state?.curve ?? [],
    };
  } catch (error) {
    const { what } = toProblem(error);
    return {
      ...about,
      ...{ title: run, domain: "", condition: "", preset: "", seed: 0 },
      ...{ status: "damaged", problem: what, curve: [] },
    };
  }
}

type Mark = {
  readonly summary?: RunSummary;
  readonly state?: { readonly curve: readonly CurvePoint[] };
};

async function readAbout(run: string): Promise<About | undefined> {
  return (await readJson(about, `${run}.json`).catch(() => undefined)) as About | undefined;
}

async function readJson(store: BlobStore, path: string): Promise<unknown> {
  const bytes = await store.read(path);
  return bytes && (JSON.parse(new TextDecoder().decode(bytes)) as unknown);
}

/** A run's name is one folder; whatever a page sends must stay within `runs/`. */
function checkName(run: string): string {
  if (!/^[\w-][\w.-]*$/.test(run)) throw new RangeError(`run: ${JSON.stringify(run)} is no name of a run`);
  return run;
}
