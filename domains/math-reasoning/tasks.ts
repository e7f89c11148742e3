/** The toy task set: generated problems, each in the split that the hash of its question says. */
import { TaskError } from "../../src/base/errors.ts";
import { createRng } from "../../src/base/rng.ts";
import { SPLITS, type LoadedTasks, type LoadOptions, type Split, type Task } from "../../src/rollout/domain.ts";
import { generateProblem } from "./problems.ts";
import { createTask, neededSizes, splitOfId } from "../shared/splits.ts";
import { TIERS, type Tier } from "./template.ts";

/** Tier of the toy set where none is asked for. */
export const DEFAULT_TIER: Tier = "chain";

/**
 * Generates the toy tasks that `options` ask for. Equal options give equal tasks in equal order. Where a tier has fewer
 * different problems than asked for, a split ends shorter.
 * @throws {TaskError} If the tier does not exist.
 */
export function generateTasks(options: LoadOptions): Omit<LoadedTasks, "domain"> {
  const tier = resolveTier(options.tier ?? DEFAULT_TIER);
  const rng = createRng(options.seed, "math-reasoning", tier);
  const tasks: Record<Split, Task[]> = { weight: [], harness: [], validation: [], test: [] };
  const seen = new Set<string>();
  const wanted = SPLITS.reduce((sum, split) => sum + options.sizes[split], 0);
  // A split of a sixth needs six draws a task on average; far more means that the tier has run dry.
  let draws = 1_000 + 40 * wanted;
  const needed = neededSizes(options);
  while (draws > 0 && SPLITS.some((split) => tasks[split].length < needed[split])) {
    draws -= 1;
    const { question, answer, kind } = generateProblem(rng, tier);
    const task = createTask({ question }, { answer }, `${tier}/${kind}`);
    const split = tasks[splitOfId(task.id)];
    if (seen.has(task.id) || split.length >= options.sizes[splitOfId(task.id)]) continue;
    seen.add(task.id);
    split.push(task);
  }
  return { tasks, skipped: [] };
}

function resolveTier(name: string): Tier {
  const tier = TIERS.find((known) => known === name);
  if (tier === undefined) throw new TaskError(`math-reasoning: no tier ${name}, the tiers are ${TIERS.join(", ")}`);
  return tier;
}
