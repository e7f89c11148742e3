/** Rollouts as the page shows them, group by group and step by step. */
import type { JsonObject, JsonValue, RolloutTrace, Split, TraceStep } from "../../src/index.ts";

/** Rollouts that were made together: of one RSFT step, of one candidate, of one evaluation, or by hand in the editor. */
export type RolloutGroup = {
  /** Opaque name, for `listRollouts`. */
  readonly group: string;
  readonly use: "weights" | "harness" | "evaluation" | "by-hand";
  readonly phase: number;
  /** RSFT steps done before it; for `weights` the step it belongs to. */
  readonly step: number;
  /** Split of an evaluation; empty for others. */
  readonly split: Split | "";
  /** Name of the harness in use. */
  readonly harness: string;
  /** What a person would call it, such as `Training step 3` or `Test after phase 2`. */
  readonly label: string;
  readonly rollouts: number;
  readonly solved: number;
};

/** One rollout of a group. */
export type RolloutRow = {
  /** Opaque name, for `readRollout`. */
  readonly ref: string;
  readonly task: string;
  /** Number of the rollout among those of its task: equal tasks and samples of two evaluations met equal random streams. */
  readonly sample: number;
  /** First words of the task. */
  readonly title: string;
  readonly reward: number;
  readonly outcome: RolloutTrace["outcome"];
  readonly reason: string;
  /** Whether the weights learned from it. */
  readonly isAccepted: boolean;
  readonly tokens: number;
  readonly turns: number;
  readonly toolCalls: number;
};

/** One sampled token. */
export type TokenView = {
  readonly text: string;
  /** p at sampling time under the full vocabulary, in (0, 1]. */
  readonly probability: number;
  /** Whether the weights were trained on it: it was sampled and its rollout was accepted. */
  readonly isTrained: boolean;
};

/** A step of a rollout, in order. A model call has its sampled tokens, as far as the run kept them. */
export type RolloutStep =
  | (Omit<Extract<TraceStep, { readonly kind: "chat" }>, "ids" | "logprobs"> & {
      readonly tokens: readonly TokenView[];
    })
  | Exclude<TraceStep, { readonly kind: "chat" }>;

/** One rollout with everything that is known of it. */
export type RolloutView = RolloutRow &
  Pick<RolloutTrace, "detail" | "message" | "returned" | "usage"> & {
    readonly group: string;
    readonly domain: string;
    /** What the harness saw of the task; undefined where the task cannot be made again. */
    readonly view: JsonObject | undefined;
    /** What only the verifier sees; for the reader of a transcript, never for a harness. */
    readonly gold: JsonValue;
    readonly steps: readonly RolloutStep[];
    /** Name of the cause of failure; empty where it was solved. */
    readonly cause: string;
  };
