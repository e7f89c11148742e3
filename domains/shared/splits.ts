/** Division of tasks into the four splits by content hash, so that no seed and no order of rows can make them overlap. */
import { canonicalJson, type JsonObject, type JsonValue } from "../../src/base/json.ts";
import { TaskError } from "../../src/base/errors.ts";
import { hashJson } from "../../src/base/hash.ts";
import { createRng } from "../../src/base/rng.ts";
import { SPLITS, type LoadOptions, type Split, type Task, type TaskSet } from "../../src/rollout/domain.ts";

/** Makes a task; its id is the hash of what the harness sees. */
export function createTask(view: JsonObject, gold: JsonValue, source: string): Task {
  return { id: hashJson(view), view, gold, source };
}

/**
 * The split to which a generated task belongs whatever the seed: half of all go to `weight`, a sixth to each of the others.
 */
export function splitOfId(id: string): Split {
  const share = shareOfId(id);
  if (share < 1 / 2) return "weight";
  if (share < 2 / 3) return "harness";
  return share < 5 / 6 ? "validation" : "test";
}

/**
 * Divides the tasks of a file in proportion to `sizes`: in the order of their ids (so by content), each split takes one
 * stretch and at least one task, then `seed` picks which of the stretch are used where it is longer than the split.
 */
export function divideTasks(tasks: readonly Task[], options: Pick<LoadOptions, "seed" | "sizes">): TaskSet {
  const sorted = [...tasks].sort((a, b) => (a.id < b.id ? -1 : 1));
  const wanted = SPLITS.filter((split) => options.sizes[split] > 0);
  const total = wanted.reduce((sum, split) => sum + options.sizes[split], 0);
  const out: Record<Split, readonly Task[]> = { weight: [], harness: [], validation: [], test: [] };
  let start = 0;
  let share = 0;
  for (const [index, split] of wanted.entries()) {
    share += options.sizes[split];
    const others = wanted.length - index - 1;
    const even = Math.round((sorted.length * share) / total);
    const end = Math.max(start + 1, Math.min(even, sorted.length - others));
    const stretch = sorted.slice(start, end);
    out[split] = createRng(options.seed, "split", split).shuffle(stretch).slice(0, options.sizes[split]);
    start = end;
  }
  return out;
}

/** How many tasks of each split are to be given: `sizes`, or less where less is needed. */
export function neededSizes({ sizes, needed = sizes }: Pick<LoadOptions, "sizes" | "needed">): LoadOptions["sizes"] {
  const of = (split: Split): number => Math.min(sizes[split], needed[split]);
  return { weight: of("weight"), harness: of("harness"), validation: of("validation"), test: of("test") };
}

/**
 * What is needed of `tasks`, the splits of `options.sizes`; `domain` names the domain in the message.
 * @throws {TaskError} If a split that is needed is empty.
 */
export function takeNeeded(domain: string, tasks: TaskSet, options: Pick<LoadOptions, "sizes" | "needed">): TaskSet {
  const counts = neededSizes(options);
  const take = (split: Split): readonly Task[] => tasks[split].slice(0, counts[split]);
  const taken = {
    weight: take("weight"),
    harness: take("harness"),
    validation: take("validation"),
    test: take("test"),
  };
  requireTasks(domain, taken, counts);
  return taken;
}

/**
 * Checks that no split that was asked for is empty; `domain` names the domain in the message.
 * @throws {TaskError} If one is.
 */
function requireTasks(domain: string, tasks: TaskSet, sizes: LoadOptions["sizes"]): void {
  const empty = SPLITS.find((split) => sizes[split] > 0 && tasks[split].length === 0);
  if (empty !== undefined)
    throw new TaskError(`${domain}: no task for split ${empty}; ask for fewer splits or give more data`);
}

/** Where `id` lies among all ids, in [0, 1). */
export function shareOfId(id: string): number {
  return parseInt(id.slice(0, 8), 16) / 2 ** 32;
}

/** Whether two tasks with one id also agree about the answer. */
export function haveEqualGold(a: Task, b: Task): boolean {
  return canonicalJson(a.gold) === canonicalJson(b.gold);
}
