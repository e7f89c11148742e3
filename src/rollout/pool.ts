/**
 * Many rollouts at once: their isolates are suspended while the completer batches their calls.
 *
 * Rollouts start in order, and each draws from streams of its own, so results do not depend on which of them ends first.
 */
import { runRollout, type RolloutRequest } from "./episode.ts";
import type { RolloutTrace } from "./trace.ts";

/** Options of `runRollouts`. */
export type PoolOptions = {
  /** Rollouts under way at a time. @default 256 */
  readonly concurrency?: number;
  /** Called as each rollout ends, in the order of their ends. @default nothing */
  readonly onTrace?: (trace: RolloutTrace, index: number) => void;
};

/**
 * Runs `requests` and gives their traces in the same order. After a failure no further rollout is started, those under way
 * are awaited, and the first failure is thrown.
 * @throws {RangeError} If concurrency is below 1.
 */
export async function runRollouts(
  requests: readonly RolloutRequest[],
  options: PoolOptions = {},
): Promise<RolloutTrace[]> {
  const { concurrency = 256, onTrace } = options;
  if (!(concurrency >= 1))
    throw new RangeError(`runRollouts: concurrency must be 1 or more, got ${String(concurrency)}`);
  const traces = new Array<RolloutTrace>(requests.length);
  const failures: unknown[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < requests.length && failures.length === 0) {
      const index = next;
      next += 1;
      try {
        const trace = await runRollout(requests[index] as RolloutRequest);
        traces[index] = trace;
        onTrace?.(trace, index);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, requests.length) }, work));
  if (failures.length > 0) throw failures[0];
  return traces;
}
