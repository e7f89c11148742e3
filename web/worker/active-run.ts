/** The run under way: what `src/cli/execute.ts` is in Node, with a gate between its pieces of work and events for a page. */
import {
  chooseProposer,
  createRun,
  createSandbox,
  openPolicy,
  openRun,
  parseConfig,
  PRESET_TABLE,
  runExperiment,
  withHandWritten,
  type BlobStore,
  type Domain,
  type ExperimentConfig,
  type JsonObject,
  type Ledger,
  type OpenedPolicy,
  type ProgressEvent,
  type RunStore,
  type RunSummary,
  type Runtime,
  type TaskSet,
} from "../../src/index.ts";
import { lockRun } from "../../src/platform/browser/run-lock.ts";
import type { RunStatus } from "../protocol/messages.ts";
import { Gate } from "./gate.ts";
import { interruptible } from "./interruptible.ts";
import { LabProblem } from "./problems.ts";
import { MODEL, MODEL_FOLDER } from "./registry.ts";
import { openRunFolder } from "./shelf.ts";
import { loadTasks } from "./tasks.ts";

/** What a run tells while it goes on. */
export type RunWatcher = {
  readonly status: (status: RunStatus) => void;
  readonly progress: (event: ProgressEvent) => void;
  /** A file of rollouts has been written. */
  readonly traces: (path: string, bytes: Uint8Array) => void;
};

/** What `openActiveRun` needs. */
export type ActiveRunOptions = {
  readonly run: string;
  /** Settings of a new run; undefined goes on with one. */
  readonly config: ExperimentConfig | undefined;
  readonly isPaused: boolean;
  readonly runtime: Runtime;
  /** Makes the watcher, once the settings and what was spent before are known. */
  readonly watch: (config: ExperimentConfig, spent: Ledger | undefined) => RunWatcher;
};

/** A run that this worker holds. */
export type ActiveRun = {
  readonly run: string;
  readonly config: ExperimentConfig;
  readonly gate: Gate;
  readonly store: RunStore;
  readonly domain: Domain;
  readonly tasks: TaskSet;
  /** The policy, for work between two pieces; only while the run goes on. */
  readonly opened: OpenedPolicy;
  /** Resolves with the summary; rejects with what ended the run. Everything is closed then. */
  readonly ended: Promise<RunSummary>;
};

/**
 * Opens and starts a run, or goes on with one.
 * @throws {LabProblem} If another tab holds it, or it needs what a page does not have.
 * @throws {LabError} If its files, the model or the device refuse.
 */
export async function openActiveRun(options: ActiveRunOptions): Promise<ActiveRun> {
  const { run } = options;
  const release = await lockRun(run);
  if (!release)
    throw new LabProblem({
      kind: "other-tab",
      what: "This run is open in another tab.",
      safe: "Both tabs are as they were.",
      next: "Go on in the other tab, or close it and try again here.",
    });
  try {
    // The watcher is only known once the store is open, and the store must tell it of what is written.
    const watchers: RunWatcher[] = [];
    const folder = watchTraces(openRunFolder(run), (path, bytes) => {
      for (const { traces } of watchers) traces(path, bytes);
    });
    const { config, store } = await openStore(folder, options);
    const { ledger } = (store.lastMark() ?? {}) as { readonly ledger?: Ledger };
    const watcher = options.watch(config, ledger);
    watchers.push(watcher);
    const { domain, tasks } = await loadTasks(config);
    const gate = new Gate(options.isPaused, watcher.status);
    const runtime = interruptible(options.runtime, gate.checkStop);
    const opened = await openPolicy({ name: MODEL, folder: MODEL_FOLDER, runtime, config });
    const active = { run, config, gate, store, domain, tasks, opened };
    return { ...active, ended: execute(active, watcher).finally(release) };
  } catch (error) {
    await release();
    throw error;
  }
}

type OpenedStore = { readonly config: ExperimentConfig; readonly store: RunStore };

async function openStore(folder: BlobStore, { run, config }: ActiveRunOptions): Promise<OpenedStore> {
  if (config !== undefined) {
    refuseAgent(config);
    return { config, store: await createRun(folder, { name: run, config }) };
  }
  const store = await openRun(folder, run);
  const saved = readConfig(store.config);
  refuseAgent(saved);
  if (saved.model !== MODEL)
    throw new LabProblem({
      kind: "setting",
      what: `This run trains the model ${JSON.stringify(saved.model)}, and the page has only ${MODEL}.`,
      safe: "The run can be read here.",
      next: "Export it and go on with it in Node.",
    });
  return { config: saved, store };
}

/** A page holds no key. */
function refuseAgent({ proposer }: ExperimentConfig): void {
  if (proposer.kind !== "agent") return;
  throw new LabProblem({
    kind: "setting",
    what: "In this run a language model behind a key proposes harnesses, and the page keeps no keys.",
    safe: "The run can be read here.",
    next: "Play it in Node, or choose another proposer.kind: evolve, random or model.",
  });
}

/** The settings that a run folder holds. */
function readConfig(json: JsonObject): ExperimentConfig {
  return parseConfig(json, PRESET_TABLE.smoke);
}

async function execute(active: Omit<ActiveRun, "ended">, watcher: RunWatcher): Promise<RunSummary> {
  const { config, gate, store, domain, tasks, opened } = active;
  const { policy, codec } = opened;
  const sandbox = await createSandbox();
  try {
    return await runExperiment(config, {
      policy,
      codec,
      sandbox,
      domain,
      tasks,
      store,
      proposer: withHandWritten(chooseProposer({ config, policy, codec, store, connection: undefined }), store),
      clock: () => performance.now(),
      progress: watcher.progress,
      gate: gate.pass,
    });
  } finally {
    await gate.end();
    sandbox[Symbol.dispose]();
    await opened[Symbol.asyncDispose]();
  }
}

/** Tells of each file of rollouts once it is written. */
function watchTraces(folder: BlobStore, tell: RunWatcher["traces"]): BlobStore {
  return {
    ...folder,
    write: async (path, bytes) => {
      await folder.write(path, bytes);
      if (path.startsWith("traces/")) tell(path, bytes);
    },
  };
}
