/** Rollout traces made by hand, for tests of what reads them. */
import type { RolloutTrace, TokenSequence } from "../../src/rollout/trace.ts";

/** A judged one-turn trace; `changes` replaces any field. */
export function makeTrace(changes: Partial<RolloutTrace> = {}): RolloutTrace {
  return {
    version: 1,
    task: "task",
    harness: "harness",
    key: "key",
    steps: [],
    outcome: "judged",
    detail: "",
    message: "",
    returned: "",
    reward: 0,
    reason: "",
    sequences: [makeSequence([1, 2, 3], [0, 1, 1])],
    usage: { tokens: 2, turns: 1, toolCalls: 0, fuel: 0 },
    ...changes,
  };
}

/** A sequence with log-probability -1 at each sampled token. */
export function makeSequence(ids: readonly number[], mask: readonly number[]): TokenSequence {
  return { ids, mask, logprobs: mask.map((weight) => -weight) };
}
