/**
 * Which candidate is the one to beat, and which ones are on the frontier of reward against turns (whale-spec 2.7).
 *
 * Unlike the reference, the incumbent wins ties, nothing is rounded, and a dominated candidate is never on the frontier.
 */
import type { Candidate, Evaluation } from "./candidate.ts";

/** A candidate that was evaluated. */
export type Scored = Candidate & { readonly status: { readonly kind: "evaluated"; readonly evaluation: Evaluation } };

/** Whether `candidate` was evaluated. */
export function isScored(candidate: Candidate): candidate is Scored {
  return candidate.status.kind === "evaluated";
}

/** Mean of `rewards`; 0 where there are none. */
export function meanReward(rewards: readonly number[]): number {
  return rewards.length === 0 ? 0 : rewards.reduce((all, reward) => all + reward, 0) / rewards.length;
}

/** Mean reward of an evaluated candidate. */
export function scoreOf(candidate: Scored): number {
  return meanReward(candidate.status.evaluation.rewards);
}

/**
 * The winner among `candidates`: highest mean reward, then the one named `incumbent`, then fewer turns, then fewer tokens,
 * then the earlier. A candidate with fewer rewards than the incumbent was dropped by racing and cannot win.
 */
export function selectWinner(candidates: readonly Candidate[], incumbent: string): Scored | undefined {
  const scored = candidates.filter(isScored);
  const holder = scored.find(({ name }) => name === incumbent);
  const least = holder?.status.evaluation.rewards.length ?? 0;
  let winner = holder;
  for (const rival of scored) {
    if (rival.status.evaluation.rewards.length < least) continue;
    if (!winner || comesBefore(rival, winner, incumbent)) winner = rival;
  }
  return winner;
}

/** Candidates that no other one beats in reward or turns without losing in the other; best reward first. */
export function paretoFrontier(candidates: readonly Candidate[]): Scored[] {
  const scored = candidates.filter(isScored);
  const frontier = scored.filter((a) => !scored.some((b) => dominates(b, a)));
  return frontier.sort((a, b) => scoreOf(b) - scoreOf(a));
}

function comesBefore(rival: Scored, winner: Scored, incumbent: string): boolean {
  const gain = scoreOf(rival) - scoreOf(winner);
  // Sums of the same rewards in another order differ by rounding only.
  if (Math.abs(gain) > 1e-9) return gain > 0;
  if (winner.name === incumbent || rival.name === incumbent) return rival.name === incumbent;
  const [a, b] = [rival.status.evaluation, winner.status.evaluation];
  if (a.meanTurns !== b.meanTurns) return a.meanTurns < b.meanTurns;
  return a.meanTokens < b.meanTokens;
}

function dominates(b: Scored, a: Scored): boolean {
  const reward = scoreOf(b) - scoreOf(a);
  const turns = a.status.evaluation.meanTurns - b.status.evaluation.meanTurns;
  return reward >= 0 && turns >= 0 && (reward > 0 || turns > 0);
}
