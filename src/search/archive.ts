/**
 * Every candidate of a harness phase and what became of it: the one record that scheduler, proposers and reports read.
 *
 * Two sources are the same candidate when they are equal after normalisation. Token ids are dropped from the traces it
 * keeps: no proposer needs them, and a run folder holds them elsewhere. It is plain JSON throughout.
 */
import type { RolloutTrace, TraceStep } from "../rollout/trace.ts";
import type { Candidate, Evaluation, Proposal } from "./candidate.ts";
import { normaliseSource } from "./syntax/compare.ts";

/** Options of `createArchive`. */
export type ArchiveOptions = {
  /** Failed rollouts kept for each candidate. @default 24 */
  readonly failedTraces?: number;
  /** Solved rollouts kept for each candidate. @default 8 */
  readonly solvedTraces?: number;
  /** Candidates of an archive that was written out before. @default none */
  readonly candidates?: readonly Candidate[];
};

/** The candidates of one phase, in order of proposal. */
export type Archive = {
  readonly candidates: () => readonly Candidate[];
  /** @throws {RangeError} If there is no candidate of that name. */
  readonly get: (name: string) => Candidate;
  /** Name of the candidate with the same program as `source`, which must parse. */
  readonly find: (source: string) => string | undefined;
  /** Adds a candidate and names it. */
  readonly add: (proposal: Proposal, iteration: number) => Candidate;
  /** Refuses a candidate, evaluated or not. */
  readonly refuse: (name: string, check: string, reason: string) => Candidate;
  /** Records what a candidate scored. */
  readonly score: (name: string, evaluation: Evaluation) => Candidate;
};

/** An archive, empty or with the candidates given. */
export function createArchive(options: ArchiveOptions = {}): Archive {
  const { failedTraces = 24, solvedTraces = 8 } = options;
  const candidates: Candidate[] = [];
  const programs = new Map<string, string>();
  const get = (name: string): Candidate => {
    const found = candidates.find((candidate) => candidate.name === name);
    if (!found) throw new RangeError(`archive: no candidate is named ${name}`);
    return found;
  };
  const update = (name: string, status: Candidate["status"]): Candidate => {
    const changed = { ...get(name), status };
    candidates[candidates.findIndex((candidate) => candidate.name === name)] = changed;
    return changed;
  };
  const keep = (candidate: Candidate): Candidate => {
    candidates.push(candidate);
    const program = programOf(candidate.source);
    if (!programs.has(program)) programs.set(program, candidate.name);
    return candidate;
  };
  for (const candidate of options.candidates ?? []) keep(candidate);
  return {
    candidates: () => [...candidates],
    get,
    find: (source) => programs.get(programOf(source)),
    add: (proposal, iteration) =>
      keep({ ...proposal, name: `h${String(candidates.length)}`, iteration, status: { kind: "proposed" } }),
    refuse: (name, check, reason) => update(name, { kind: "refused", check, reason }),
    score: (name, evaluation) => {
      const traces = [
        ...evaluation.traces.filter((trace) => trace.reward <= 0.5).slice(0, failedTraces),
        ...evaluation.traces.filter((trace) => trace.reward > 0.5).slice(0, solvedTraces),
      ].map(slimTrace);
      return update(name, { kind: "evaluated", evaluation: { ...evaluation, traces } });
    },
  };
}

/** `trace` without token ids, task id and stream key. */
export function slimTrace(trace: RolloutTrace): RolloutTrace {
  const slimStep = (step: TraceStep): TraceStep => (step.kind === "chat" ? { ...step, ids: [], logprobs: [] } : step);
  return { ...trace, task: "", key: "", steps: trace.steps.map(slimStep), sequences: [] };
}

/** A text that does not parse is its own program, so that it can be archived and refused. */
function programOf(source: string): string {
  try {
    return normaliseSource(source);
  } catch {
    return `unparsed ${source}`;
  }
}
