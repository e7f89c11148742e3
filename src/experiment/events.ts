/**
 * What a run says of itself. `RunEvent`s make the ledger `events.jsonl`: no times, no absolute paths, so that equal seeds
 * give equal bytes. `ProgressEvent`s are the same plus what only someone who watches needs.
 */
import type { RsftMetrics } from "../rsft/step.ts";
import type { ExperimentConfig } from "./config.ts";
import type { RolloutUse } from "./ledger.ts";
import type { PolicyDescription } from "./policy.ts";
import type { CurvePoint, RunSummary } from "./summary.ts";

/** Version of the events and of the state in a mark. */
export const EVENT_SCHEMA = 1;

/** Training and search rollouts spent so far: the horizontal axis of every curve. */
type Spent = number;

/** A line of `events.jsonl`. */
export type RunEvent =
  | {
      readonly kind: "run-start";
      readonly schema: typeof EVENT_SCHEMA;
      readonly config: ExperimentConfig;
      readonly model: PolicyDescription;
      /** Tasks in each split. */
      readonly tasks: Readonly<Record<string, number>>;
      /** Hash of all task ids, in order. */
      readonly tasksHash: string;
      /** Hash of h0's source. */
      readonly harnessHash: string;
    }
  | {
      readonly kind: "phase-start";
      readonly phase: number;
      readonly cycle: number;
      readonly part: "weights" | "harness";
      /** Steps or rounds of proposals, at most. */
      readonly length: number;
      /** Name of the harness that comes in. */
      readonly harness: string;
      /** Names of the prompts that come in, which are `h0`, `h1`, ... within the phase; absent where there is only one. */
      readonly population?: readonly string[];
      readonly step: number;
      readonly spent: Spent;
    }
  | ({
      readonly kind: "rsft-step";
      readonly phase: number;
      readonly cycle: number;
      readonly step: number;
      readonly spent: Spent;
    } & RsftMetrics)
  | ({ readonly kind: "candidate"; readonly phase: number; readonly cycle: number } & CandidateRecord)
  | {
      readonly kind: "search-iteration";
      readonly phase: number;
      readonly cycle: number;
      /** 0 is the evaluation of the incoming harness. */
      readonly iteration: number;
      /** Best so far; the incumbent wins ties. */
      readonly best: string;
      readonly bestReward: number;
      /** Candidates by what became of them in this iteration. */
      readonly evaluated: number;
      readonly refused: number;
      /** Why the proposer gave nothing; empty where it gave something. */
      readonly failure: string;
      readonly spent: Spent;
    }
  | {
      readonly kind: "phase-end";
      readonly phase: number;
      readonly cycle: number;
      readonly part: "weights" | "harness";
      /** Steps or rounds of proposals done. */
      readonly length: number;
      /** `perfect`: the harness solves every task of the search. */
      readonly stopped: "length" | "patience" | "perfect";
      /** Name of the harness that goes out. */
      readonly harness: string;
      /** Names of the prompts that go out; absent where there is only one. */
      readonly population?: readonly string[];
      /** Absent where `search.confirm` is off, or the incoming harness won. */
      readonly confirmation?: Confirmation;
      readonly step: number;
      readonly spent: Spent;
    }
  | ({
      readonly kind: "evaluation";
      /** Phases completed before it; 0 is the base. */
      readonly index: number;
      /** Whether neither weights nor harness changed since the last one, so that no rollout was spent. */
      readonly reused: boolean;
    } & { readonly point: CurvePoint })
  | { readonly kind: "run-end"; readonly summary: RunSummary };

/** What fresh tasks say of the winner of a harness phase, beside what the search said. Rewards are means in [0, 1]. */
export type Confirmation = {
  /** Tasks that no search has met. */
  readonly tasks: number;
  readonly reward: number;
  /** Of the harness that came in, on the same tasks and streams. */
  readonly incoming: number;
  /** Paired difference of the two, with interval. */
  readonly gain: { readonly mean: number; readonly low: number; readonly high: number };
  /** Of the winner on the tasks it was chosen on. */
  readonly searchReward: number;
  /** Evaluated candidates, the incoming harness included, that it was the best of. */
  readonly bestOf: number;
};

/** A candidate of one phase, as recorded. */
export type CandidateRecord = {
  /** `h1`, `h2`, ... within its phase. */
  readonly name: string;
  readonly iteration: number;
  readonly parent: string;
  readonly axis: string;
  readonly hypothesis: string;
  readonly mechanisms: readonly string[];
  readonly sourceHash: string;
  /** Check that refused it; empty where it was evaluated. */
  readonly refusedBy: string;
  readonly reason: string;
  /** Mean over all its rollouts; null where it was refused. */
  readonly result: {
    readonly reward: number;
    readonly turns: number;
    readonly tokens: number;
    /** Paired difference to the incumbent of its round, with interval. */
    readonly gain: { readonly mean: number; readonly low: number; readonly high: number };
    readonly causes: Readonly<Record<string, number>>;
  } | null;
};

/** What a watcher sees: every event when it happens, and how far the work between two of them has come. */
export type ProgressEvent =
  | RunEvent
  | {
      readonly kind: "rollouts";
      readonly use: RolloutUse;
      readonly done: number;
      readonly total: number;
      /** Mean reward of those done. */
      readonly reward: number;
    }
  | {
      readonly kind: "resumed";
      /** Phases and steps that were already done. */
      readonly phases: number;
      readonly steps: number;
    };

/** Takes progress; it must not throw and must not wait. */
export type ProgressSink = (event: ProgressEvent) => void;
