/** What a killed run needs to go on: plain JSON, written with each mark. Large parts are files that it names. */
import { StoreError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { EMPTY_MEMORY, type EvolveMemory } from "../search/proposers/memory.ts";
import { EVENT_SCHEMA } from "./events.ts";
import { EMPTY_LEDGER, type Ledger } from "./ledger.ts";
import type { ScheduleProgress } from "./schedule.ts";
import type { CurvePoint } from "./summary.ts";
import type { WeightPatienceState } from "./weight-patience.ts";

/** A harness by the name that curves and reports use. */
export type NamedHarness = {
  /** `h0`, or `p2-h5`: candidate h5 of phase 2. */
  readonly name: string;
  readonly source: string;
};

/** How far the phase under way has come; `evaluation` means that its own work is done. */
export type Stage =
  | { readonly kind: "weights"; readonly taken: number; readonly patience: WeightPatienceState }
  | {
      readonly kind: "harness";
      /** File with the state of the search; empty before its first iteration. */
      readonly search: string;
    }
  | { readonly kind: "evaluation" };

/** The state of a run between two pieces of work. */
export type RunState = {
  readonly schema: typeof EVENT_SCHEMA;
  /** Completed phases, and the steps in them. */
  readonly progress: ScheduleProgress;
  /** Null between phases. */
  readonly stage: Stage | null;
  /** RSFT steps done, those of the phase under way included. */
  readonly step: number;
  /** Step whose checkpoint holds the weights. */
  readonly checkpoint: number;
  readonly harness: NamedHarness;
  /** What earlier harness phases taught about mechanisms. */
  readonly memory: EvolveMemory;
  /** Checkpoint and harness of the last evaluation. */
  readonly evaluated: { readonly checkpoint: number; readonly harness: string } | null;
  readonly ledger: Ledger;
  readonly curve: readonly CurvePoint[];
};

/** The state before anything has been done. */
export function freshState(seedHarness: string): RunState {
  return {
    schema: EVENT_SCHEMA,
    progress: { phases: 0, steps: 0 },
    stage: null,
    step: 0,
    checkpoint: 0,
    harness: { name: "h0", source: seedHarness },
    memory: EMPTY_MEMORY,
    evaluated: null,
    ledger: EMPTY_LEDGER,
    curve: [],
  };
}

/**
 * The state in a mark.
 * @throws {StoreError} If another version wrote it, or a part is missing.
 */
export function readState(mark: JsonObject): RunState {
  if (mark["schema"] !== EVENT_SCHEMA)
    throw new StoreError(
      `mark: version ${JSON.stringify(mark["schema"] ?? null)} cannot be resumed, this is ${String(EVENT_SCHEMA)}`,
    );
  for (const key of Object.keys(freshState("")))
    if (mark[key] === undefined) throw new StoreError(`mark: ${key} is missing`);
  return mark as RunState;
}
