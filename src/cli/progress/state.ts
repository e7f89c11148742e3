/**
 * What is known about a run under way, and how long the rest of it will take. Pure: events and times go in.
 *
 * The work of a run is counted in pieces (RSFT steps, search iterations, evaluations). Each kind's duration is learned from
 * the pieces already seen; a kind not seen yet is priced by its rollouts.
 */
import type { ExperimentConfig } from "../../experiment/config.ts";
import type { ProgressEvent } from "../../experiment/events.ts";
import { planSchedule, rolloutsOfPieces } from "../../experiment/plan.ts";
import { planPhases, type Phase } from "../../experiment/schedule.ts";
import type { CurvePoint } from "../../experiment/summary.ts";
import type { RsftMetrics } from "../../rsft/step.ts";

/** Kinds of work, as the ledger counts their rollouts. */
const PIECE_KINDS = ["weights", "harness", "evaluation"] as const;
/** A kind of work. */
type PieceKind = (typeof PIECE_KINDS)[number];

type ByKind = Readonly<Record<PieceKind, number>>;

/** The state of a run as a watcher sees it. Times in milliseconds. */
export type ProgressState = {
  readonly config: ExperimentConfig;
  readonly phases: readonly Phase[];
  /** Pieces of the whole run, at most. */
  readonly planned: ByKind;
  readonly done: ByKind;
  /** Time spent on the pieces timed so far, and their number. */
  readonly spent: ByKind;
  readonly timed: ByKind;
  readonly startedAt: number;
  readonly pieceStartedAt: number;
  readonly phase: { readonly part: "weights" | "harness"; readonly cycle: number; readonly length: number } | undefined;
  /** Steps or iterations done in this phase. */
  readonly phaseDone: number;
  readonly batch: Extract<ProgressEvent, { kind: "rollouts" }> | undefined;
  readonly step: number;
  readonly lastStep: RsftMetrics | undefined;
  readonly harness: string;
  readonly bestReward: number | undefined;
  readonly curve: readonly CurvePoint[];
};

/** The state before the first event. */
export function startProgress(config: ExperimentConfig, now: number): ProgressState {
  const phases = planPhases(planSchedule(config));
  const none = { weights: 0, harness: 0, evaluation: 0 };
  return {
    config,
    phases,
    planned: countPieces(phases, 1),
    done: none,
    spent: none,
    timed: none,
    startedAt: now,
    pieceStartedAt: now,
    phase: undefined,
    phaseDone: 0,
    batch: undefined,
    step: 0,
    lastStep: undefined,
    harness: "h0",
    bestReward: undefined,
    curve: [],
  };
}

/** The state after `event`, which happened at `now`. */
export function advanceProgress(state: ProgressState, event: ProgressEvent, now: number): ProgressState {
  switch (event.kind) {
    case "rollouts":
      return { ...state, batch: event };
    case "run-start":
    case "candidate":
    case "run-end":
      return state;
    case "resumed": {
      const done = countPieces(state.phases.slice(0, event.phases), 1);
      return { ...state, done: { ...done, weights: event.steps }, step: event.steps, pieceStartedAt: now };
    }
    case "phase-start": {
      const phase = { part: event.part, cycle: event.cycle, length: event.length };
      return { ...state, phase, phaseDone: 0, harness: event.harness, bestReward: undefined, batch: undefined };
    }
    case "rsft-step":
      return { ...finishPiece(state, "weights", now), step: event.step, lastStep: event };
    case "search-iteration":
      return { ...finishPiece(state, "harness", now), harness: event.best, bestReward: event.bestReward };
    case "phase-end":
      return { ...state, harness: event.harness };
    case "evaluation":
      return {
        ...(event.reused
          ? { ...finishPiece(state, "evaluation", now), ...keepTimes(state) }
          : finishPiece(state, "evaluation", now)),
        phase: undefined,
        curve: [...state.curve, event.point],
      };
  }
}

/** Milliseconds until the run ends if it runs its whole plan; undefined before anything has been timed. */
export function remainingTime(state: ProgressState, now: number): number | undefined {
  const rollouts = rolloutsOfPieces(state.config);
  const timedRollouts = sumKinds((kind) => state.timed[kind] * rollouts[kind]);
  const spent = sumKinds((kind) => state.spent[kind]);
  if (timedRollouts === 0 || spent === 0) return undefined;
  const left = sumKinds((kind) => {
    const pieces = Math.max(0, state.planned[kind] - state.done[kind]);
    const cost =
      state.timed[kind] > 0 ? state.spent[kind] / state.timed[kind] : (rollouts[kind] * spent) / timedRollouts;
    return pieces * cost;
  });
  return Math.max(0, left - (now - state.pieceStartedAt));
}

/** Share of the plan that is done, in [0, 1], by rollouts; the piece under way counts in part. */
export function shareDone(state: ProgressState): number {
  const rollouts = rolloutsOfPieces(state.config);
  const all = sumKinds((kind) => state.planned[kind] * rollouts[kind]);
  const done = sumKinds((kind) => Math.min(state.done[kind], state.planned[kind]) * rollouts[kind]);
  const { batch } = state;
  const underWay = batch === undefined || batch.total === 0 ? 0 : (batch.done / batch.total) * rollouts[batch.use];
  return all === 0 ? 0 : Math.min(1, (done + underWay) / all);
}

/** Pieces in `phases`, with `extra` evaluations beside the one after each phase. */
function countPieces(phases: readonly Phase[], extra: number): ByKind {
  return {
    weights: phases.reduce((sum, phase) => sum + (phase.kind === "weights" ? phase.steps : 0), 0),
    // The evaluation of the incoming harness is an iteration too.
    harness: phases.reduce((sum, phase) => sum + (phase.kind === "harness" ? phase.rounds + 1 : 0), 0),
    evaluation: phases.length + extra,
  };
}

function finishPiece(state: ProgressState, kind: PieceKind, now: number): ProgressState {
  const add = (counts: ByKind, amount: number): ByKind => ({ ...counts, [kind]: counts[kind] + amount });
  return {
    ...state,
    done: add(state.done, 1),
    spent: add(state.spent, now - state.pieceStartedAt),
    timed: add(state.timed, 1),
    pieceStartedAt: now,
    phaseDone: state.phaseDone + (kind === "evaluation" ? 0 : 1),
    batch: undefined,
  };
}

/** A piece that cost nothing says nothing about the others. */
function keepTimes({ spent, timed }: ProgressState): Pick<ProgressState, "spent" | "timed"> {
  return { spent, timed };
}

function sumKinds(of: (kind: PieceKind) => number): number {
  return PIECE_KINDS.reduce((sum, kind) => sum + of(kind), 0);
}
