/**
 * What a search has learnt about its mechanisms: wins and losses of the children that carried each, by the paired test
 * against their parents, and the Thompson draws made from them.
 *
 * Evidence is graded: a child adds the confidence that it is better than its parent, so that one that changes nothing
 * counts as a loss. Across phases old evidence decays,
 * since new weights change what works.
 */
import type { Rng } from "../../base/rng.ts";
import type { Candidate } from "../candidate.ts";
import { isScored } from "../selection.ts";

/** Evidence for (wins) and against (losses) a mechanism, in children. */
export type CreditRecord = { readonly wins: number; readonly losses: number };

/** Records by the name of what they are about. */
export type Credits = Readonly<Record<string, CreditRecord>>;

/** No evidence. */
export const NO_CREDIT: CreditRecord = { wins: 0, losses: 0 };

/** A refused child is weak evidence: the idea was not measured, only this form of it failed a check. */
const REFUSED_LOSS = 0.5;

/**
 * Records by mechanism from `candidates`, on top of `earlier`. A child of several mechanisms divides its evidence among
 * them. Duplicates say nothing.
 */
export function creditMechanisms(candidates: readonly Candidate[], earlier: Credits = {}): Credits {
  const credits = new Map(Object.entries(earlier));
  const byName = new Map(candidates.map((candidate) => [candidate.name, candidate]));
  for (const candidate of candidates) {
    const evidence = judgeChild(candidate, byName.get(candidate.parent));
    const share = 1 / Math.max(1, candidate.mechanisms.length);
    if (!evidence) continue;
    for (const name of candidate.mechanisms) {
      const { wins, losses } = credits.get(name) ?? NO_CREDIT;
      credits.set(name, { wins: wins + share * evidence.wins, losses: losses + share * evidence.losses });
    }
  }
  return Object.fromEntries(credits);
}

/** `credits` with all evidence multiplied by `factor`, in [0, 1]. */
export function decayCredits(credits: Credits, factor: number): Credits {
  const scale = ({ wins, losses }: CreditRecord): CreditRecord => ({ wins: wins * factor, losses: losses * factor });
  return Object.fromEntries(Object.entries(credits).map(([name, record]) => [name, scale(record)]));
}

/** The sum of several records. */
export function addCredits(records: readonly CreditRecord[]): CreditRecord {
  return records.reduce((a, b) => ({ wins: a.wins + b.wins, losses: a.losses + b.losses }), NO_CREDIT);
}

/**
 * The probability that a child with `child` rewards is better than a parent with `parent` rewards on the same tasks, by the
 * normal approximation; 0.5 where they have no task in common.
 */
function probabilityBetter(child: readonly number[], parent: readonly number[]): number {
  const count = Math.min(child.length, parent.length);
  if (count === 0) return 0.5;
  let sum = 0;
  let squares = 0;
  for (let i = 0; i < count; i += 1) {
    const difference = (child[i] as number) - (parent[i] as number);
    sum += difference;
    squares += difference * difference;
  }
  const mean = sum / count;
  // One imagined disagreement keeps the error above 0 where all differences are equal.
  const error = Math.sqrt((squares - sum * mean + 1) / (count * count));
  return normalCdf(mean / error);
}

/** How sure it is that the child is better: 0 where it is equal or worse, 1 where there is no doubt. */
export function confidenceBetter(child: readonly number[], parent: readonly number[]): number {
  return Math.max(0, 2 * probabilityBetter(child, parent) - 1);
}

/** A draw from Beta(1 + wins, 1 + losses). */
export function drawBeta({ wins, losses }: CreditRecord, rng: Rng): number {
  const a = drawGamma(1 + wins, rng);
  const b = drawGamma(1 + losses, rng);
  return a / (a + b);
}

function judgeChild(child: Candidate, parent: Candidate | undefined): CreditRecord | undefined {
  if (child.status.kind === "refused")
    return child.status.check === "duplicate" ? undefined : { wins: 0, losses: REFUSED_LOSS };
  if (!isScored(child) || !parent || !isScored(parent)) return undefined;
  const wins = confidenceBetter(child.status.evaluation.rewards, parent.status.evaluation.rewards);
  return { wins, losses: 1 - wins };
}

/** Marsaglia and Tsang 2000, for shapes of 1 or more. */
function drawGamma(shape: number, rng: Rng): number {
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = rng.normal();
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - rng.uniform()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
  }
}

/** Abramowitz and Stegun 26.2.17, error below 1e-7. */
function normalCdf(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const tail =
    (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) *
    t *
    (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return z >= 0 ? 1 - tail : tail;
}
