/**
 * The messages between the page and its worker, which holds the engine, the isolates, the search and the run folders.
 *
 * The page sends a `LabRequest` and gets one `LabReply` with the same id; whatever goes wrong comes back as a `Problem`,
 * never as a silent failure. Beside the replies the worker sends `LabEvent`s by itself. All values are plain data that
 * `postMessage` can copy. `web/worker/client.ts` is the page's end of this.
 */
import type { ExperimentConfig, ProgressEvent, RunSummary } from "../../src/index.ts";
import type { CheckReport, EvaluationReport, HarnessContext } from "./by-hand.ts";
import type { BootReport, DeviceChoice, Problem, RunChoice, StorageState } from "./lab.ts";
import type { RolloutGroup, RolloutRow, RolloutView } from "./rollouts.ts";
import type { HarnessSource, RunListing, RunRecord } from "./runs.ts";

/** Every command with what it takes and gives. */
export type LabCommands = {
  /** Opens storage, measures the devices (or takes the one that is given) and loads the model. Comes first, once. */
  readonly boot: { readonly params: { readonly device?: DeviceChoice | undefined }; readonly result: BootReport };
  readonly listRuns: { readonly params: object; readonly result: readonly RunListing[] };
  /** The settings that a choice makes, checked, without starting anything: for the form and the link. */
  readonly resolveChoice: { readonly params: { readonly choice: RunChoice }; readonly result: ExperimentConfig };
  /** Makes a run and starts it; it replies once the run exists. */
  readonly startRun: {
    readonly params: {
      readonly choice: RunChoice;
      readonly title?: string | undefined;
      /** Begin paused, so that the first `step` does the first piece of work. */
      readonly isPaused?: boolean | undefined;
    };
    readonly result: RunListing;
  };
  /** Goes on with an unfinished run. */
  readonly resumeRun: {
    readonly params: { readonly run: string; readonly isPaused?: boolean | undefined };
    readonly result: RunListing;
  };
  /** Waits before the next RSFT step or search iteration; the one under way is finished first. */
  readonly pause: { readonly params: object; readonly result: null };
  /** Goes on after `pause`. */
  readonly play: { readonly params: object; readonly result: null };
  /** One RSFT step or search iteration, then waits again; it replies when that is done. Pauses a run that is playing. */
  readonly step: { readonly params: object; readonly result: null };
  /** Ends the run under way as a killed process would: it stays unfinished and can be resumed. Replies when it is over. */
  readonly stop: { readonly params: object; readonly result: null };
  readonly renameRun: {
    readonly params: { readonly run: string; readonly title: string };
    readonly result: RunListing;
  };
  /** Moves a run out of the list; `restoreRun` undoes it until the next boot, which removes it for good. */
  readonly deleteRun: { readonly params: { readonly run: string }; readonly result: null };
  readonly restoreRun: { readonly params: { readonly run: string }; readonly result: RunListing };
  /** The run folder as a zip, as `spyhop resume` takes it after unpacking. */
  readonly exportRun: {
    readonly params: { readonly run: string };
    readonly result: { readonly fileName: string; readonly bytes: Uint8Array };
  };
  /** A zip of a run folder, from here or from Node. */
  readonly importRun: {
    readonly params: { readonly fileName: string; readonly bytes: Uint8Array };
    readonly result: RunListing;
  };
  readonly readRun: { readonly params: { readonly run: string }; readonly result: RunRecord };
  readonly readHarness: {
    readonly params: { readonly run: string; readonly harness: string };
    readonly result: HarnessSource;
  };
  /** Groups in the order in which they were made. */
  readonly listGroups: { readonly params: { readonly run: string }; readonly result: readonly RolloutGroup[] };
  readonly listRollouts: {
    readonly params: { readonly run: string; readonly group: string };
    readonly result: readonly RolloutRow[];
  };
  readonly readRollout: {
    readonly params: { readonly run: string; readonly ref: string };
    readonly result: RolloutView;
  };
  /** Rollouts of `task` with number `sample` in every evaluation of the run, in order: the same task before and after. */
  readonly findTask: {
    readonly params: { readonly run: string; readonly task: string; readonly sample: number };
    readonly result: readonly { readonly group: RolloutGroup; readonly row: RolloutRow }[];
  };
  /** Static rules, smoke, provenance, null model. Needs no model and may be asked while a run goes on. */
  readonly checkHarness: {
    readonly params: { readonly context: HarnessContext; readonly source: string };
    readonly result: CheckReport;
  };
  /**
   * Plays `source` and another harness (h0 where none is named) on the same tasks. While a run goes on it waits for the
   * end of the step under way and uses the weights as they are then; otherwise the weights that the run reports, or the
   * base weights where there is no run.
   */
  readonly evaluateHarness: {
    readonly params: {
      readonly context: HarnessContext;
      readonly source: string;
      /** Name of a harness of the run. */
      readonly against?: string | undefined;
      /** Tasks of the harness split. @default 16 */
      readonly tasks?: number | undefined;
      /** Rollouts a task. @default 4 */
      readonly samples?: number | undefined;
    };
    readonly result: EvaluationReport;
  };
  /**
   * Hands a harness to the run under way: it enters the next round of the search as its first candidate, checked and
   * raced like all others. Kept in the run folder, so that the run stays reproducible.
   */
  readonly submitHarness: {
    readonly params: { readonly source: string; readonly hypothesis: string };
    readonly result: { readonly waiting: number };
  };
  /** To be asked again after the page has called `navigator.storage.persist()`, which a worker cannot. */
  readonly readStorage: { readonly params: object; readonly result: StorageState };
};

/** Name of a command. */
export type LabCommand = keyof LabCommands;

/** What the page sends. */
export type LabRequest = {
  [C in LabCommand]: { readonly id: number; readonly command: C; readonly params: LabCommands[C]["params"] };
}[LabCommand];

/** The one answer to a request. */
export type LabReply = { readonly kind: "reply"; readonly id: number } & (
  | { readonly ok: true; readonly value: LabCommands[LabCommand]["result"] }
  | { readonly ok: false; readonly problem: Problem }
);

/** What the worker is doing with the run under way. `pausing` and `stopping` wait for the end of a piece of work. */
export type RunStatus = "idle" | "running" | "pausing" | "paused" | "stepping" | "stopping";

/** What the worker says by itself. */
export type LabEvent =
  /** How far `boot` has come, for a page that waits: share in [0, 1] and a phrase. */
  | { readonly kind: "booting"; readonly share: number; readonly what: string }
  /** An event of the run under way; those of kind `rollouts` come at most ten times a second. */
  | { readonly kind: "progress"; readonly run: string; readonly event: ProgressEvent }
  /** `share` of the whole run that is done, in [0, 1]; what is happening follows from `progress`. */
  | {
      readonly kind: "now";
      readonly run: string;
      readonly share: number;
      /** Seconds until the run ends if it runs its whole plan; undefined before anything has been timed. */
      readonly secondsLeft: number | undefined;
    }
  | { readonly kind: "status"; readonly run: string; readonly status: RunStatus }
  /** The list of runs has changed. */
  | { readonly kind: "runs"; readonly runs: readonly RunListing[] }
  /** New rollouts can be read. */
  | { readonly kind: "group"; readonly run: string; readonly group: RolloutGroup }
  | { readonly kind: "storage"; readonly storage: StorageState }
  /** Something went wrong outside of any request, such as the run under way; it has then ended and can be resumed. */
  | { readonly kind: "problem"; readonly run: string; readonly problem: Problem }
  /** A run ended by itself. */
  | { readonly kind: "done"; readonly run: string; readonly summary: RunSummary };

/** What the worker sends. */
export type LabMessage = LabReply | LabEvent;
