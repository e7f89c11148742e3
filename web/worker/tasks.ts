/** Tasks of a run, made again from its settings; the last few sets are kept, since transcripts and harnesses need them too. */
import { canonicalJson, SPLITS, type Domain, type ExperimentConfig, type Task, type TaskSet } from "../../src/index.ts";
import { LabProblem } from "./problems.ts";
import { findDomain } from "./registry.ts";

/** A domain with its tasks. */
export type PlayableTasks = { readonly domain: Domain; readonly tasks: TaskSet };

const KEPT = 3;
const known = new Map<string, Promise<PlayableTasks>>();

/**
 * The tasks that `config` asks for.
 * @throws {LabProblem} If they come from a file, which a page does not have.
 * @throws {TaskError} If they cannot be made.
 */
export function loadTasks({ domain, seed, tasks }: ExperimentConfig): Promise<PlayableTasks> {
  const key = canonicalJson({ domain, seed, tasks });
  const found = known.get(key);
  if (found !== undefined) return found;
  const loading = load({ domain, seed, tasks });
  known.set(key, loading);
  loading.catch(() => known.delete(key));
  for (const old of [...known.keys()].slice(0, Math.max(0, known.size - KEPT))) known.delete(old);
  return loading;
}

/** The task of a set with `id`. */
export function findTask({ tasks }: PlayableTasks, id: string): Task | undefined {
  return SPLITS.flatMap((split) => tasks[split]).find((task) => task.id === id);
}

async function load({
  domain,
  seed,
  tasks,
}: Pick<ExperimentConfig, "domain" | "seed" | "tasks">): Promise<PlayableTasks> {
  const { tier, data, corpus, weight, harness, validation, test } = tasks;
  if (data !== "" || corpus !== "")
    throw new LabProblem({
      kind: "setting",
      what: `The tasks of this run come from the file ${data || corpus}, which a page cannot open.`,
      safe: "The run can be read here.",
      next: "Export it and go on with it in Node.",
    });
  const sizes = { weight, harness, validation, test };
  const found = await findDomain(domain);
  const loaded = await found.load({ seed, sizes, ...(tier !== "" && { tier }) });
  return { domain: loaded.domain, tasks: loaded.tasks };
}
