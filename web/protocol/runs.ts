/** Runs as the page lists and draws them. */
import type { CurvePoint, ExperimentConfig, Ledger, MeanInterval, RsftMetrics, RunSummary } from "../../src/index.ts";

/** One run of the list. */
export type RunListing = {
  /** Name of its folder, for all commands. */
  readonly run: string;
  /** What the user calls it; made from the settings until renamed. */
  readonly title: string;
  readonly domain: string;
  readonly condition: string;
  readonly preset: string;
  readonly seed: number;
  /** `done`, `unfinished`, `active` (in this worker), `other-tab`, or `damaged` (then `problem` says why). */
  readonly status: "done" | "unfinished" | "active" | "other-tab" | "damaged";
  readonly problem: string;
  /** ISO 8601, from this browser's clock; of the import where it was imported. */
  readonly createdAt: string;
  /** Bytes of its folder. */
  readonly bytes: number;
  readonly curve: readonly CurvePoint[];
};

/** A stretch of a run, in rollouts, for the phase bands. `to` grows while the phase goes on. */
export type PhaseSpan = {
  readonly phase: number;
  readonly part: "weights" | "harness";
  readonly cycle: number;
  readonly from: number;
  readonly to: number;
  /** Steps or rounds, at most. */
  readonly length: number;
  /** Name of the harness that came in. */
  readonly harness: string;
  /** Why it ended; undefined while it goes on. */
  readonly stopped: "length" | "patience" | "perfect" | undefined;
};

/** One RSFT step. */
export type StepPoint = RsftMetrics & {
  readonly phase: number;
  readonly step: number;
  /** Training and search rollouts spent after it: the horizontal axis. */
  readonly spent: number;
};

/** One candidate of the tree, by the names that the run uses (`h0`, `p2-h5`). */
export type CandidateRow = {
  readonly name: string;
  /** Name of its parent in the same run. */
  readonly parent: string;
  readonly phase: number;
  readonly cycle: number;
  readonly iteration: number;
  readonly axis: string;
  readonly hypothesis: string;
  readonly mechanisms: readonly string[];
  readonly isByHand: boolean;
  /** Check that refused it and why; both empty where it was evaluated. */
  readonly refusedBy: string;
  readonly reason: string;
  /** Mean reward on the tasks of the search, in [0, 1], with what it cost; undefined where it was refused. */
  readonly score: number | undefined;
  readonly turns: number | undefined;
  readonly tokens: number | undefined;
  /** Paired difference to the incumbent of its round, with interval; undefined where it was refused. */
  readonly gain: MeanInterval | undefined;
  /** Failed rollouts by cause. */
  readonly causes: Readonly<Record<string, number>>;
  /** Whether it became the harness to beat at the end of its round. */
  readonly isAccepted: boolean;
};

/** Everything that a page draws of one run. */
export type RunRecord = {
  readonly listing: RunListing;
  readonly config: ExperimentConfig;
  readonly model: { readonly name: string; readonly hash: string; readonly device: string } | undefined;
  readonly curve: readonly CurvePoint[];
  readonly phases: readonly PhaseSpan[];
  readonly steps: readonly StepPoint[];
  readonly candidates: readonly CandidateRow[];
  /** Names of harnesses whose source `readHarness` gives. */
  readonly harnesses: readonly string[];
  readonly ledger: Ledger | undefined;
  /** Whether the run was played to its end; `listing.status` says who holds it. */
  readonly isComplete: boolean;
  /** Base, chosen, final and best-on-test points, once there is an evaluation; of the run so far where it is not done. */
  readonly summary: RunSummary | undefined;
};

/** A harness of a run with what it is compared to. */
export type HarnessSource = {
  readonly name: string;
  readonly source: string;
  /** Its parent, for the diff; undefined for h0. */
  readonly parent: { readonly name: string; readonly source: string } | undefined;
  /** The domain's first harness. */
  readonly first: string;
  /** Whether it differs from h0 in prompt constants only. */
  readonly isPromptOnly: boolean;
};
