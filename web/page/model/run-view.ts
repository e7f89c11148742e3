/**
 * What the page shows of one run, folded from its events one by one. The same function serves a run that is under way and
 * the recorded one of the first screen; a run that was read from its folder comes in whole.
 */
import type { CurvePoint, ExperimentConfig, ProgressEvent, RunEvent } from "../../../src/index.ts";
import type { CandidateRow, PhaseSpan, RunRecord, StepPoint } from "../../protocol/runs.ts";

/** A round of the search for a harness. */
export type RoundRow = Pick<
  Extract<RunEvent, { kind: "search-iteration" }>,
  "phase" | "iteration" | "best" | "bestReward" | "spent"
>;

/** What the run has spent, as far as its events tell. */
export type RunCost = {
  readonly training: number;
  readonly search: number;
  readonly evaluation: number;
  readonly tokensSampled: number;
  readonly tokensTrained: number;
  readonly evaluated: number;
  readonly refused: number;
};

/** A run as the page shows it. */
export type RunView = {
  readonly config: ExperimentConfig | undefined;
  readonly model: { readonly name: string; readonly hash: string; readonly device: string } | undefined;
  readonly tasks: Readonly<Record<string, number>>;
  readonly curve: readonly CurvePoint[];
  readonly phases: readonly PhaseSpan[];
  readonly steps: readonly StepPoint[];
  readonly rounds: readonly RoundRow[];
  readonly candidates: readonly CandidateRow[];
  /** Rollouts of the batch under way. */
  readonly batch: Extract<ProgressEvent, { kind: "rollouts" }> | undefined;
  /** The phase under way. */
  readonly phase: PhaseSpan | undefined;
  /** The last event, which the sentence of now speaks of. */
  readonly last: ProgressEvent | undefined;
  readonly spent: number;
  readonly harness: string;
  readonly step: number;
  /** Best on validation so far; the point that the run reports. */
  readonly chosen: CurvePoint | undefined;
  readonly isComplete: boolean;
  readonly cost: RunCost;
};

/** A run of which nothing is known. */
export const EMPTY_RUN: RunView = {
  config: undefined,
  model: undefined,
  tasks: {},
  curve: [],
  phases: [],
  steps: [],
  rounds: [],
  candidates: [],
  batch: undefined,
  phase: undefined,
  last: undefined,
  spent: 0,
  harness: "h0",
  step: 0,
  chosen: undefined,
  isComplete: false,
  cost: { training: 0, search: 0, evaluation: 0, tokensSampled: 0, tokensTrained: 0, evaluated: 0, refused: 0 },
};

/** The view of all of `events`. */
export function viewOf(events: readonly ProgressEvent[]): RunView {
  return events.reduce(advanceRun, EMPTY_RUN);
}

/** The view of a run that was read from its folder. */
export function viewOfRecord(record: RunRecord): RunView {
  const { config, model, curve, phases, steps, candidates, ledger, summary, isComplete } = record;
  const spent = Math.max(0, curve.at(-1)?.rollouts ?? 0, phases.at(-1)?.to ?? 0);
  return {
    ...EMPTY_RUN,
    config,
    model,
    curve,
    phases,
    steps,
    candidates,
    phase: isComplete ? undefined : phases.find((span) => span.stopped === undefined),
    spent,
    harness: phases.at(-1)?.harness ?? curve.at(-1)?.harness ?? "h0",
    step: steps.at(-1)?.step ?? 0,
    chosen: summary?.chosen ?? bestOnValidation(curve),
    isComplete,
    cost: {
      training: ledger?.rollouts.weights ?? 0,
      search: ledger?.rollouts.harness ?? 0,
      evaluation: ledger?.rollouts.evaluation ?? 0,
      tokensSampled: ledger?.tokensSampled ?? 0,
      tokensTrained: ledger?.tokensTrained ?? 0,
      evaluated: ledger?.candidates.evaluated ?? 0,
      refused: ledger?.candidates.refused ?? 0,
    },
  };
}

/** `view` after `event`. */
export function advanceRun(view: RunView, event: ProgressEvent): RunView {
  const next = { ...view, last: event };
  switch (event.kind) {
    case "run-start":
      return { ...next, config: event.config, model: event.model, tasks: event.tasks };
    case "phase-start":
      return startPhase(next, event);
    case "rsft-step":
      return takeStep(next, event);
    case "candidate":
      return { ...next, candidates: [...view.candidates, candidateRow(view, event)] };
    case "search-iteration":
      return takeRound(next, event);
    case "phase-end":
      return endPhase(next, event);
    case "evaluation":
      return takePoint(next, event);
    case "run-end":
      return endRun(next, event);
    case "rollouts":
      return { ...next, batch: event };
    case "resumed":
      return next;
  }
}

/** Names of harnesses in the order in which phases adopted them, `h0` first: one axis of the plane. */
export function adoptedHarnesses({ curve, phases }: Pick<RunView, "curve" | "phases">): string[] {
  return [...new Set(["h0", ...phases.map(({ harness }) => harness), ...curve.map(({ harness }) => harness)])].sort(
    byPhase,
  );
}

/** How a point of the curve is called: `base`, `after weights 2`. */
export function pointName(point: Pick<CurvePoint, "phase" | "cycle">): string {
  return point.phase === "base" ? "base" : `after ${point.phase} ${String(point.cycle)}`;
}

function startPhase(view: RunView, event: Extract<RunEvent, { kind: "phase-start" }>): RunView {
  const { phase, part, cycle, length, harness, spent } = event;
  const span: PhaseSpan = { phase, part, cycle, from: spent, to: spent, length, harness, stopped: undefined };
  return { ...view, phase: span, phases: [...view.phases, span], harness, batch: undefined };
}

function takeStep(view: RunView, event: Extract<RunEvent, { kind: "rsft-step" }>): RunView {
  const { cost } = view;
  return {
    ...stretch(view, event.spent),
    steps: [...view.steps, event],
    step: event.step,
    cost: {
      ...cost,
      training: cost.training + event.rollouts,
      tokensSampled: cost.tokensSampled + event.tokensSampled,
      tokensTrained: cost.tokensTrained + event.tokensTrained,
    },
  };
}

function takeRound(view: RunView, event: Extract<RunEvent, { kind: "search-iteration" }>): RunView {
  const best = runName(view, event.phase, event.best);
  const { cost } = view;
  return {
    ...stretch(view, event.spent),
    rounds: [...view.rounds, event],
    candidates: view.candidates.map((row) => (row.name === best ? { ...row, isAccepted: true } : row)),
    cost: {
      ...cost,
      search: event.spent - cost.training,
      evaluated: cost.evaluated + event.evaluated,
      refused: cost.refused + event.refused,
    },
  };
}

function endPhase(view: RunView, event: Extract<RunEvent, { kind: "phase-end" }>): RunView {
  const { phases, ...rest } = stretch(view, event.spent);
  const ended = phases.map((span) => (span.phase === event.phase ? { ...span, stopped: event.stopped } : span));
  return { ...rest, phases: ended, phase: undefined, harness: event.harness };
}

function takePoint(view: RunView, event: Extract<RunEvent, { kind: "evaluation" }>): RunView {
  const curve = [...view.curve, event.point];
  const { config, tasks, cost } = view;
  const size = ((tasks["validation"] ?? 0) + (tasks["test"] ?? 0)) * (config?.evaluation.samples ?? 0);
  const evaluation = cost.evaluation + (event.reused ? 0 : size);
  return {
    ...view,
    curve,
    chosen: bestOnValidation(curve),
    spent: event.point.rollouts,
    harness: event.point.harness,
    batch: undefined,
    cost: { ...cost, evaluation },
  };
}

function endRun(view: RunView, { summary }: Extract<RunEvent, { kind: "run-end" }>): RunView {
  const { rollouts, tokensSampled, tokensTrained, candidates } = summary.ledger;
  return {
    ...view,
    chosen: summary.chosen,
    isComplete: true,
    batch: undefined,
    cost: {
      training: rollouts.weights,
      search: rollouts.harness,
      evaluation: rollouts.evaluation,
      tokensSampled,
      tokensTrained,
      evaluated: candidates.evaluated,
      refused: candidates.refused,
    },
  };
}

/** Draws the last phase on to `spent`. */
function stretch(view: RunView, spent: number): RunView {
  const last = view.phases.at(-1);
  if (last === undefined) return { ...view, spent, batch: undefined };
  return { ...view, spent, batch: undefined, phases: [...view.phases.slice(0, -1), { ...last, to: spent }] };
}

function candidateRow(view: RunView, event: Extract<RunEvent, { kind: "candidate" }>): CandidateRow {
  return {
    name: runName(view, event.phase, event.name),
    parent: runName(view, event.phase, event.parent),
    phase: event.phase,
    cycle: event.cycle,
    iteration: event.iteration,
    axis: event.axis,
    hypothesis: event.hypothesis,
    mechanisms: event.mechanisms,
    isByHand: event.axis === "by hand",
    refusedBy: event.refusedBy,
    reason: event.reason,
    score: event.result?.reward,
    turns: event.result?.turns,
    tokens: event.result?.tokens,
    gain: event.result?.gain,
    causes: event.result?.causes ?? {},
    isAccepted: false,
  };
}

/** Within a phase `h0` is the harness that came in; outside it goes by the name it came with. */
function runName(view: RunView, phase: number, name: string): string {
  if (name !== "h0") return `p${String(phase)}-${name}`;
  return view.phases.find((span) => span.phase === phase)?.harness ?? view.harness;
}

/** The earliest of equals: what costs fewer rollouts wins ties. */
function bestOnValidation(curve: readonly CurvePoint[]): CurvePoint | undefined {
  return curve.reduce<CurvePoint | undefined>(
    (best, point) => (best === undefined || point.validation.meanAt8 > best.validation.meanAt8 ? point : best),
    undefined,
  );
}

/** `h0` first, then by the phase in `p4-h7`. */
function byPhase(a: string, b: string): number {
  const phaseOf = (name: string): number => Number(/^p(\d+)-/.exec(name)?.[1] ?? 0);
  return phaseOf(a) - phaseOf(b);
}
