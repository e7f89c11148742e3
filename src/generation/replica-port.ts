/**
 * The port between the engine, which holds the promises, and the replicas, which hold a copy of the model each and decode
 * their own part of the rows (data parallelism). All that crosses it is plain data, so a replica may live in a worker.
 */
import type { Completion, SamplingConfig } from "./completer.ts";
import type { DecodeModel } from "./decode-model.ts";
import type { EngineCounts } from "./engine-counts.ts";
import type { NumberedRequest } from "./row.ts";

/** Most rows in one run, where nothing else is said. */
export const DEFAULT_ROWS = 64;

/** How a replica samples and what it may hold. */
export type ReplicaSettings = {
  /** Ids that end a turn. */
  readonly endIds: readonly number[];
  readonly sampling: SamplingConfig;
  /** Keys before each request's own ones. @default [] */
  readonly seedKeys?: readonly (string | number)[];
  /** Most rows in one run. @default 64 */
  readonly maxRows?: number;
  /** Most tokens in one prefill run, padding included. @default 2048 */
  readonly prefillTokens?: number;
  /** Bytes for the caches of rows being sampled; one row is always admitted. @default 2 GiB */
  readonly activeBytes?: number;
  /** Bytes for the caches of conversations between turns. @default 256 MiB */
  readonly parkedBytes?: number;
};

/** What a replica is made of. */
export type ReplicaOptions = ReplicaSettings & {
  readonly model: DecodeModel;
  /** Text of ids, special tokens left out: `ChatCodec.decode`. */
  readonly decode: (ids: readonly number[]) => string;
};

/** Something that a replica is to do before its next step. */
export type ReplicaCommand =
  | { readonly kind: "complete"; readonly request: NumberedRequest }
  /** The conversation has ended: its cache can go. */
  | { readonly kind: "release"; readonly conversation: string }
  /** The weights have changed: all parked caches must go. */
  | { readonly kind: "clear" };

/** One step's orders. */
export type ReplicaWork = {
  /** In the order in which they were given. */
  readonly commands: readonly ReplicaCommand[];
  /** Whether waiting rows may join those that are being sampled. */
  readonly admit: boolean;
};

/** What came of a step. */
export type ReplicaReport = {
  /** Ascending by sequence. */
  readonly completions: readonly { readonly sequence: number; readonly completion: Completion }[];
  /** Rows still being sampled. */
  readonly sampling: number;
  /** Since the replica was made. */
  readonly counts: EngineCounts;
};

/** A copy of the model with the rows that it decodes. Ticks must not overlap. */
export type Replica = {
  readonly maxRows: number;
  /** Obeys `work.commands`, lets rows join, and takes one step or burst for all rows. */
  readonly tick: (work: ReplicaWork) => Promise<ReplicaReport>;
  /** Forgets all rows; parked caches stay. */
  readonly drop: () => void;
};
