/**
 * The port for running untrusted JavaScript: one fresh isolate for each rollout or tool call.
 *
 * Host calls are promises inside the guest, so a suspended isolate costs memory and nothing else; hundreds may wait for
 * one batched decoder. Limits are counts (interrupts, bytes, calls), never wall-clock time, so that a run repeats.
 */
import type { JsonValue } from "../base/json.ts";

/** What one isolate may use. */
export type IsolateLimits = {
  /** Interrupt callbacks, one for each 10,000 bytecode polls. */
  readonly fuel: number;
  /** Heap, in bytes, counted at its largest. */
  readonly memory: number;
  /** Stack, in bytes. */
  readonly stack: number;
  /** Largest JSON text that may leave the guest in one value, in characters. */
  readonly output: number;
  /** Host calls over the isolate's life. */
  readonly hostCalls: number;
};

/** Every way in which guest code ends badly. */
export const GUEST_FAULTS = [
  "syntax", // the source does not parse
  "missing-export", // the asked function is not exported
  "thrown", // the guest threw, or rejected
  "fuel", // too many interrupts
  "memory", // heap limit
  "stack", // recursion limit
  "output", // a value too large to leave the guest
  "value", // a value that JSON cannot hold
  "host-calls", // too many host calls
  "deadlock", // the guest waits for a promise that nobody will settle
] as const;
/** One of `GUEST_FAULTS`. */
export type GuestFault = (typeof GUEST_FAULTS)[number];

/** How a guest call ended. `fuel` is what it used, in interrupts; `log` is what it printed by `console.log`. */
export type GuestOutcome =
  | { readonly ok: true; readonly value: JsonValue | undefined; readonly fuel: number; readonly log: readonly string[] }
  | {
      readonly ok: false;
      readonly fault: GuestFault;
      readonly message: string;
      readonly fuel: number;
      readonly log: readonly string[];
    };

/**
 * A function of the host that the guest may call. It gets JSON and gives JSON; a rejection reaches the guest as a thrown
 * `Error` with the same message. A plain (non-promise) result reaches the guest at once.
 */
export type HostFunction = (args: readonly JsonValue[]) => Promise<JsonValue | undefined> | JsonValue | undefined;

/** What a guest sees of its host: dotted names to functions, such as `chat`, `tools.run`. */
export type HostFunctions = Readonly<Record<string, HostFunction>>;

/** One piece of guest code to run to its end. */
export type GuestProgram = {
  /** Source of one ES module. */
  readonly source: string;
  /** The exported function to call; with undefined only the module's top level runs. */
  readonly entry: string | undefined;
  /** JSON arguments, ahead of the host object. */
  readonly args: readonly JsonValue[];
  /** Passed to `entry` as its last argument, as nested objects of async functions, together with `hostValues`. */
  readonly host: HostFunctions;
  /** Plain values on the host object, read afresh at each access, such as `budget`. */
  readonly hostValues?: Readonly<Record<string, () => JsonValue>>;
  /**
   * Script run before the module in the same global scope, such as a maths prelude. Its state is kept and given to every
   * program with the same prelude, so it cannot draw random numbers or print.
   */
  readonly prelude?: string;
  readonly limits: IsolateLimits;
  /** Seeds the guest's `Math.random`. */
  readonly seed: string;
};

/** Makes isolates. Disposing it frees the engine; every isolate must have ended. */
export type Sandbox = Disposable & {
  /** Runs `program` in a fresh isolate, frees it, and says how it ended. Never rejects for what the guest did. */
  readonly run: (program: GuestProgram) => Promise<GuestOutcome>;
  /** Isolates alive now; 0 when all have ended. */
  readonly alive: () => number;
};
