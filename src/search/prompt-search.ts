/**
 * The fast phase of Fast-Slow Training as ask and tell: GEPA (arXiv 2507.19457) over a population of prompts, under frozen
 * weights (whale-spec 9).
 *
 * The population that comes in is scored on the whole anchor set. Then, until the budget is spent: a parent is drawn from
 * the frontier by instance, one child is proposed, both meet a minibatch under the same fresh streams, and a child that
 * scores more there meets the anchor set and joins the pool. An iteration starts only where a full evaluation would still
 * fit, so the budget is never passed. Merging two members is left out: the proposer recombines by itself.
 */
import { StoreError } from "../base/errors.ts";
import { createRng } from "../base/rng.ts";
import { admit, gather } from "./admission.ts";
import { createArchive } from "./archive.ts";
import type { Candidate, Evaluation, Proposer } from "./candidate.ts";
import { drawParent, instanceFrontier, selectPopulation } from "./instance-frontier.ts";
import { isScored, scoreOf, type Scored } from "./selection.ts";

/** Version of `PromptSearchSnapshot`. */
export const PROMPT_SEARCH_VERSION = 1;

/** Iterations in a row without a proposal after which nothing more is expected. */
const MOST_BARREN = 10;

/** What `createPromptSearch` needs. */
export type PromptSearchOptions = {
  /** Sources of the prompts that come in, at least one; they become h0, h1, ... */
  readonly population: readonly string[];
  readonly proposer: Proposer;
  /** Source that every candidate may differ from in prompt text only. */
  readonly promptOnlyBase: string;
  /** Tasks in the anchor set. */
  readonly instances: number;
  /** Tasks on which child and parent meet. */
  readonly minibatch: number;
  /** Rollouts that proposals may cost. */
  readonly budget: number;
  /** Keys of the random stream. */
  readonly keys: readonly (string | number)[];
  /** State to go on from. @default a fresh phase */
  readonly snapshot?: PromptSearchSnapshot;
};

/** Everything a phase has to remember; plain JSON. */
export type PromptSearchSnapshot = {
  readonly version: typeof PROMPT_SEARCH_VERSION;
  readonly candidates: readonly Candidate[];
  /** Iterations that have ended, that of the incoming population not counted. */
  readonly iteration: number;
  /** Rollouts that proposals have cost. */
  readonly spent: number;
  /** Iterations in a row that gave nothing to try. */
  readonly barren: number;
  /** Why the last iteration had no proposal, or "". */
  readonly failure: string;
};

/** A child to try against its parent. */
export type PromptTrial = {
  readonly candidate: Candidate;
  readonly parent: Scored;
  /** Indices into the anchor set. */
  readonly minibatch: readonly number[];
};

/** A fast phase under way. */
export type PromptSearch = {
  /** The population that came in and is not scored yet: `tell` each before `propose`. */
  readonly incoming: () => readonly Candidate[];
  /** A child to try, to be answered by `refuse`, or `meet` and then perhaps `tell`; undefined where there is none. */
  readonly propose: () => Promise<PromptTrial | undefined>;
  readonly refuse: (name: string, check: string, reason: string) => void;
  /** Whether the child did better on the minibatch; if not it is refused. */
  readonly meet: (
    name: string,
    rewards: { readonly child: readonly number[]; readonly parent: readonly number[] },
  ) => boolean;
  readonly tell: (name: string, evaluation: Evaluation) => void;
  /** The best mean reward so far; the earlier of equals. Undefined before any is scored. */
  readonly best: () => Scored | undefined;
  /** The `count` prompts to train under. */
  readonly population: (count: number) => readonly Scored[];
  /** Why the phase is over, or undefined while it goes on. */
  readonly stopped: () => "budget" | "barren" | "perfect" | undefined;
  readonly candidates: () => readonly Candidate[];
  readonly snapshot: () => PromptSearchSnapshot;
};

/**
 * Starts a fast phase, or goes on with one.
 * @throws {RangeError} If the population or the anchor set is empty.
 */
export function createPromptSearch(options: PromptSearchOptions): PromptSearch {
  const { population, instances, budget, snapshot } = options;
  if (population.length === 0 || instances < 1)
    throw new RangeError("createPromptSearch: a population and an anchor set are needed");
  const size = Math.min(options.minibatch, instances);
  const archive = createArchive(snapshot ? { candidates: snapshot.candidates } : {});
  let { iteration, spent, barren, failure } = snapshot ?? { iteration: 0, spent: 0, barren: 0, failure: "" };
  if (!snapshot)
    for (const source of population) archive.add({ source, parent: "", axis: "", hypothesis: "", mechanisms: [] }, 0);

  const pool = (): Scored[] => archive.candidates().filter(isScored);
  const best = (): Scored | undefined => selectBest(pool());
  return {
    incoming: () => archive.candidates().filter(({ iteration: at, status }) => at === 0 && status.kind === "proposed"),
    propose: async () => {
      iteration += 1;
      const parent = drawParent(instanceFrontier(pool()), createRng(...options.keys, "parent", iteration));
      const view = { candidates: archive.candidates(), incumbent: parent.name, iteration, count: 1 };
      const gathered = await gather(options.proposer, view);
      const rules = { iteration, promptOnlyBase: options.promptOnlyBase };
      const [candidate] = admit(gathered.proposals.slice(0, 1), archive, rules);
      const isUsable = candidate?.status.kind === "proposed";
      failure = gathered.failure;
      barren = isUsable ? 0 : barren + 1;
      return isUsable ? { candidate, parent, minibatch: drawMinibatch(options, iteration, size) } : undefined;
    },
    refuse: (name, check, reason) => void archive.refuse(name, check, reason),
    meet: (name, { child, parent }) => {
      spent += child.length + parent.length;
      const [mine, theirs] = [sum(child), sum(parent)];
      if (mine > theirs) return true;
      const reason = `${mine.toFixed(0)} of ${String(child.length)} solved, its parent ${theirs.toFixed(0)}`;
      archive.refuse(name, "minibatch", reason);
      return false;
    },
    tell: (name, evaluation) => {
      const { iteration: at } = archive.score(name, evaluation);
      if (at > 0) spent += evaluation.rewards.length;
    },
    best,
    population: (count) => selectPopulation(pool(), count),
    stopped: () => {
      const leader = best();
      if (leader !== undefined && scoreOf(leader) >= 1) return "perfect";
      if (spent + 2 * size + instances > budget) return "budget";
      return barren >= MOST_BARREN ? "barren" : undefined;
    },
    candidates: archive.candidates,
    snapshot: () => ({
      version: PROMPT_SEARCH_VERSION,
      candidates: archive.candidates(),
      ...{ iteration, spent, barren, failure },
    }),
  };
}

/**
 * A snapshot read back from JSON.
 * @throws {StoreError} If it is of another version or lacks a part.
 */
export function readPromptSnapshot(value: unknown): PromptSearchSnapshot {
  const parts = typeof value === "object" && value !== null ? (value as Partial<PromptSearchSnapshot>) : {};
  const { version, candidates, iteration, spent, barren, failure } = parts;
  const isWhole =
    version === PROMPT_SEARCH_VERSION &&
    Array.isArray(candidates) &&
    typeof failure === "string" &&
    [iteration, spent, barren].every((count) => typeof count === "number");
  if (!isWhole)
    throw new StoreError(
      `prompt search: a snapshot of version ${String(PROMPT_SEARCH_VERSION)} expected, got version ${String(version)}`,
    );
  return parts as PromptSearchSnapshot;
}

/** Minibatches take the anchor set in turns: each epoch in its own order, what does not fill a last one is dropped. */
function drawMinibatch({ keys, instances }: PromptSearchOptions, iteration: number, size: number): number[] {
  const perEpoch = Math.floor(instances / size);
  const at = iteration - 1;
  const order = createRng(...keys, "minibatch", Math.floor(at / perEpoch)).shuffle(
    Array.from({ length: instances }, (_, index) => index),
  );
  const start = (at % perEpoch) * size;
  return order.slice(start, start + size);
}

function selectBest(pool: readonly Scored[]): Scored | undefined {
  let best: Scored | undefined;
  for (const candidate of pool) if (best === undefined || scoreOf(candidate) > scoreOf(best)) best = candidate;
  return best;
}

function sum(rewards: readonly number[]): number {
  return rewards.reduce((total, reward) => total + reward, 0);
}
