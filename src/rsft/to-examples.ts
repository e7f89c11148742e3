/**
 * Accepted rollouts as training examples. The targets are the sampled tokens of every turn, end-of-turn tokens included;
 * prompts, prefills and tool results are context. Ids are those that were sampled: nothing is tokenised again.
 */
import type { RolloutTrace } from "../rollout/trace.ts";
import type { Example } from "../training/example.ts";

/**
 * The examples of one mini-batch of rollouts. A rollout gives one example, or several where its harness rewrote the
 * history; sequences without a sampled token are left out.
 */
export function toExamples(traces: readonly RolloutTrace[]): Example[] {
  return traces
    .flatMap((trace) => trace.sequences)
    .filter((sequence) => sequence.mask.some((weight) => weight > 0))
    .map(({ ids, mask }) => ({ ids, mask }));
}

/** `traces` in consecutive groups of `size`, the last one perhaps smaller. */
export function miniBatches(traces: readonly RolloutTrace[], size: number): RolloutTrace[][] {
  const batches: RolloutTrace[][] = [];
  for (let start = 0; start < traces.length; start += size) batches.push(traces.slice(start, start + size));
  return batches;
}
