/**
 * The setting `search.confirm`: the winner of a harness phase once more, on harness tasks that no search has met.
 *
 * The best of many noisy scores is too good on average, so its score in the search flatters it. The fresh score does not:
 * it decides nothing, and so its rollouts are charged to evaluation.
 */
import { createRng } from "../base/rng.ts";
import type { Task } from "../rollout/domain.ts";
import { isScored, scoreOf, type Scored } from "../search/selection.ts";
import type { Search } from "../search/scheduler.ts";
import { bootstrapMean, meanOf } from "../stats/bootstrap.ts";
import type { ExperimentConfig } from "./config.ts";
import type { RunContext } from "./context.ts";
import type { Confirmation } from "./events.ts";
import { chargeRollouts, type Ledger } from "./ledger.ts";
import { runBatches, wantSamples } from "./rollouts.ts";
import type { HarnessPhase } from "./search-stage.ts";
import type { NamedHarness } from "./state.ts";

type TaskHolder = { readonly config: ExperimentConfig; readonly parts: Pick<RunContext["parts"], "tasks"> };

/** The harness tasks that searches may use. */
export function searchTasks(run: TaskHolder): readonly Task[] {
  return run.parts.tasks.harness.slice(0, searchShare(run));
}

/** The harness tasks that are held back. */
function freshTasks(run: TaskHolder): readonly Task[] {
  return run.parts.tasks.harness.slice(searchShare(run));
}

/** What the fresh tasks say of a winner that took the place of another harness, and the ledger with the cost. */
export async function confirmWinner(
  run: RunContext,
  phase: HarnessPhase,
  { search, winner, ledger }: { readonly search: Search; readonly winner: NamedHarness; readonly ledger: Ledger },
): Promise<{ readonly confirmation: Confirmation | undefined; readonly ledger: Ledger }> {
  const incoming = run.state().harness;
  const tasks = freshTasks(run);
  const best = search.incumbent();
  if (tasks.length === 0 || winner.name === incoming.name || best === undefined)
    return { confirmation: undefined, ledger };
  const { seed, evaluation } = run.config;
  const wanted = wantSamples(tasks, run.config.search.samples);
  const purpose = ["confirm", phase.index];
  const [mine = [], theirs = []] = await run.timed("confirmation", () =>
    runBatches(
      run,
      "evaluation",
      [winner, incoming].map((harness) => ({ harness, purpose, wanted })),
    ),
  );
  const differences = mine.map(({ reward }, i) => reward - (theirs[i]?.reward ?? 0));
  const gain = bootstrapMean(differences, createRng(seed, "confirm", phase.index), evaluation);
  const confirmation = {
    tasks: tasks.length,
    reward: meanOf(mine.map(({ reward }) => reward)),
    incoming: meanOf(theirs.map(({ reward }) => reward)),
    gain,
    ...claims(search, best),
  };
  return { confirmation, ledger: chargeRollouts(ledger, "evaluation", [...mine, ...theirs]) };
}

/** What the search itself said of its winner. */
function claims(search: Search, best: Scored): Pick<Confirmation, "searchReward" | "bestOf"> {
  return { searchReward: scoreOf(best), bestOf: search.candidates().filter(isScored).length };
}

/** A real file may hold fewer tasks than asked for: then both uses get their share. */
function searchShare({ config, parts }: TaskHolder): number {
  const { search, tasks } = config;
  const { length } = parts.tasks.harness;
  return search.confirm === 0 ? length : Math.ceil((length * tasks.harness) / (tasks.harness + search.confirm));
}
