/** What the two kinds of search phase share: how one begins, and the file from which a killed one goes on. */
import { StoreError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { phaseFolder } from "../store/run-store.ts";
import type { Proposer } from "../search/candidate.ts";
import { loadAccepted } from "./checkpoints.ts";
import type { RunContext } from "./context.ts";
import { spentRollouts } from "./ledger.ts";
import type { Phase } from "./schedule.ts";
import type { Stage } from "./state.ts";

/** A phase that searches a harness, or prompts. */
export type HarnessPhase = Extract<Phase, { readonly kind: "harness" }>;

/** The proposer of `phase`: all that it knows of the run is handed to it here, so that it can be made anew at any time. */
export async function openProposer(run: RunContext, phase: HarnessPhase, promptOnly: boolean): Promise<Proposer> {
  const { config, parts } = run;
  const { memory, checkpoint } = run.state();
  return parts.proposer({
    domain: parts.domain,
    seed: config.seed,
    phase: phase.index - 1,
    memory,
    examples: await loadAccepted(parts.store, checkpoint),
    promptOnly,
  });
}

/** Tells the ledger that `phase` begins. */
export function startSearchPhase(run: RunContext, phase: HarnessPhase): void {
  const { step, harness, population, ledger } = run.state();
  run.emit({
    kind: "phase-start",
    phase: phase.index,
    cycle: phase.cycle,
    part: "harness",
    length: phase.rounds,
    harness: harness.name,
    ...(population.length > 0 && { population: population.map(({ name }) => name) }),
    step,
    spent: spentRollouts(ledger),
  });
}

/**
 * The search as the last mark left it, undefined before its first iteration. It is read afresh for each iteration, so
 * that a run that was killed and one that was not take the same path.
 * @throws {StoreError} If the file that the mark names is missing.
 */
export async function loadSearchState(run: RunContext): Promise<JsonObject | undefined> {
  const { stage } = run.state();
  const file = stage?.kind === "harness" ? stage.search : "";
  if (file === "") return undefined;
  const saved = await run.parts.store.readJson(file);
  if (saved === undefined) throw new StoreError(`${file}: the state of the search is missing`);
  return saved;
}

/** Writes the state after `iteration` to a file of its own, which it returns for the mark. */
export async function saveSearchState(
  run: RunContext,
  phase: HarnessPhase,
  { snapshot, iteration }: { readonly snapshot: JsonObject; readonly iteration: number },
): Promise<string> {
  const file = `${phaseFolder(phase.index, "harness")}/search-${String(iteration).padStart(3, "0")}.json`;
  await run.parts.store.writeJson(file, snapshot);
  return file;
}

/** Removes the file of the stage `before`, once no mark names it any more because the one with `file` is made. */
export async function dropSearchState(run: RunContext, before: Stage | null, file: string): Promise<void> {
  if (before?.kind === "harness" && before.search !== file) await run.parts.store.removeBlob(before.search);
}
