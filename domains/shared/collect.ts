/**
 * Rows of a real file to tasks by split, in memory that does not grow with the file.
 *
 * Up to `EXACT` tasks are all kept and divided exactly in proportion. Past that each task goes to the split that the hash
 * of its content says, and each split keeps the `size` tasks that come first in an order keyed by the seed, which is a
 * uniform sample (bottom-k sampling); repeats are then seen only among the tasks that are kept.
 */
import { TaskError } from "../../src/base/errors.ts";
import { hashJson } from "../../src/base/hash.ts";
import {
  SPLITS,
  type DataFile,
  type LoadedTasks,
  type LoadOptions,
  type Split,
  type Task,
  type TaskRow,
} from "../../src/rollout/domain.ts";
import { SkipCounter } from "./skips.ts";
import { divideTasks, haveEqualGold, shareOfId } from "./splits.ts";

/** Most tasks that are kept and divided exactly. */
const EXACT = 20_000;

type Sized = Pick<LoadOptions, "seed" | "sizes">;
type Numbered = { readonly task: Task; readonly number: number };

/**
 * Collects the tasks of `rows`, those of `file`, and divides them. Rows that cannot be used are counted by reason.
 * @throws {TaskError} If there are fewer usable rows than splits.
 */
export async function collectTasks(
  file: Pick<DataFile, "name">,
  rows: AsyncIterable<TaskRow>,
  options: Sized,
): Promise<Omit<LoadedTasks, "domain">> {
  const skips = new SkipCounter();
  const repeats = new Repeats(skips);
  let all: Numbered[] = [];
  let reservoir: Reservoir | undefined;
  for await (const row of rows) {
    if (row.skip !== undefined) skips.add(row.skip, row.number);
    else if (reservoir) reservoir.add(row);
    else if (all.push(row) > EXACT) {
      reservoir = new Reservoir(options);
      for (const kept of all) reservoir.add(kept);
      all = [];
    }
  }
  if (reservoir) return { tasks: reservoir.tasks(repeats), skipped: skips.list() };
  const tasks = repeats.join(all);
  const wanted = SPLITS.filter((split) => options.sizes[split] > 0).length;
  if (tasks.length < wanted) throw tooFew(file.name, { found: tasks.length, wanted, skips });
  return { tasks: divideTasks(tasks, options), skipped: skips.list() };
}

type Shortage = { readonly found: number; readonly wanted: number; readonly skips: SkipCounter };

function tooFew(name: string, { found, wanted, skips }: Shortage): TaskError {
  const [first] = skips.list().toSorted((a, b) => b.count - a.count);
  const why = first
    ? `${String(first.count)} left out, ${first.reason} (first: ${first.first})`
    : `give at least ${String(wanted)} rows`;
  return new TaskError(`${name}: ${String(found)} usable rows cannot fill ${String(wanted)} splits; ${why}`);
}

/** Keeps the first of equal tasks; one whose rows disagree about the answer is left out altogether. */
class Repeats {
  readonly #skips: SkipCounter;

  constructor(skips: SkipCounter) {
    this.#skips = skips;
  }

  join(rows: readonly Numbered[]): Task[] {
    const groups = new Map<string, Numbered[]>();
    for (const row of rows) {
      const group = groups.get(row.task.id);
      if (group) group.push(row);
      else groups.set(row.task.id, [row]);
    }
    return [...groups.values()].flatMap((group) => {
      const [first, ...others] = [...group].sort((a, b) => a.number - b.number);
      if (first === undefined) return [];
      const agree = others.every(({ task }) => haveEqualGold(task, first.task));
      const reason = agree ? "repeats an earlier row" : "repeats a question with another answer: decide which is right";
      for (const { number } of agree ? others : [first, ...others]) this.#skips.add(reason, number);
      return agree ? [first.task] : [];
    });
  }
}

type Ranked = Numbered & { readonly rank: number };

/** A bottom-k sample of each split. */
class Reservoir {
  readonly #options: Sized;
  readonly #kept: Record<Split, Ranked[]> = { weight: [], harness: [], validation: [], test: [] };
  readonly #key: number;
  readonly #ends: readonly (readonly [Split, number])[];

  constructor(options: Sized) {
    this.#options = options;
    const total = SPLITS.reduce((sum, split) => sum + options.sizes[split], 0);
    let share = 0;
    this.#key = parseInt(hashJson(["sample", options.seed]).slice(0, 8), 16);
    this.#ends = SPLITS.map((split) => [split, (share += options.sizes[split] / total)] as const);
  }

  add({ task, number }: Numbered): void {
    const share = shareOfId(task.id);
    const [split] = this.#ends.find(([, end]) => share < end) ?? ["test"];
    const kept = this.#kept[split];
    kept.push({ task, number, rank: mix(parseInt(task.id.slice(8, 16), 16) ^ this.#key) });
    if (kept.length > 2 * this.#options.sizes[split] + 1024) this.#kept[split] = this.#smallest(split);
  }

  tasks(repeats: Repeats): Record<Split, readonly Task[]> {
    const take = (split: Split): readonly Task[] =>
      repeats.join(this.#smallest(split)).slice(0, this.#options.sizes[split]);
    return { weight: take("weight"), harness: take("harness"), validation: take("validation"), test: take("test") };
  }

  /** The rows of the `size` different tasks of lowest rank, with their repeats. */
  #smallest(split: Split): Ranked[] {
    const sorted = this.#kept[split].toSorted((a, b) => a.rank - b.rank || (a.task.id < b.task.id ? -1 : 1));
    const ids = new Set<string>();
    return sorted.filter(({ task }) => {
      if (!ids.has(task.id) && ids.size >= this.#options.sizes[split]) return false;
      ids.add(task.id);
      return true;
    });
  }
}

/** The finaliser of MurmurHash3: a bijection of 32-bit words in which every bit of the input stirs every bit of the output. */
function mix(word: number): number {
  let h = word | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
