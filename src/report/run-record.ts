/** What a report shows of one run: everything already read, checked and in the units of the page. */
import type { JsonValue } from "../base/json.ts";
import type { Confirmation } from "../experiment/events.ts";
import type { Grid } from "../experiment/grid.ts";
import type { CurvePoint } from "../experiment/summary.ts";
import type { RolloutTrace } from "../rollout/trace.ts";

/** The two kinds of phase, as the page colours them. */
type PhaseKind = "weights" | "harness";

/** A stretch of the run, in rollouts. */
export type PhaseSpan = {
  readonly kind: PhaseKind;
  readonly cycle: number;
  readonly from: number;
  readonly to: number;
};

/** What one RSFT step measured. */
export type StepPoint = {
  readonly rollouts: number;
  /** Number of its phase in the run; steps of one phase are joined by a line. */
  readonly phase: number;
  readonly step: number;
  /** Mean reward over the step's rollouts, in [0, 1]. */
  readonly reward: number;
  /** Share of rollouts learned from, in [0, 1]. */
  readonly accepted: number;
  /** Mean sampled tokens a rollout. */
  readonly length: number;
  /** Share of rollouts that ran into the token limit, in [0, 1]. */
  readonly clipped: number;
};

/** One candidate harness and its fate. */
export type CandidateRow = {
  readonly name: string;
  readonly parent: string;
  readonly cycle: number;
  readonly axis: string;
  readonly hypothesis: string;
  readonly mechanisms: readonly string[];
  /** Mean reward of the search's own tasks, in [0, 1]; undefined where it was refused. */
  readonly score: number | undefined;
  /** Why it was refused; empty where it was not. */
  readonly refused: string;
  /** Paired difference to the incumbent of its round, with interval; undefined where it was refused. */
  readonly gain: { readonly mean: number; readonly low: number; readonly high: number } | undefined;
  /** Whether it became the harness to beat. */
  readonly isAccepted: boolean;
};

/** What tasks that no search had met said of the winner of a harness phase. */
export type ConfirmedWinner = Confirmation & { readonly harness: string; readonly cycle: number };

/** One task as it went before the run and after it. */
export type TranscriptPair = { readonly before: RolloutTrace; readonly after: RolloutTrace };

/** One run, ready to be drawn. */
export type RunRecord = {
  /** Where it lies, as the user named it. */
  readonly folder: string;
  readonly domain: string;
  readonly condition: string;
  readonly preset: string;
  readonly seed: number;
  readonly model: string;
  readonly modelHash: string;
  readonly device: string;
  readonly isComplete: boolean;
  /** Mass of the intervals, in (0, 1). */
  readonly confidence: number;
  readonly curve: readonly CurvePoint[];
  readonly base: CurvePoint | undefined;
  /** Best on validation: the point that the run reports. */
  readonly chosen: CurvePoint | undefined;
  readonly final: CurvePoint | undefined;
  /** Best on test: the paper's way of choosing, shown beside and never as the result. */
  readonly bestOnTest: CurvePoint | undefined;
  readonly phases: readonly PhaseSpan[];
  readonly steps: readonly StepPoint[];
  readonly candidates: readonly CandidateRow[];
  /** Of the phases whose winner was confirmed. */
  readonly confirmations: readonly ConfirmedWinner[];
  /** Sources of the first harness and of the one that the run reports. */
  readonly harness: { readonly before: string; readonly after: string; readonly name: string };
  readonly transcripts: readonly TranscriptPair[];
  /** Scores of all pairs of weights and harness; undefined where nobody asked for them. */
  readonly grid: Grid | undefined;
  readonly ledger: JsonValue;
  readonly config: JsonValue;
};

/** `math-reasoning, whale, toy, seed 0`. */
export function describeRun(run: RunRecord): string {
  return `${run.domain}, ${run.condition}, ${run.preset}, seed ${String(run.seed)}`;
}
