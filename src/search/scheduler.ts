/**
 * The Meta-Harness loop of one harness phase as ask and tell (arXiv 2603.28052; whale-spec 2.2).
 *
 * `ask` gives candidates, the caller checks and evaluates them however it likes and answers each by `refuse` or `tell`;
 * the search itself never runs harness code. The phase begins with its incumbent as h0. An iteration whose proposer
 * fails, or whose candidates are all refused, is spent and recorded. Between iterations the whole state is one JSON
 * value, so that a killed run goes on where it stood.
 */
import { HarnessError, StoreError } from "../base/errors.ts";
import { admit, gather } from "./admission.ts";
import { createArchive, type Archive } from "./archive.ts";
import type { Candidate, Evaluation, Proposer } from "./candidate.ts";
import { advancePatience, FIXED_PATIENCE, PATIENCE_START, patienceVerdict } from "./patience.ts";
import type { PatienceConfig, PatienceState } from "./patience.ts";
import { isScored, scoreOf, selectWinner, type Scored } from "./selection.ts";

/** Version of `SearchSnapshot`. */
export const SEARCH_SNAPSHOT_VERSION = 1;

/** What `createSearch` needs. */
export type SearchOptions = {
  /** Source of the harness that the phase starts with; it becomes h0. */
  readonly incumbentSource: string;
  readonly proposer: Proposer;
  /** Candidates an iteration, M. @default 3 */
  readonly count?: number;
  /** @default FIXED_PATIENCE */
  readonly patience?: PatienceConfig;
  /** Refuses every candidate that differs from this source in more than prompt text (the FST baseline). @default off */
  readonly promptOnlyBase?: string;
  /** State to go on from. @default a fresh phase */
  readonly snapshot?: SearchSnapshot;
};

/** What happened in one iteration. */
export type IterationRecord = {
  readonly iteration: number;
  /** Candidates proposed in it. */
  readonly candidates: readonly string[];
  /** Message of a proposer that gave nothing, or "". */
  readonly failure: string;
  /** The one to beat after it. */
  readonly incumbent: string;
};

/** Everything a phase has to remember; plain JSON. */
export type SearchSnapshot = {
  readonly version: typeof SEARCH_SNAPSHOT_VERSION;
  readonly candidates: readonly Candidate[];
  readonly incumbent: string;
  readonly patience: PatienceState;
  readonly iterations: readonly IterationRecord[];
};

/** Why a phase is over: its last iteration, patience, or an incumbent that solves every task. */
export type StopReason = "max" | "patience" | "perfect";

/** A harness phase under way. */
export type Search = {
  /**
   * The candidates to evaluate next, first h0 alone; empty where an iteration was spent on nothing or the phase is over.
   * @throws {TypeError} If an earlier candidate still waits for `tell` or `refuse`.
   */
  readonly ask: () => Promise<readonly Candidate[]>;
  /**
   * Records that a candidate failed a check.
   * @throws {HarnessError} If it is h0, without which there is nothing to beat.
   */
  readonly refuse: (name: string, check: string, reason: string) => void;
  /** Records what a candidate scored; fewer rewards than h0 has mean that it was dropped by racing. */
  readonly tell: (name: string, evaluation: Evaluation) => void;
  /** The best candidate so far, or undefined before h0 is evaluated. */
  readonly incumbent: () => Scored | undefined;
  /** Why the phase is over, or undefined while it goes on. */
  readonly stopped: () => StopReason | undefined;
  readonly candidates: () => readonly Candidate[];
  readonly iterations: () => readonly IterationRecord[];
  /** @throws {TypeError} If a candidate still waits for `tell` or `refuse`. */
  readonly snapshot: () => SearchSnapshot;
};

/** Starts a harness phase, or goes on with one. */
export function createSearch(options: SearchOptions): Search {
  const { count = 3, patience: patienceConfig = FIXED_PATIENCE, snapshot } = options;
  if (!(Number.isInteger(count) && count >= 1))
    throw new RangeError(`createSearch: count must be a positive integer, got ${String(count)}`);
  const archive = createArchive(snapshot ? { candidates: snapshot.candidates } : {});
  const iterations: IterationRecord[] = [...(snapshot?.iterations ?? [])];
  let patience = snapshot?.patience ?? PATIENCE_START;
  let incumbent = snapshot?.incumbent ?? "h0";
  const waiting = new Set<string>();
  let current: { readonly iteration: number; readonly names: readonly string[]; readonly failure: string } | undefined;

  const holder = (): Scored | undefined =>
    archive
      .candidates()
      .filter(isScored)
      .find((c) => c.name === incumbent);
  const stopped = (): StopReason | undefined => {
    const best = holder();
    if (best && scoreOf(best) >= 1) return "perfect";
    return patienceVerdict(patience, patienceConfig);
  };
  const close = (): void => {
    if (waiting.size > 0 || !current) return;
    const { iteration, names, failure } = current;
    current = undefined;
    incumbent = selectWinner(archive.candidates(), incumbent)?.name ?? incumbent;
    if (iteration === 0) return;
    iterations.push({ iteration, candidates: names, failure, incumbent });
    patience = advancePatience(patience, bestScore(archive, names));
  };
  const settle = (name: string): void => {
    if (!waiting.delete(name)) throw new RangeError(`search: ${name} does not wait for an answer`);
  };
  const idle = (caller: string): void => {
    if (waiting.size > 0) throw new TypeError(`${caller}: ${[...waiting].join(", ")} still waits for tell or refuse`);
  };
  const start = (): readonly Candidate[] => {
    const source = options.incumbentSource;
    const h0 = archive.add({ source, parent: "", axis: "", hypothesis: "", mechanisms: [] }, 0);
    waiting.add(h0.name);
    current = { iteration: 0, names: [h0.name], failure: "" };
    return [h0];
  };
  const ask = async (): Promise<readonly Candidate[]> => {
    idle("ask");
    if (archive.candidates().length === 0) return start();
    if (stopped()) return [];
    const iteration = patience.iteration + 1;
    const view = { candidates: archive.candidates(), incumbent, iteration, count };
    const { proposals, failure } = await gather(options.proposer, view);
    const judged = admit(proposals.slice(0, count), archive, { iteration, promptOnlyBase: options.promptOnlyBase });
    const accepted = judged.filter((candidate) => candidate.status.kind === "proposed");
    current = { iteration, names: judged.map(({ name }) => name), failure };
    for (const { name } of accepted) waiting.add(name);
    close();
    return accepted;
  };
  return {
    ask,
    refuse: (name, check, reason) => {
      if (name === "h0") throw new HarnessError(`h0: refused by ${check}, ${reason}`);
      settle(name);
      archive.refuse(name, check, reason);
      close();
    },
    tell: (name, evaluation) => {
      settle(name);
      archive.score(name, evaluation);
      close();
    },
    incumbent: holder,
    stopped,
    candidates: archive.candidates,
    iterations: () => [...iterations],
    snapshot: () => {
      idle("snapshot");
      const candidates = archive.candidates();
      return { version: SEARCH_SNAPSHOT_VERSION, candidates, incumbent, patience, iterations: [...iterations] };
    },
  };
}

/**
 * A snapshot read back from JSON.
 * @throws {StoreError} If it is of another version or lacks a part.
 */
export function readSnapshot(value: unknown): SearchSnapshot {
  const parts = typeof value === "object" && value !== null ? (value as Partial<SearchSnapshot>) : {};
  const version: unknown = parts.version;
  if (version !== SEARCH_SNAPSHOT_VERSION)
    throw new StoreError(
      `search snapshot: version ${String(SEARCH_SNAPSHOT_VERSION)} expected, got ${String(version)}`,
    );
  const isWhole =
    Array.isArray(parts.candidates) &&
    Array.isArray(parts.iterations) &&
    typeof parts.incumbent === "string" &&
    typeof parts.patience === "object";
  if (!isWhole) throw new StoreError("search snapshot: candidates, iterations, incumbent and patience expected");
  return parts as SearchSnapshot;
}

function bestScore(archive: Archive, names: readonly string[]): number | undefined {
  const scores = names.map((name) => archive.get(name)).filter(isScored);
  return scores.length === 0 ? undefined : Math.max(...scores.map(scoreOf));
}
