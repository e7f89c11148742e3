/**
 * What the evolve proposer carries from one harness phase to the next: decayed credits, and the good harnesses that did
 * not win, which new weights may make the best. Plain JSON.
 */
import type { Candidate } from "../candidate.ts";
import { isScored, scoreOf } from "../selection.ts";
import { creditMechanisms, decayCredits, type Credits } from "./credit.ts";

/** Version of `EvolveMemory`. */
export const EVOLVE_MEMORY_VERSION = 1;

/** A good harness that lost. */
export type FormerCandidate = {
  readonly source: string;
  readonly axis: string;
  readonly hypothesis: string;
  readonly mechanisms: readonly string[];
  /** Mean reward above the h0 of its phase. */
  readonly gain: number;
};

/** Everything that crosses phases. */
export type EvolveMemory = {
  readonly version: typeof EVOLVE_MEMORY_VERSION;
  readonly credits: Credits;
  /** Best first. */
  readonly former: readonly FormerCandidate[];
};

/** Before the first phase. */
export const EMPTY_MEMORY: EvolveMemory = { version: EVOLVE_MEMORY_VERSION, credits: {}, former: [] };

/** Former candidates kept. */
const MOST_FORMER = 8;
/** Weight of the evidence of a phase in the next one. */
const PHASE_DECAY = 0.5;

/** The memory after a phase that ended with `candidates` and `winner`. */
export function closePhase(memory: EvolveMemory, candidates: readonly Candidate[], winner: string): EvolveMemory {
  const credits = decayCredits(creditMechanisms(candidates, memory.credits), PHASE_DECAY);
  const scored = candidates.filter(isScored);
  const base = scored[0] ? scoreOf(scored[0]) : 0;
  const losers = scored.filter(({ name }, index) => index > 0 && name !== winner && name !== "h0");
  const fresh = losers.map((candidate): FormerCandidate => {
    const { source, axis, hypothesis, mechanisms } = candidate;
    return { source, axis, hypothesis, mechanisms, gain: scoreOf(candidate) - base };
  });
  const known = new Set([...fresh.map(({ source }) => source), ...candidates.map(({ source }) => source)]);
  const older = memory.former.filter(({ source }) => !known.has(source));
  const former = [...fresh, ...older.map((entry) => ({ ...entry, gain: entry.gain * PHASE_DECAY }))]
    .filter(({ gain }) => gain > 0)
    .sort((a, b) => b.gain - a.gain)
    .slice(0, MOST_FORMER);
  return { version: EVOLVE_MEMORY_VERSION, credits, former };
}
