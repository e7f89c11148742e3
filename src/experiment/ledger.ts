/** What a run has spent, counted by use. Plain JSON; times are kept elsewhere. */
import type { RolloutTrace } from "../rollout/trace.ts";

/** What rollouts are for: RSFT, harness search, or evaluation. */
export const ROLLOUT_USES = ["weights", "harness", "evaluation"] as const;
/** One of `ROLLOUT_USES`. */
export type RolloutUse = (typeof ROLLOUT_USES)[number];

/** The counts. */
export type Ledger = {
  readonly rollouts: Readonly<Record<RolloutUse, number>>;
  /** Tokens that the policy sampled, in all uses. */
  readonly tokensSampled: number;
  /** Sampled tokens that were training targets. */
  readonly tokensTrained: number;
  readonly toolCalls: number;
  readonly candidates: { readonly proposed: number; readonly refused: number; readonly evaluated: number };
  /** Tokens of a model behind the proposer; 0 for the offline one. */
  readonly proposerTokens: number;
};

/** Nothing spent. */
export const EMPTY_LEDGER: Ledger = {
  rollouts: { weights: 0, harness: 0, evaluation: 0 },
  tokensSampled: 0,
  tokensTrained: 0,
  toolCalls: 0,
  candidates: { proposed: 0, refused: 0, evaluated: 0 },
  proposerTokens: 0,
};

/** `ledger` with the cost of `traces` added under `use`. */
export function chargeRollouts(ledger: Ledger, use: RolloutUse, traces: readonly RolloutTrace[]): Ledger {
  return {
    ...ledger,
    rollouts: { ...ledger.rollouts, [use]: ledger.rollouts[use] + traces.length },
    tokensSampled: ledger.tokensSampled + sum(traces, (trace) => trace.usage.tokens),
    toolCalls: ledger.toolCalls + sum(traces, (trace) => trace.usage.toolCalls),
  };
}

/** `ledger` with `tokens` more training targets. */
export function chargeTraining(ledger: Ledger, tokens: number): Ledger {
  return { ...ledger, tokensTrained: ledger.tokensTrained + tokens };
}

/** `ledger` with one round of candidates and what their proposer used. */
export function chargeCandidates(
  ledger: Ledger,
  counts: { readonly refused: number; readonly evaluated: number; readonly proposerTokens: number },
): Ledger {
  const { proposed, refused, evaluated } = ledger.candidates;
  return {
    ...ledger,
    candidates: {
      proposed: proposed + counts.refused + counts.evaluated,
      refused: refused + counts.refused,
      evaluated: evaluated + counts.evaluated,
    },
    proposerTokens: ledger.proposerTokens + counts.proposerTokens,
  };
}

/** Rollouts that bought the result, training and search counted alike: the horizontal axis of every curve. */
export function spentRollouts(ledger: Ledger): number {
  return ledger.rollouts.weights + ledger.rollouts.harness;
}

/** All rollouts, those of evaluations too. */
export function countRollouts({ rollouts }: Ledger): number {
  return sum(ROLLOUT_USES, (use) => rollouts[use]);
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
