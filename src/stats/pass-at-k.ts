/** The unbiased estimate of pass@k (Chen et al. 2021, arXiv:2107.03374, equation 1). */

/** Outcome of one task. */
export type SampleCounts = {
  /** Samples drawn. */
  readonly samples: number;
  /** How many of them were correct. */
  readonly correct: number;
};

/**
 * The chance that at least one of `k` samples, drawn without replacement from those of the task, is correct.
 * @throws {RangeError} If `k` lies outside [1, samples] or `correct` outside [0, samples].
 */
export function passAtK({ samples, correct }: SampleCounts, k: number): number {
  if (!(Number.isSafeInteger(samples) && Number.isSafeInteger(correct) && correct >= 0 && correct <= samples))
    throw new RangeError(`passAtK: correct must be in [0, ${String(samples)}], got ${String(correct)}`);
  if (!(Number.isSafeInteger(k) && k >= 1 && k <= samples))
    throw new RangeError(`passAtK: k must be in [1, ${String(samples)}], got ${String(k)}`);
  // C(n - c, k) / C(n, k) as a product of k factors, since the binomials themselves overflow.
  let allWrong = 1;
  for (let i = 0; i < k; i += 1) allWrong *= Math.max(0, samples - correct - i) / (samples - i);
  return 1 - allWrong;
}
