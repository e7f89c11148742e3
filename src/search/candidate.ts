/** A harness under search and what became of it; the proposer's contract. */
import type { RolloutTrace } from "../rollout/trace.ts";

/** What a proposer writes. */
export type Proposal = {
  /** Source of one ES module. */
  readonly source: string;
  /** Name of the candidate it was made from. */
  readonly parent: string;
  /** Mechanism axis it changes. */
  readonly axis: string;
  /** Why it should help, in one sentence. */
  readonly hypothesis: string;
  /** Names of the mechanisms applied. */
  readonly mechanisms: readonly string[];
};

/** What one candidate scored, task by task. */
export type Evaluation = {
  /** Reward of each rollout, in the order of the tasks given by the caller. */
  readonly rewards: readonly number[];
  readonly meanTurns: number;
  readonly meanTokens: number;
  /** Count of failed rollouts by cause. */
  readonly causes: Readonly<Record<string, number>>;
  /** Redacted traces: no gold answer, no task id. */
  readonly traces: readonly RolloutTrace[];
};

/** A candidate with its fate. */
export type Candidate = Proposal & {
  /** `h0`, `h1`, ... in order of proposal. */
  readonly name: string;
  readonly iteration: number;
  readonly status:
    | { readonly kind: "proposed" }
    | { readonly kind: "refused"; readonly check: string; readonly reason: string }
    | { readonly kind: "evaluated"; readonly evaluation: Evaluation };
};

/** What a proposer may look at. */
export type SearchView = {
  readonly candidates: readonly Candidate[];
  /** Name of the candidate to beat. */
  readonly incumbent: string;
  readonly iteration: number;
  /** How many proposals are wanted. */
  readonly count: number;
};

/** Writes candidates. Rejects with a `ProposerError` when it has nothing; the iteration is then spent. */
export type Proposer = {
  readonly name: string;
  readonly propose: (view: SearchView) => Promise<readonly Proposal[]>;
  /** Text tokens a model behind it has used so far; 0 for the offline one. */
  readonly tokensUsed: () => number;
};
