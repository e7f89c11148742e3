/**
 * One harness phase: Meta-Harness search (arXiv 2603.28052) for a better harness under frozen weights.
 *
 * The search asks, this file answers: every candidate first passes the checks that cost little, then meets the same tasks
 * with the same random streams as the incumbent and every other candidate of the phase. Only the winner's source leaves.
 */
import type { Candidate, Evaluation, Proposer } from "../search/candidate.ts";
import { closePhase } from "../search/proposers/memory.ts";
import { createSearch, readSnapshot, type Search, type StopReason } from "../search/scheduler.ts";
import { scoreOf } from "../search/selection.ts";
import { checkCandidate } from "./candidate-check.ts";
import { confirmWinner } from "./confirm.ts";
import { describeCandidate, evaluateCandidates } from "./candidate-evaluation.ts";
import { saveHarness, type RunContext } from "./context.ts";
import { chargeCandidates, chargeRollouts, spentRollouts, type Ledger } from "./ledger.ts";
import {
  dropSearchState,
  loadSearchState,
  openProposer,
  saveSearchState,
  startSearchPhase,
  type HarnessPhase,
} from "./search-stage.ts";
import type { NamedHarness, RunState } from "./state.ts";

/** Runs `phase`, or what is left of it. Each iteration ends with the state of the search in a file, and a mark. */
export async function runHarnessPhase(run: RunContext, phase: HarnessPhase): Promise<void> {
  if (run.state().stage === null) startSearchPhase(run, phase);
  while (run.state().stage?.kind !== "evaluation") {
    await run.parts.gate?.();
    const { search, proposer } = await openSearch(run, phase);
    const ledger = await runIteration(run, phase, { search, proposer });
    const stopped = search.stopped();
    const iteration = search.iterations().length;
    const file = await saveSearchState(run, phase, { snapshot: search.snapshot(), iteration });
    const state: RunState = { ...run.state(), ledger };
    const before = run.state().stage;
    if (stopped === undefined) await run.commit({ ...state, stage: { kind: "harness", search: file } });
    else await endPhase(run, phase, { search, state, stopped });
    await dropSearchState(run, before, file);
  }
}

type OpenSearch = { readonly search: Search; readonly proposer: Proposer };

async function openSearch(run: RunContext, phase: HarnessPhase): Promise<OpenSearch> {
  const { condition, config, parts } = run;
  const { harness } = run.state();
  const saved = await loadSearchState(run);
  const proposer = await openProposer(run, phase, condition.promptOnly);
  const { minIterations, patience } = config.adaptive.harness;
  const search = createSearch({
    incumbentSource: harness.source,
    proposer,
    count: config.search.candidates,
    patience: { min: condition.adaptive ? minIterations : 0, patience, max: phase.rounds },
    ...(condition.promptOnly ? { promptOnlyBase: parts.domain.seedHarness } : {}),
    ...(saved === undefined ? {} : { snapshot: readSnapshot(saved) }),
  });
  return { search, proposer };
}

/** Asks, checks, evaluates and tells once; emits what became of it, and returns the ledger with its cost. */
async function runIteration(run: RunContext, phase: HarnessPhase, { search, proposer }: OpenSearch): Promise<Ledger> {
  const incumbent = search.incumbent();
  const known = search.candidates().length;
  const candidates = await run.timed("proposer", () => search.ask());
  const answered = await answer(run, phase, { search, candidates });

  const fresh = search.candidates().slice(known);
  const refused = fresh.filter(({ status }) => status.kind === "refused").length;
  const evaluated = fresh.length - refused;
  // The incoming harness is evaluated, but nobody proposed it.
  const ledger =
    incumbent === undefined
      ? answered
      : chargeCandidates(answered, { refused, evaluated, proposerTokens: proposer.tokensUsed() });
  const where = { phase: phase.index, cycle: phase.cycle };
  if (incumbent !== undefined)
    for (const candidate of fresh)
      run.emit({ kind: "candidate", ...where, ...describeCandidate(run, phase, { candidate, incumbent }) });
  const best = search.incumbent();
  const last = search.iterations().at(-1);
  run.emit({
    kind: "search-iteration",
    ...where,
    iteration: last?.iteration ?? 0,
    best: best?.name ?? "h0",
    bestReward: best === undefined ? 0 : scoreOf(best),
    evaluated,
    refused,
    failure: last?.failure ?? "",
    spent: spentRollouts(ledger),
  });
  return ledger;
}

/** Checks `candidates`, evaluates those that pass side by side, and tells the search; returns the ledger with the cost. */
async function answer(
  run: RunContext,
  phase: HarnessPhase,
  { search, candidates }: { readonly search: Search; readonly candidates: readonly Candidate[] },
): Promise<Ledger> {
  let { ledger } = run.state();
  const rival = search.incumbent()?.status.evaluation.rewards;
  const passed: { readonly name: string; readonly harness: NamedHarness }[] = [];
  for (const candidate of candidates) {
    const harness: NamedHarness = { name: harnessName(run, phase, candidate), source: candidate.source };
    // h0 of the phase is the harness that the weights were just trained in; it needs no check.
    const isKnown = candidate.name === "h0";
    const refusal = isKnown ? undefined : await run.timed("checks", () => checkCandidate(run, harness.source));
    if (refusal === undefined) passed.push({ name: candidate.name, harness });
    else search.refuse(candidate.name, refusal.check, refusal.reason);
  }
  const evaluations = await run.timed("search rollouts", () =>
    evaluateCandidates(run, phase, { harnesses: passed.map(({ harness }) => harness), rival }),
  );
  for (const [i, { name }] of passed.entries()) {
    const evaluation = evaluations[i] as Evaluation;
    ledger = chargeRollouts(ledger, "harness", evaluation.traces);
    search.tell(name, evaluation);
  }
  return ledger;
}

async function endPhase(
  run: RunContext,
  phase: HarnessPhase,
  end: { readonly search: Search; readonly state: RunState; readonly stopped: StopReason },
): Promise<void> {
  const { search, state, stopped } = end;
  const winner = search.incumbent();
  const harness: NamedHarness =
    winner === undefined || winner.name === "h0"
      ? state.harness
      : { name: harnessName(run, phase, winner), source: winner.source };
  await saveHarness(run.parts.store, harness);
  const { confirmation, ledger } = await confirmWinner(run, phase, { search, winner: harness, ledger: state.ledger });
  run.emit({
    kind: "phase-end",
    phase: phase.index,
    cycle: phase.cycle,
    part: "harness",
    length: search.iterations().length,
    stopped: stopped === "max" ? "length" : stopped,
    harness: harness.name,
    ...(confirmation !== undefined && { confirmation }),
    step: state.step,
    spent: spentRollouts(ledger),
  });
  const memory = closePhase(state.memory, search.candidates(), winner?.name ?? "h0");
  await run.commit({ ...state, ledger, harness, memory, stage: { kind: "evaluation" } });
}

/** The name that a candidate has outside its phase; h0 of a phase keeps the name that it came with. */
function harnessName(run: RunContext, phase: HarnessPhase, candidate: Candidate): string {
  return candidate.name === "h0" ? run.state().harness.name : `p${String(phase.index)}-${candidate.name}`;
}
