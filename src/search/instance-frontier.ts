/**
 * The frontier of GEPA (arXiv 2507.19457, section 3): a candidate counts where no other one does better on some instance,
 * so that prompts with different strengths live on beside each other.
 *
 * As there, a candidate whose every winning instance is also won by others that stay is left out, weakest first. Rewards
 * are compared instance by instance, so all candidates must have met the same tasks in the same order.
 */
import type { Rng } from "../base/rng.ts";
import { scoreOf, type Scored } from "./selection.ts";

/** A candidate on the frontier. */
export type FrontierMember = {
  readonly candidate: Scored;
  /** Instances on which no other candidate has a larger reward. */
  readonly wins: number;
};

/** The frontier of `scored`, in their order. */
export function instanceFrontier(scored: readonly Scored[]): FrontierMember[] {
  const winners = winnersByInstance(scored);
  const staying = new Set(winners.flat());
  const weakestFirst = [...staying].sort((a, b) => scoreAt(scored, a) - scoreAt(scored, b) || b - a);
  for (const member of weakestFirst) {
    const own = winners.filter((winning) => winning.includes(member));
    if (own.every((winning) => winning.some((other) => other !== member && staying.has(other)))) staying.delete(member);
  }
  return scored.flatMap((candidate, index) =>
    staying.has(index) ? [{ candidate, wins: winners.filter((winning) => winning.includes(index)).length }] : [],
  );
}

/**
 * A member of `frontier`, drawn in proportion to its wins.
 * @throws {RangeError} If the frontier is empty.
 */
export function drawParent(frontier: readonly FrontierMember[], rng: Rng): Scored {
  let left = rng.uniform() * frontier.reduce((sum, { wins }) => sum + wins, 0);
  for (const { candidate, wins } of frontier) {
    left -= wins;
    if (left < 0) return candidate;
  }
  // Rounding may leave a sliver after the last one.
  const last = frontier.at(-1);
  if (last === undefined) throw new RangeError("drawParent: the frontier is empty");
  return last.candidate;
}

/**
 * The `count` best of `scored` by mean reward, members of the frontier first; the earlier of equals. Where the frontier is
 * smaller, the best of the others fill up, so that there are fewer than `count` only where no more have been scored.
 */
export function selectPopulation(scored: readonly Scored[], count: number): Scored[] {
  const frontier = new Set(instanceFrontier(scored).map(({ candidate }) => candidate.name));
  const rank = (candidate: Scored): number => (frontier.has(candidate.name) ? 1 : 0);
  return [...scored].sort((a, b) => rank(b) - rank(a) || scoreOf(b) - scoreOf(a)).slice(0, count);
}

/** For each instance, the indices of the candidates with the largest reward. */
function winnersByInstance(scored: readonly Scored[]): number[][] {
  const rewards = scored.map(({ status }) => status.evaluation.rewards);
  const instances = rewards[0]?.length ?? 0;
  return Array.from({ length: instances }, (_, instance) => {
    const column = rewards.map((row) => row[instance] ?? 0);
    const most = Math.max(...column);
    return column.flatMap((reward, index) => (reward === most ? [index] : []));
  });
}

function scoreAt(scored: readonly Scored[], index: number): number {
  return scoreOf(scored[index] as Scored);
}
