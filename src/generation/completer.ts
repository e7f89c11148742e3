/**
 * The port through which everything that needs a policy asks for tokens. Token ids in, token ids out: text is the
 * business of `text/chat.ts`, so nothing that was sampled is ever tokenised again.
 */

/** How tokens are drawn; a property of the experiment, never of a harness. */
export type SamplingConfig = {
  /** Divides the logits; 0 takes the largest one. */
  readonly temperature: number;
  /** Candidates kept by rank, ties at the last rank included; 0 keeps all. */
  readonly topK: number;
  /** Probability mass kept after topK, in (0, 1]. */
  readonly topP: number;
};

/** The paper's sampler: temperature 1, top-k 20, top-p 1 (WHALE, training and evaluation alike). */
export const PAPER_SAMPLING: SamplingConfig = { temperature: 1, topK: 20, topP: 1 };

/** One call for tokens. */
export type CompletionRequest = {
  /** The whole context, [T] token ids. */
  readonly prompt: readonly number[];
  /** Most tokens to sample, 1 or more. */
  readonly maxTokens: number;
  /** Texts that end the completion when they appear in it; they stay part of it. */
  readonly stop: readonly string[];
  /** Keys of this call's own random stream. */
  readonly stream: readonly (string | number)[];
  /** Calls with the same key are turns of one conversation: what an earlier turn left in the cache is used again. */
  readonly conversation: string;
};

/** Why sampling ended: end-of-turn token, stop text, token limit of the call, or context window full. */
export const FINISH_REASONS = ["end", "stop", "length", "context"] as const;
/** One of `FINISH_REASONS`. */
export type FinishReason = (typeof FINISH_REASONS)[number];

/** What was sampled. */
export type Completion = {
  /** Sampled ids, [N]; includes the end-of-turn token where that ended it. */
  readonly ids: readonly number[];
  /** ln p of each sampled id under the full-vocabulary softmax at the sampling temperature, [N]. */
  readonly logprobs: readonly number[];
  /** The ids as text, without the end-of-turn token. */
  readonly text: string;
  readonly finish: FinishReason;
};

/** Something that samples: the batched engine, a null model, or a remote server. */
export type Completer = {
  readonly complete: (request: CompletionRequest) => Promise<Completion>;
  /** Says that `conversation` has ended, so that its cache can go. */
  readonly release: (conversation: string) => void;
};

/**
 * Checks `request` for a model of `vocabulary` tokens.
 * @throws {RangeError} If the prompt is empty, an id lies outside the vocabulary, or no token may be sampled.
 */
export function checkRequest(request: CompletionRequest, vocabulary: number): void {
  const { prompt, maxTokens } = request;
  if (prompt.length === 0) throw new RangeError("engine: the prompt must have 1 token or more, got 0");
  if (!Number.isInteger(maxTokens) || maxTokens < 1)
    throw new RangeError(`engine: maxTokens must be a whole number, 1 or more, got ${String(maxTokens)}`);
  for (const id of prompt)
    if (!Number.isInteger(id) || id < 0 || id >= vocabulary)
      throw new RangeError(`engine: prompt ids must lie in [0, ${String(vocabulary)}), got ${String(id)}`);
}
