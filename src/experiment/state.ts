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

/** Hashes of the base model, of all task ids in order, and of the first harness. */
export type RunInputs = { readonly model: string; readonly tasks: string; readonly harness: string };

/** The state of a run between two pieces of work. */
export type RunState = {
  readonly schema: typeof EVENT_SCHEMA;
  /** What the run was started with, so that it is not resumed with something else. */
  readonly inputs: RunInputs;
  /** Completed phases, and the steps in them. */
  readonly progress: ScheduleProgress;
  /** Null between phases. */
  readonly stage: Stage | null;
  /** RSFT steps done, those of the phase under way included. */
  readonly step: number;
  /** Step whose checkpoint holds the weights. */
  readonly checkpoint: number;
  readonly harness: NamedHarness;
  /** Prompts that train and are evaluated together, `harness` the best of them; empty where there is only that one. */
  readonly population: readonly NamedHarness[];
  /** What earlier harness phases taught about mechanisms. */
  readonly memory: EvolveMemory;
  /** Checkpoint and harness of the last evaluation; the names of a population are joined by `+`. */
  readonly evaluated: { readonly checkpoint: number; readonly harness: string } | null;
  readonly ledger: Ledger;
  readonly curve: readonly CurvePoint[];
};

const INPUT_NAMES: Readonly<Record<keyof RunInputs, string>> = {
  model: "the base model has",
  tasks: "the tasks have",
  harness: "the first harness of the domain has",
};

/** The state before anything has been done. */
export function freshState(seedHarness: string, inputs: RunInputs): RunState {
  return {
    schema: EVENT_SCHEMA,
    inputs,
    progress: { phases: 0, steps: 0 },
    stage: null,
    step: 0,
    checkpoint: 0,
    harness: { name: "h0", source: seedHarness },
    population: [],
    memory: EMPTY_MEMORY,
    evaluated: null,
    ledger: EMPTY_LEDGER,
    curve: [],
  };
}

/** The harnesses that rollouts of `state` are played under, in equal shares. */
export function playedHarnesses(state: RunState): readonly NamedHarness[] {
  return state.population.length > 0 ? state.population : [state.harness];
}

/**
 * The state in a mark, to be resumed with `inputs`.
 * @throws {StoreError} If another version wrote it, a part is missing, or the run was started with other inputs.
 */
export function readState(mark: JsonObject, inputs: RunInputs): RunState {
  if (mark["schema"] !== EVENT_SCHEMA)
    throw new StoreError(
      `mark: version ${JSON.stringify(mark["schema"] ?? null)} cannot be resumed, this is ${String(EVENT_SCHEMA)}`,
    );
  for (const key of Object.keys(freshState("", inputs)))
    if (mark[key] === undefined) throw new StoreError(`mark: ${key} is missing`);
  const state = mark as RunState;
  for (const key of ["model", "tasks", "harness"] as const)
    if (state.inputs[key] !== inputs[key])
      throw new StoreError(`resume: ${INPUT_NAMES[key]} changed since the run was started`);
  return state;
}
