/** The traces that a run kept: what there is, and the rollouts of one task in it. */
import { StoreError } from "../base/errors.ts";
import {
  parseTraceHeader,
  parseTraces,
  TRACES_FOLDER,
  type TraceFile,
  type TraceHeader,
} from "../experiment/kept-traces.ts";
import type { RolloutTrace } from "../rollout/trace.ts";
import type { RunView } from "../store/run-view.ts";

/** One file of traces, by its header. */
export type TraceListing = { readonly path: string; readonly header: TraceHeader };

/** Which rollouts are wanted; what is left out does not matter. */
export type TraceQuery = {
  /** A task id or its beginning, or the number of a task in its file, from 1. */
  readonly task: string;
  readonly phase?: number | undefined;
  /** RSFT step; finds the rollouts that the step learnt from. */
  readonly step?: number | undefined;
  readonly sample?: number | undefined;
};

/** A rollout and where it stands. */
export type FoundTrace = { readonly header: TraceHeader; readonly trace: RolloutTrace };

/**
 * All trace files of the run, in the order in which they were made.
 * @throws {StoreError} If the run kept none, or a file is damaged.
 */
export async function listTraces(view: RunView): Promise<TraceListing[]> {
  const paths = (await view.listBlobs(TRACES_FOLDER)).filter((path) => path.endsWith(".jsonl.gz"));
  if (paths.length === 0)
    throw new StoreError(
      `${view.name}: holds no ${TRACES_FOLDER}/; an older version wrote the run, run it again to keep traces`,
    );
  const listings: TraceListing[] = [];
  for (const path of paths)
    listings.push({ path, header: await parseTraceHeader(await readFile(view, path), `${view.name}/${path}`) });
  return listings.sort((a, b) => a.header.first - b.header.first);
}

/**
 * Reads the file `path` of `listTraces`.
 * @throws {StoreError} If it is gone or damaged.
 */
export async function readTraces(view: RunView, path: string): Promise<TraceFile> {
  return parseTraces(await readFile(view, path), `${view.name}/${path}`);
}

/** Number of the sample that `trace` is of its task: the last part of its key. */
export function sampleOf({ key }: RolloutTrace): number {
  return Number(key.slice(key.lastIndexOf("/") + 1));
}

/**
 * The rollouts that `query` asks for, the latest first. Without phase and step, a task number counts in the last
 * evaluation on test.
 * @throws {StoreError} If there is none, saying what is there.
 */
export async function findTraces(view: RunView, query: TraceQuery): Promise<FoundTrace[]> {
  const listings = await listTraces(view);
  const isNumber = /^\d{1,7}$/.test(query.task);
  const isOpen = query.phase === undefined && query.step === undefined;
  const wanted = listings.filter(({ header }) => {
    if (query.step !== undefined && !(header.use === "weights" && header.step === query.step)) return false;
    return query.phase === undefined || header.phase === query.phase;
  });
  const inOrder = wanted.reverse();
  const files = isNumber && isOpen ? inOrder.filter(({ header }) => header.purpose === "test") : inOrder;
  const found: FoundTrace[] = [];
  for (const { path, header } of isNumber ? files.slice(0, 1) : files) {
    const { traces } = await readTraces(view, path);
    const task = isNumber ? [...new Set(traces.map((trace) => trace.task))][Number(query.task) - 1] : query.task;
    const isWanted = (trace: RolloutTrace): boolean =>
      task !== undefined &&
      trace.task.startsWith(task) &&
      (query.sample === undefined || sampleOf(trace) === query.sample);
    found.push(...traces.filter(isWanted).map((trace) => ({ header, trace })));
  }
  if (found.length === 0)
    throw new StoreError(`${view.name}: no kept rollout matches; spyhop trace ${view.name} lists them`);
  return found;
}

async function readFile(view: RunView, path: string): Promise<Uint8Array> {
  const bytes = await view.readBlob(path);
  if (bytes === undefined) throw new StoreError(`${view.name}/${path}: the file is gone`);
  return bytes;
}
