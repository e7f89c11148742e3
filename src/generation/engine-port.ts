/** What the batched engine takes and gives. */
import type { Completer } from "./completer.ts";
import type { EngineStats } from "./engine-counts.ts";
import type { Replica, ReplicaOptions } from "./replica-port.ts";
import type { Settle } from "./settle.ts";

/** What an engine is made of: replicas in this thread, and others that share the work. */
export type EngineOptions = ReplicaOptions & {
  /** How many replicas take turns in this thread, with one model. @default 1 */
  readonly replicas?: number;
  /** Further copies of the same model with the same settings, in workers. @default [] */
  readonly others?: readonly Replica[];
  /** Lets promises settle. @default a macrotask of the host */
  readonly settle?: Settle;
};

/** A completer over a local model. */
export type Engine = Completer & {
  readonly stats: () => EngineStats;
  /** Resolves when nothing is waiting or being sampled. */
  readonly idle: () => Promise<void>;
  /**
   * Forgets all parked caches; to be called when the weights have changed.
   * @throws {TypeError} If requests are in flight.
   */
  readonly clear: () => void;
};
