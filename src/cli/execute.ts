/** What `run` and `resume` share: tasks and model are opened, the experiment runs under a display, the report is written. */
import type { ExperimentConfig } from "../experiment/config.ts";
import { withHandWritten } from "../experiment/hand-written.ts";
import { splitSizes } from "../experiment/plan.ts";
import { chooseProposer } from "../experiment/proposers.ts";
import { runExperiment } from "../experiment/run.ts";
import type { RunSummary } from "../experiment/summary.ts";
import { openEmbedder } from "../platform/node/embedder.ts";
import { SPLITS, type Domain, type LoadedTasks, type Split, type TaskSet } from "../rollout/domain.ts";
import type { Connection } from "../search/proposers/agent/connection.ts";
import type { RunStore } from "../store/run-store.ts";
import { writeReport } from "./commands/report.ts";
import { openDataFile } from "./files.ts";
import { openProgress } from "./progress.ts";
import { grouped } from "./progress/figures.ts";
import { formatSummary } from "./progress/lines.ts";
import { printJson, printNote, type Terminal } from "./terminal.ts";
import type { Workbench } from "./workbench.ts";

/** How many tasks to load, and which. */
export type TaskRequest = {
  readonly seed: number;
  readonly sizes: Readonly<Record<Split, number>>;
  /** Tasks of each split that the command uses. @default all */
  readonly needed?: Readonly<Record<Split, number>>;
  /** Empty takes the domain's default. */
  readonly tier: string;
  /** File of real tasks; empty takes the toy generator. */
  readonly data: string;
  /** File of passages; empty takes those that come with the tasks. */
  readonly corpus: string;
  /** Sentence-embedding model, a folder or a Hugging Face name; empty ranks passages by words alone. */
  readonly embedder: string;
  /** How it is used. @default as its folder says */
  readonly style?: { readonly pooling: string; readonly queryPrefix: string };
};

/**
 * Loads tasks and says which rows of a real file could not be used.
 * @throws {TaskError} If the data cannot be read.
 */
export async function loadTasks(domain: Domain, request: TaskRequest, terminal: Terminal): Promise<LoadedTasks> {
  const { seed, sizes, needed, tier, data, corpus, embedder, style } = request;
  const loaded = await domain.load({
    seed,
    sizes,
    ...(needed && { needed }),
    ...(tier !== "" && { tier }),
    ...(data !== "" && { data: await openDataFile(data) }),
    ...(corpus !== "" && { corpus: await openDataFile(corpus) }),
    ...(embedder !== "" && { embed: await openEmbedder(embedder, style) }),
  });
  for (const { reason, count, first } of loaded.skipped)
    printNote(terminal, `${data}: ${grouped(count)} rows left out, ${reason} (first: ${first})`);
  const short = describeShortage(loaded.tasks, { ...request, needed: needed ?? sizes });
  if (short !== "") printNote(terminal, `${data === "" ? domain.name : data}: ${short}`);
  return loaded;
}

/** Splits that hold fewer tasks than asked for, as far as they are needed; empty where none does. */
function describeShortage(tasks: TaskSet, { sizes, needed }: Required<Pick<TaskRequest, "sizes" | "needed">>): string {
  const parts = SPLITS.flatMap((split) => {
    const wanted = Math.min(sizes[split], needed[split]);
    const { length } = tasks[split];
    return length < wanted ? [`${grouped(length)} of ${grouped(wanted)} for ${split}`] : [];
  });
  return parts.length === 0 ? "" : `fewer tasks than the settings ask for: ${parts.join(", ")}; those are used`;
}

/** The task request that `config` makes. */
export function requestOf(config: ExperimentConfig): TaskRequest {
  const { tier, data, corpus, embedder, pooling, queryPrefix } = config.tasks;
  const style = { pooling, queryPrefix };
  return { seed: config.seed, tier, data, corpus, embedder, style, sizes: splitSizes(config) };
}

/** No task of any split: for a command that only shows what is there. */
export const NO_TASKS: Readonly<Record<Split, number>> = { weight: 0, harness: 0, validation: 0, test: 0 };

/** The task request for the first `most` tasks that `config` has in `split`, and none of the others. */
export function requestSplit(config: ExperimentConfig, split: Split, most = Infinity): TaskRequest {
  return { ...requestOf(config), needed: { ...NO_TASKS, [split]: most } };
}

/** Everything that an experiment runs on. */
export type Execution = {
  readonly config: ExperimentConfig;
  readonly loaded: LoadedTasks;
  readonly workbench: Workbench;
  readonly store: RunStore;
  /** The language model behind the proposer, where it has one. */
  readonly connection: Connection | undefined;
  readonly isJson: boolean;
};

/** Runs the experiment or what is left of it, writes the report, and prints the result. */
export async function execute(execution: Execution, terminal: Terminal): Promise<void> {
  const { config, loaded, workbench, store, connection, isJson } = execution;
  const { policy, codec, sandbox } = workbench;
  if (connection !== undefined)
    printNote(
      terminal,
      `proposer: ${connection.name}; its answers differ from call to call, so this run cannot be repeated bit for bit`,
    );
  const proposer = chooseProposer({ config, policy, codec, store, connection });
  const summary = await watch(terminal, { config, folder: store.name }, (progress) =>
    runExperiment(config, {
      policy,
      codec,
      sandbox,
      domain: loaded.domain,
      tasks: loaded.tasks,
      store,
      proposer: withHandWritten(proposer, store),
      clock: terminal.clock,
      progress,
    }),
  );
  const page = await writeReport([store.name]);
  if (isJson) printJson(terminal, summary);
  else terminal.out([...formatSummary(summary), `Report: ${page}`, ""].join("\n"));
}

type Watched = { readonly config: ExperimentConfig; readonly folder: string };
type Work = (sink: ReturnType<typeof openProgress>["sink"]) => Promise<RunSummary>;

/** Runs `work` under a progress display; an interrupt leaves a line that says how to go on. */
async function watch(terminal: Terminal, { config, folder }: Watched, work: Work): Promise<RunSummary> {
  const progress = openProgress(terminal, config);
  const stop = (): void => {
    progress.close();
    printNote(terminal, `stopped; go on with: npm run -s spyhop -- resume ${folder}`);
    // 128 + SIGINT, as shells expect it.
    process.exit(130);
  };
  process.once("SIGINT", stop);
  try {
    return await work(progress.sink);
  } finally {
    process.removeListener("SIGINT", stop);
    progress.close();
  }
}
