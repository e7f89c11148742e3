/** Tasks of a run, made again from its settings; the last few sets are kept, since transcripts and harnesses need them too. */
import {
  canonicalJson,
  SPLITS,
  splitSizes,
  type Domain,
  type ExperimentConfig,
  type Task,
  type TaskSet,
} from "../../src/index.ts";
import { LabProblem } from "./problems.ts";
import { findDomain } from "./registry.ts";

/** A domain with its tasks. */
export type PlayableTasks = { readonly domain: Domain; readonly tasks: TaskSet };

const KEPT = 3;
const known = new Map<string, Promise<PlayableTasks>>();

/**
 * The tasks that `config` asks for.
 * @throws {LabProblem} If they need a file or a second model, which a page does not have.
 * @throws {TaskError} If they cannot be made.
 */
export function loadTasks(config: ExperimentConfig): Promise<PlayableTasks> {
  const { domain, seed, tasks } = config;
  const key = canonicalJson({ domain, seed, tasks, sizes: splitSizes(config) });
  const found = known.get(key);
  if (found !== undefined) return found;
  const loading = load(config);
  known.set(key, loading);
  loading.catch(() => known.delete(key));
  for (const old of [...known.keys()].slice(0, Math.max(0, known.size - KEPT))) known.delete(old);
  return loading;
}

/** The task of a set with `id`. */
export function findTask({ tasks }: PlayableTasks, id: string): Task | undefined {
  return SPLITS.flatMap((split) => tasks[split]).find((task) => task.id === id);
}

async function load(config: ExperimentConfig): Promise<PlayableTasks> {
  const { tier, data, corpus, embedder } = config.tasks;
  const file = data || corpus || embedder;
  if (file !== "")
    throw new LabProblem({
      kind: "setting",
      what: `This run needs ${file}, which a page cannot open.`,
      safe: "The run can be read here.",
      next: "Export it and go on with it in Node.",
    });
  const named = await findDomain(config.domain);
  const { domain, tasks } = await named.load({
    seed: config.seed,
    sizes: splitSizes(config),
    ...(tier !== "" && { tier }),
  });
  return { domain, tasks };
}
