/** What every part of a run works with: what was handed in, the settings, and the state that marks make durable. */
import type { Clock } from "../base/clock.ts";
import type { Domain, TaskSet } from "../rollout/domain.ts";
import type { RolloutTrace } from "../rollout/trace.ts";
import type { Sandbox } from "../sandbox/isolate.ts";
import type { Proposer } from "../search/candidate.ts";
import { createEvolveProposer } from "../search/proposers/evolve.ts";
import type { EvolveMemory } from "../search/proposers/memory.ts";
import type { RunStore } from "../store/run-store.ts";
import type { ChatCodec } from "../text/chat.ts";
import { CONDITION_TABLE, type Condition } from "./conditions.ts";
import type { ExperimentConfig } from "./config.ts";
import type { ProgressSink, RunEvent } from "./events.ts";
import { countRollouts } from "./ledger.ts";
import type { Policy } from "./policy.ts";
import { planSchedule } from "./plan.ts";
import type { SchedulePlan } from "./schedule.ts";
import type { NamedHarness, RunState } from "./state.ts";

/** What a proposer of one harness phase is told. */
export type ProposerContext = {
  readonly domain: Domain;
  readonly seed: number;
  /** Phases before this one. */
  readonly phase: number;
  /** What earlier harness phases taught about mechanisms. */
  readonly memory: EvolveMemory;
  /** Accepted rollouts of training tasks under the weights as they are, for worked examples. */
  readonly examples: readonly RolloutTrace[];
  /** Whether only prompt constants may change. */
  readonly promptOnly: boolean;
};

/** Makes a proposer. */
export type ProposerFactory = (context: ProposerContext) => Proposer;

/** The default: the offline proposer. */
export const EVOLVE: ProposerFactory = ({ domain, ...options }) => createEvolveProposer({ space: domain, ...options });

/** Everything a run is made of, handed in by the composition root. */
export type ExperimentParts = {
  readonly policy: Policy;
  readonly domain: Domain;
  readonly tasks: TaskSet;
  readonly sandbox: Sandbox;
  readonly codec: ChatCodec;
  /** Makes the proposer; it is made anew for each iteration, so that all it knows comes from here and from the view. */
  readonly proposer: ProposerFactory;
  readonly store: RunStore;
  readonly clock: Clock;
  readonly progress: ProgressSink;
  /** Awaited before each RSFT step and search iteration, so that a host can pause or end the run. @default no wait */
  readonly gate?: () => Promise<void>;
};

/** A run under way. `state` is replaced as a whole by `commit`. */
export type RunContext = {
  readonly parts: ExperimentParts;
  readonly config: ExperimentConfig;
  readonly condition: Condition;
  readonly plan: SchedulePlan;
  readonly state: () => RunState;
  /** Adds to the ledger of events, and tells whoever watches. */
  readonly emit: (event: RunEvent) => void;
  /** Numbers the next `count` rollouts of the run, from 0, and gives the first; a resumed run numbers alike. */
  readonly numberRollouts: (count: number) => number;
  /** Makes `next` and all events so far durable. */
  readonly commit: (next: RunState) => Promise<void>;
  /** Runs `work` and records its seconds apart from the ledger, where times may stand. */
  readonly timed: <T>(what: string, work: () => Promise<T>) => Promise<T>;
};

/** A context that starts from `initial`. */
export function createContext(config: ExperimentConfig, parts: ExperimentParts, initial: RunState): RunContext {
  let current = initial;
  let uncommitted = 0;
  const condition = CONDITION_TABLE[config.condition];
  const { store, policy, clock, progress } = parts;
  return {
    parts,
    config,
    condition,
    plan: planSchedule(config),
    state: () => current,
    emit: (event) => {
      store.emit(event);
      progress(event);
    },
    numberRollouts: (count) => {
      const first = countRollouts(current.ledger) + uncommitted;
      uncommitted += count;
      return first;
    },
    commit: async (next) => {
      await store.mark(next);
      current = next;
      uncommitted = 0;
      // From here a resumed run and this one must not differ, so nothing may live on in caches.
      await policy.settle();
    },
    timed: async (what, work) => {
      const start = clock();
      const result = await work();
      store.time({ what, step: current.step, phase: current.progress.phases, seconds: (clock() - start) / 1000 });
      return result;
    },
  };
}

/** Where the source of a harness stands in the run folder. */
export function harnessPath(name: string): string {
  return `harnesses/${name}.js`;
}

/** Writes a harness under its name. */
export function saveHarness(store: RunStore, harness: NamedHarness): Promise<void> {
  return store.writeBlob(harnessPath(harness.name), new TextEncoder().encode(harness.source));
}
