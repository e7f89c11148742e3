/** What the batched engine takes, gives and counts. */
import type { Completer, SamplingConfig } from "./completer.ts";
import type { DecodeModel } from "./decode-model.ts";
import type { Settle } from "./settle.ts";

/** What an engine is made of. */
export type EngineOptions = {
  readonly model: DecodeModel;
  /** Text of ids, special tokens left out: `ChatCodec.decode`. */
  readonly decode: (ids: readonly number[]) => string;
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
  /** Lets promises settle. @default a macrotask of the host */
  readonly settle?: Settle;
};

/** What an engine has done since it was made. */
export type EngineStats = {
  readonly tokensSampled: number;
  /** Prompt tokens that went through the model. */
  readonly prefillComputed: number;
  /** Prompt tokens whose cache was copied instead. */
  readonly prefillReused: number;
  readonly prefillRuns: number;
  readonly decodeRuns: number;
  /** Share of the prefill runs' tokens that were padding, in [0, 1]. */
  readonly paddedShare: number;
  /** Share of the decode runs' cache positions that held nothing, in [0, 1]. */
  readonly cachePaddedShare: number;
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

/** What an engine counts as it goes: slots are what runs had room for, padding included. */
export type EngineCounts = Record<
  | Exclude<keyof EngineStats, "paddedShare" | "cachePaddedShare">
  | "prefillSlots"
  | "prefillTokens"
  | "cacheSlots"
  | "cacheTokens",
  number
>;

/** Counts of an engine that has done nothing. */
export function newCounts(): EngineCounts {
  const samples = { tokensSampled: 0, prefillComputed: 0, prefillReused: 0, prefillRuns: 0, decodeRuns: 0 };
  return { ...samples, prefillSlots: 0, prefillTokens: 0, cacheSlots: 0, cacheTokens: 0 };
}

/** The counts as they are shown. */
export function summarizeCounts(counts: EngineCounts): EngineStats {
  const { prefillSlots, prefillTokens, cacheSlots, cacheTokens, ...rest } = counts;
  return {
    ...rest,
    paddedShare: prefillSlots === 0 ? 0 : 1 - prefillTokens / prefillSlots,
    cachePaddedShare: cacheSlots === 0 ? 0 : 1 - cacheTokens / cacheSlots,
  };
}
