/** Harnesses that a person wrote: where they are judged, and what came of it. */
import type { HarnessCheck, MeanInterval, PairedComparison } from "../../src/index.ts";
import type { RunChoice } from "./lab.ts";

/** Where a harness is judged: a run, whose settings and tasks are taken, or a choice of settings. */
export type HarnessContext = { readonly run: string } | { readonly choice: RunChoice };

/** What the checks say: the same as on the command line. */
export type CheckReport = { readonly isAccepted: boolean; readonly checks: readonly HarnessCheck[] };

/** The result of a paired evaluation. */
export type EvaluationReport = {
  readonly first: MeanInterval;
  readonly second: MeanInterval;
  /** First minus second, over the same tasks and random streams. */
  readonly paired: PairedComparison;
  readonly samples: number;
  /** Which weights played, such as `the weights after step 4`. */
  readonly weights: string;
  /** Groups for `listRollouts` of the context's run, kept until the worker ends. */
  readonly groups: readonly [first: string, second: string];
};
