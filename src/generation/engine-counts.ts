/** What replicas count as they go, and how it is shown. */

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

/** What a replica counts as it goes: slots are what runs had room for, padding included. */
export type EngineCounts = Record<
  | Exclude<keyof EngineStats, "paddedShare" | "cachePaddedShare">
  | "prefillSlots"
  | "prefillTokens"
  | "cacheSlots"
  | "cacheTokens",
  number
>;

/** Counts of a replica that has done nothing. */
export function newCounts(): EngineCounts {
  const samples = { tokensSampled: 0, prefillComputed: 0, prefillReused: 0, prefillRuns: 0, decodeRuns: 0 };
  return { ...samples, prefillSlots: 0, prefillTokens: 0, cacheSlots: 0, cacheTokens: 0 };
}

/** The sums over `parts` as they are shown. */
export function summarizeCounts(parts: readonly EngineCounts[]): EngineStats {
  const counts = newCounts();
  for (const part of parts)
    for (const name of Object.keys(counts) as (keyof EngineCounts)[]) counts[name] += part[name];
  const { prefillSlots, prefillTokens, cacheSlots, cacheTokens, ...rest } = counts;
  return {
    ...rest,
    paddedShare: prefillSlots === 0 ? 0 : 1 - prefillTokens / prefillSlots,
    cachePaddedShare: cacheSlots === 0 ? 0 : 1 - cacheTokens / cacheSlots,
  };
}
