/**
 * What a harness phase found, told with its doubt: the winner's paired difference to the harness the phase began with,
 * and how many candidates it was the best of, since the best of many noisy scores is too good on average.
 */
import { createRng } from "../base/rng.ts";
import { comparePaired, type PairedComparison } from "../stats/paired.ts";
import type { Candidate } from "./candidate.ts";
import type { Search, StopReason } from "./scheduler.ts";
import { isScored, paretoFrontier, scoreOf, type Scored } from "./selection.ts";

/** The outcome of a phase. */
export type PhaseReport = {
  readonly winner: Scored;
  /** Mean reward of the winner and of h0 on the phase's tasks. */
  readonly score: number;
  readonly baseScore: number;
  /** Winner minus h0, task by task; undefined where h0 won. */
  readonly difference: PairedComparison | undefined;
  /** Evaluated candidates, h0 included, that the winner is the best of. */
  readonly bestOf: number;
  readonly counts: { readonly proposed: number; readonly refused: number; readonly evaluated: number };
  readonly iterations: number;
  readonly stopped: StopReason | undefined;
  /** Names on the frontier of reward against turns, best reward first. */
  readonly frontier: readonly string[];
};

/**
 * Reports on `search`; `seed` keys the draws of the interval.
 * @throws {TypeError} If h0 has not been evaluated.
 */
export function reportPhase(search: Search, seed: number): PhaseReport {
  const winner = search.incumbent();
  const candidates = search.candidates();
  const scored = candidates.filter(isScored);
  const base = scored.find(({ name }) => name === "h0");
  if (!winner || !base) throw new TypeError("reportPhase: h0 has not been evaluated");
  const rewards = (of: Scored): readonly number[] => of.status.evaluation.rewards;
  const isSame = winner.name === base.name || rewards(base).length === 0;
  const pair = [rewards(winner), rewards(base)] as const;
  return {
    winner,
    score: scoreOf(winner),
    baseScore: scoreOf(base),
    difference: isSame ? undefined : comparePaired(pair, createRng(seed, "search", "paired")),
    bestOf: scored.length,
    counts: countFates(candidates),
    iterations: search.iterations().length,
    stopped: search.stopped(),
    frontier: paretoFrontier(candidates).map(({ name }) => name),
  };
}

/** Proposed are all but h0. */
function countFates(candidates: readonly Candidate[]): PhaseReport["counts"] {
  const proposals = candidates.filter(({ iteration }) => iteration > 0);
  const refused = proposals.filter(({ status }) => status.kind === "refused").length;
  return { proposed: proposals.length, refused, evaluated: proposals.filter(isScored).length };
}
