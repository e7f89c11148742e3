/**
 * Racing (option `search.racing`): candidate and incumbent meet the same tasks in blocks, and a candidate that will not
 * win drops out, so that its remaining rollouts are not spent.
 *
 * Two grounds, checked at the end of each block: the candidate cannot pass the incumbent even if it solves everything
 * that is left (exact), or the paired difference is below 0 by `z` standard errors (a guard against eight looks at 256
 * tasks: z = 3 keeps the chance of wrongly dropping an equal candidate near 1 %).
 */

/** Options of `raceDecision`. */
export type RaceOptions = {
  /** Tasks between two looks. @default 32 */
  readonly block?: number;
  /** Standard errors below 0 at which a candidate drops. @default 3 */
  readonly z?: number;
  /** Largest reward of one rollout. @default 1 */
  readonly largestReward?: number;
};

/** What becomes of the candidate. */
export type RaceDecision =
  | { readonly kind: "continue" }
  | { readonly kind: "drop"; readonly ground: "cannot-win" | "surely-worse"; readonly difference: number };

/**
 * Decides after the candidate's rewards so far, [n], against the incumbent's on the same tasks in the same order, [N].
 * @throws {RangeError} If the candidate has more rewards than the incumbent, or an option is out of range.
 */
export function raceDecision(
  candidateRewards: readonly number[],
  incumbentRewards: readonly number[],
  options: RaceOptions = {},
): RaceDecision {
  const { block = 32, z = 3, largestReward = 1 } = options;
  const count = candidateRewards.length;
  const total = incumbentRewards.length;
  if (!(Number.isInteger(block) && block >= 1))
    throw new RangeError(`raceDecision: block must be a positive integer, got ${String(block)}`);
  if (!(z > 0)) throw new RangeError(`raceDecision: z must be above 0, got ${String(z)}`);
  if (count > total)
    throw new RangeError(`raceDecision: ${String(count)} candidate rewards for ${String(total)} of the incumbent`);
  if (count === 0 || count === total || count % block !== 0) return { kind: "continue" };
  const differences = candidateRewards.map((reward, i) => reward - (incumbentRewards[i] as number));
  const difference = sum(differences) / count;
  const reachable = sum(candidateRewards) + largestReward * (total - count);
  // The incumbent wins ties, so reaching its sum is not enough.
  if (reachable <= sum(incumbentRewards)) return { kind: "drop", ground: "cannot-win", difference };
  const squares = differences.reduce((all, value) => all + (value - difference) ** 2, 0);
  // One imagined disagreement keeps the error above 0 where all differences are equal.
  const error = Math.sqrt((squares + 1) / (count * count));
  return difference + z * error < 0 ? { kind: "drop", ground: "surely-worse", difference } : { kind: "continue" };
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
