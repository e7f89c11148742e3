/**
 * The fast phase of Fast-Slow Training (arXiv 2605.12484): a population of prompts is searched under frozen weights, on
 * the very tasks that the next RSFT steps train on.
 *
 * Of the reference it keeps the budget, the minibatch and the population; its reflecting language model is replaced by
 * the proposer of the run, held to prompt text. The checks of a candidate are made once it has won its minibatch: a
 * harness that differs from h0 in prompt text only runs no code that h0 does not run.
 */
import type { Task } from "../rollout/domain.ts";
import type { RolloutTrace } from "../rollout/trace.ts";
import type { Candidate, Proposer } from "../search/candidate.ts";
import {
  createPromptSearch,
  readPromptSnapshot,
  type PromptSearch,
  type PromptTrial,
} from "../search/prompt-search.ts";
import { closePhase } from "../search/proposers/memory.ts";
import { scoreOf, type Scored } from "../search/selection.ts";
import { checkCandidate } from "./candidate-check.ts";
import { describeCandidate, toEvaluation } from "./candidate-evaluation.ts";
import { saveHarness, type RunContext } from "./context.ts";
import { chargeCandidates, chargeRollouts, spentRollouts, type Ledger } from "./ledger.ts";
import { anchorSize, fastBudget } from "./plan.ts";
import { promptBatch } from "./prompt-stream.ts";
import { runBatches, wantSamples } from "./rollouts.ts";
import {
  dropSearchState,
  loadSearchState,
  openProposer,
  saveSearchState,
  startSearchPhase,
  type HarnessPhase,
} from "./search-stage.ts";
import { playedHarnesses, type NamedHarness, type RunState } from "./state.ts";

/** Runs `phase`, or what is left of it. Each proposal ends with the state of the search in a file, and a mark. */
export async function runFastPhase(run: RunContext, phase: HarnessPhase): Promise<void> {
  if (run.state().stage === null) startSearchPhase(run, phase);
  const anchor = anchorTasks(run);
  while (run.state().stage?.kind !== "evaluation") {
    await run.parts.gate?.();
    const fast: FastPhase = { run, phase, anchor, ...(await openSearch(run, phase, anchor)) };
    const ledger = await runIteration(fast);
    const { search } = fast;
    const snapshot = search.snapshot();
    const file = await saveSearchState(run, phase, { snapshot, iteration: snapshot.iteration });
    const state: RunState = { ...run.state(), ledger };
    const before = run.state().stage;
    if (search.stopped() === undefined) await run.commit({ ...state, stage: { kind: "harness", search: file } });
    else await endPhase(fast, state);
    await dropSearchState(run, before, file);
  }
}

/** What the parts of an iteration work with. */
type FastPhase = {
  readonly run: RunContext;
  readonly phase: HarnessPhase;
  readonly anchor: readonly Task[];
  readonly search: PromptSearch;
  readonly proposer: Proposer;
};

/** Tasks of the coming batches, evenly spaced where there are more than the anchor set may hold. */
function anchorTasks(run: RunContext): Task[] {
  const { config, parts } = run;
  const { step } = run.state();
  const steps = Math.min(config.fst.batches, config.schedule.totalSteps - step);
  const batches = Array.from({ length: steps }, (_, i) =>
    promptBatch(parts.tasks.weight, step + 1 + i, { seed: config.seed, size: config.rsft.prompts }),
  ).flat();
  // A small weight split may come round within one phase.
  const tasks = [...new Map(batches.map((task) => [task.id, task])).values()];
  const size = anchorSize(config, tasks.length);
  return Array.from({ length: size }, (_, i) => tasks[Math.floor((i * tasks.length) / size)] as Task);
}

async function openSearch(
  run: RunContext,
  phase: HarnessPhase,
  anchor: readonly Task[],
): Promise<Pick<FastPhase, "search" | "proposer">> {
  const { config, parts } = run;
  const saved = await loadSearchState(run);
  const proposer = await openProposer(run, phase, true);
  const search = createPromptSearch({
    population: playedHarnesses(run.state()).map(({ source }) => source),
    proposer,
    promptOnlyBase: parts.domain.seedHarness,
    instances: anchor.length,
    minibatch: config.fst.minibatch,
    budget: fastBudget(config, anchor.length),
    keys: [config.seed, "fst", phase.index],
    ...(saved === undefined ? {} : { snapshot: readPromptSnapshot(saved) }),
  });
  return { search, proposer };
}

/** Scores the population that came in, or tries one proposal; emits what became of it and returns the ledger. */
async function runIteration(fast: FastPhase): Promise<Ledger> {
  const { run, phase, search, proposer } = fast;
  const incoming = search.incoming();
  const known = search.candidates().length;
  if (incoming.length > 0) {
    const ledger = await scoreOnAnchor(fast, incoming, run.state().ledger);
    report(fast, { ledger, evaluated: incoming.length, refused: 0 });
    return ledger;
  }
  const trial = await run.timed("proposer", () => search.propose());
  const played = trial === undefined ? run.state().ledger : await tryCandidate(fast, trial);
  const fresh = search.candidates().slice(known);
  const refused = fresh.filter(({ status }) => status.kind === "refused").length;
  const evaluated = fresh.length - refused;
  const ledger = chargeCandidates(played, { refused, evaluated, proposerTokens: proposer.tokensUsed() });
  const where = { phase: phase.index, cycle: phase.cycle };
  const rival = trial?.parent ?? search.best();
  if (rival !== undefined)
    for (const candidate of fresh)
      run.emit({ kind: "candidate", ...where, ...describeCandidate(run, phase, { candidate, incumbent: rival }) });
  report(fast, { ledger, evaluated, refused });
  return ledger;
}

type Outcome = { readonly ledger: Ledger; readonly evaluated: number; readonly refused: number };

function report({ run, phase, search }: FastPhase, { ledger, evaluated, refused }: Outcome): void {
  const best = search.best();
  const { iteration, failure } = search.snapshot();
  run.emit({
    kind: "search-iteration",
    phase: phase.index,
    cycle: phase.cycle,
    iteration,
    best: best?.name ?? "h0",
    bestReward: best === undefined ? 0 : scoreOf(best),
    evaluated,
    refused,
    failure,
    spent: spentRollouts(ledger),
  });
}

/** Child against parent on a minibatch, and the winner through the checks onto the anchor set. */
async function tryCandidate(fast: FastPhase, { candidate, parent, minibatch }: PromptTrial): Promise<Ledger> {
  const { run, phase, anchor, search } = fast;
  const wanted = wantSamples(
    minibatch.map((index) => anchor[index] as Task),
    1,
  );
  // Fresh streams, which both share: the parent was drawn for what it scored under those of the anchor set.
  const purpose = ["fst", phase.index, candidate.iteration];
  const harnesses = [candidate, parent].map((one) => nameHarness(fast, one));
  const [child = [], mother = []] = await run.timed("search rollouts", () =>
    runBatches(
      run,
      "harness",
      harnesses.map((harness) => ({ harness, purpose, wanted })),
    ),
  );
  const ledger = chargeRollouts(run.state().ledger, "harness", [...child, ...mother]);
  const rewards = (traces: readonly RolloutTrace[]): number[] => traces.map(({ reward }) => reward);
  if (!search.meet(candidate.name, { child: rewards(child), parent: rewards(mother) })) return ledger;
  const refusal = await run.timed("checks", () => checkCandidate(run, candidate.source));
  if (refusal === undefined) return scoreOnAnchor(fast, [candidate], ledger);
  search.refuse(candidate.name, refusal.check, refusal.reason);
  return ledger;
}

/** Plays `candidates` side by side on the anchor set, under the same streams for all of the phase. */
async function scoreOnAnchor(fast: FastPhase, candidates: readonly Candidate[], before: Ledger): Promise<Ledger> {
  const { run, phase, anchor, search } = fast;
  const wanted = wantSamples(anchor, 1);
  const batches = candidates.map((candidate) => ({
    harness: nameHarness(fast, candidate),
    purpose: ["fst", phase.index],
    wanted,
  }));
  const results = await run.timed("search rollouts", () => runBatches(run, "harness", batches));
  let ledger = before;
  for (const [i, { name }] of candidates.entries()) {
    const traces = results[i] ?? [];
    ledger = chargeRollouts(ledger, "harness", traces);
    search.tell(name, toEvaluation(run.parts.domain, traces));
  }
  return ledger;
}

async function endPhase(fast: FastPhase, state: RunState): Promise<void> {
  const { run, phase, search } = fast;
  const population = search.population(run.config.fst.population).map((one) => nameHarness(fast, one));
  const harness = population[0] ?? state.harness;
  for (const one of population) await saveHarness(run.parts.store, one);
  const names = population.map(({ name }) => name);
  const stopped = search.stopped();
  run.emit({
    kind: "phase-end",
    phase: phase.index,
    cycle: phase.cycle,
    part: "harness",
    length: search.snapshot().iteration,
    stopped: stopped === "perfect" ? "perfect" : stopped === "barren" ? "patience" : "length",
    harness: harness.name,
    population: names,
    step: state.step,
    spent: spentRollouts(state.ledger),
  });
  const best: Scored | undefined = search.best();
  const memory = closePhase(state.memory, search.candidates(), best?.name ?? "h0");
  await run.commit({ ...state, harness, population, memory, stage: { kind: "evaluation" } });
}

/** The harness of a candidate under its name outside the phase; those that came in keep theirs. */
function nameHarness({ run, phase }: FastPhase, { name, source }: Candidate): NamedHarness {
  const came = playedHarnesses(run.state())[Number(name.slice(1))];
  return { name: came?.name ?? `p${String(phase.index)}-${name}`, source };
}
