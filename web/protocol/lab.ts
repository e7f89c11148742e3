/** What the lab is where it runs: its problems, devices, domains, settings and storage. */
import type { DeviceName, JsonValue } from "../../src/index.ts";
import type { RunListing } from "./runs.ts";

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
