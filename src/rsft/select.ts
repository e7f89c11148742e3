/**
 * Rejection: which rollouts are learnt from. Every one whose reward is strictly above the threshold, in rollout order:
 * no de-duplication, no cap a prompt, no balancing, no shuffle, no replay (WHALE; all of them would change the method).
 */
import type { RolloutTrace } from "../rollout/trace.ts";

/** The accepted ones of `traces`, in order. */
export function selectAccepted(traces: readonly RolloutTrace[], threshold: number): RolloutTrace[] {
  return traces.filter((trace) => trace.reward > threshold);
}
