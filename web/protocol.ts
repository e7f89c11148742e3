/**
 * The messages between the page and its worker, which holds the engine, the isolates, the search and the run folders.
 *
 * The page sends a `LabRequest` and gets one `LabReply` with the same id; whatever goes wrong comes back as a `Problem`,
 * never as a silent failure. Beside the replies the worker sends `LabEvent`s by itself. All values are plain data that
 * `postMessage` can copy. `web/worker/client.ts` is the page's end of this.
 */
import type {
  CurvePoint,
  DeviceName,
  ExperimentConfig,
  HarnessCheck,
  JsonObject,
  JsonValue,
  Ledger,
  MeanInterval,
  PairedComparison,
  ProgressEvent,
  RolloutTrace,
  RsftMetrics,
  RunSummary,
  Split,
  TraceStep,
} from "../src/index.ts";

// What can go wrong.

/**
 * Kinds of problem, for the page to act on: `storage-full` and `storage-gone` (evicted, or private browsing);
 * `other-tab` (the run is open in another tab); `damaged` (a run folder or zip that cannot be read); `busy` (a run is going
 * on, or none is); `stopped` (the work was given up because the run was stopped); `setting`, `harness`, `device`, `model`
 * (what the user gave, or this machine, is at fault); `unsupported` (the browser lacks something); `internal` (a defect).
 */
export type ProblemKind =
  | "storage-full"
  | "storage-gone"
  | "other-tab"
  | "damaged"
  | "busy"
  | "stopped"
  | "setting"
  | "harness"
  | "device"
  | "model"
  | "unsupported"
  | "internal";

/** Something that went wrong, in plain words: what happened, what is safe, what to do next. One sentence each. */
export type Problem = {
  readonly kind: ProblemKind;
  readonly what: string;
  readonly safe: string;
  readonly next: string;
};

// Devices.

/** What can run the model in a browser. `wasm` has one thread, `wasm-threads` as many as the machine gives. */
export type DeviceChoice = "webgpu" | "wasm-threads" | "wasm";

/** One device as the trial found it. */
export type DeviceTrial = {
  readonly choice: DeviceChoice;
  readonly isUsable: boolean;
  /** Why it cannot be used, or what it is: one phrase, such as `this host sends no COOP and COEP headers`. */
  readonly detail: string;
  /** Tokens a second of the trial's training passes; undefined where it was not measured. */
  readonly tokensPerSecond: number | undefined;
};

/** The device in use. */
export type DeviceReport = {
  readonly choice: DeviceChoice;
  /** What the ledger of a run records. */
  readonly device: DeviceName;
  /** Threads of the CPU; 0 on WebGPU. */
  readonly threads: number;
  /** A few words for a chip, such as `WASM, 2 threads`. */
  readonly label: string;
  readonly tokensPerSecond: number | undefined;
  /** Why this one, in one sentence with the figure. */
  readonly reason: string;
  /** All that were looked at, fastest first. */
  readonly trials: readonly DeviceTrial[];
};

// What can be chosen.

/** A domain as the page offers it. */
export type DomainInfo = {
  readonly name: string;
  readonly title: string;
  readonly tiers: readonly string[];
  readonly defaultTier: string;
  readonly seedHarness: string;
  /** Mechanism axes of its search. */
  readonly axes: readonly string[];
  /** Causes of failure, most specific first. */
  readonly causes: readonly string[];
  /** Rules of the domain in Markdown. */
  readonly guide: string;
};

/** What identifies an experiment; with `overrides` it is all that a link has to hold. */
export type RunChoice = {
  readonly domain: string;
  readonly condition: string;
  readonly preset: string;
  readonly seed: number;
  /** Dotted path to value, laid over the preset: `{ "schedule.totalSteps": 6 }`. */
  readonly overrides: Readonly<Record<string, JsonValue>>;
};

/** Storage of this origin. */
export type StorageState = {
  /** Bytes used, and bytes that the browser allows; undefined where it does not say. */
  readonly usage: number | undefined;
  readonly quota: number | undefined;
  /** Whether the browser promised not to evict it. */
  readonly isPersistent: boolean;
};

/** The answer to `boot`. */
export type BootReport = {
  readonly device: DeviceReport;
  readonly domains: readonly DomainInfo[];
  /** Conditions with their one-line titles, in the order to offer them. */
  readonly conditions: readonly {
    readonly name: string;
    readonly title: string;
    readonly weights: boolean;
    readonly harness: boolean;
    readonly adaptive: boolean;
    readonly promptOnly: boolean;
  }[];
  readonly presets: readonly string[];
  readonly storage: StorageState;
  /** Whether threads are possible: the host sent COOP and COEP headers. */
  readonly isCrossOriginIsolated: boolean;
  /** Runs that were begun and are neither done nor open in another tab, newest first: offer to go on with the first. */
  readonly unfinished: readonly RunListing[];
  /** Milliseconds from the worker's start to ready. */
  readonly bootMs: number;
};

// Runs.

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

// Rollouts.

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

// Harnesses by hand.

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

// Commands.

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

// Events.

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
