/**
 * Turns as token sequences for training. A turn whose prompt goes on where an earlier sequence ended is merged into it, so
 * that an ordinary conversation is one sequence; a harness that rewrote the history starts a new one, in which earlier
 * replies are context. So every sampled id is a target exactly once.
 */
import type { TokenSequence } from "./trace.ts";

/** One model call: the whole context and what was sampled after it. */
export type SampledTurn = {
  readonly prompt: readonly number[];
  readonly ids: readonly number[];
  readonly logprobs: readonly number[];
};

/** The sequences of `turns`, which stand in call order; turns that sampled nothing are left out. */
export function mergeTurns(turns: readonly SampledTurn[]): TokenSequence[] {
  const sequences: TokenSequence[] = [];
  for (const turn of turns) {
    if (turn.ids.length === 0) continue;
    const at = longestPrefix(sequences, turn.prompt);
    const merged = extend(sequences[at], turn);
    if (at < 0) sequences.push(merged);
    else sequences[at] = merged;
  }
  return sequences;
}

/** Index of the longest sequence that `prompt` starts with, -1 where there is none. */
function longestPrefix(sequences: readonly TokenSequence[], prompt: readonly number[]): number {
  let best = -1;
  for (const [index, { ids }] of sequences.entries()) {
    const isPrefix = ids.length <= prompt.length && ids.every((id, t) => id === prompt[t]);
    if (isPrefix && ids.length > (sequences[best]?.ids.length ?? 0)) best = index;
  }
  return best;
}

function extend(earlier: TokenSequence | undefined, { prompt, ids, logprobs }: SampledTurn): TokenSequence {
  const known = earlier?.ids.length ?? 0;
  const context = new Array<number>(prompt.length - known).fill(0);
  return {
    ids: [...prompt, ...ids],
    mask: [...(earlier?.mask ?? []), ...context, ...ids.map(() => 1)],
    logprobs: [...(earlier?.logprobs ?? []), ...context, ...logprobs],
  };
}
