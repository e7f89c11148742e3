/**
 * Which prompts a step trains on. One seeded stream for the whole run: it goes on across phases and epochs, each epoch in
 * its own order, and what does not fill a last batch is dropped. It follows from the step number alone, so there is
 * nothing to save.
 */
import { createRng } from "../base/rng.ts";
import type { Task } from "../rollout/domain.ts";

/** The prompts of `step` (counted from 1 over the run): `size` of them, or all where the split has fewer. */
export function promptBatch(
  tasks: readonly Task[],
  step: number,
  options: { readonly seed: number; readonly size: number },
): Task[] {
  const size = Math.min(options.size, tasks.length);
  const batchesPerEpoch = Math.floor(tasks.length / size);
  const batch = step - 1;
  const epoch = Math.floor(batch / batchesPerEpoch);
  const start = (batch % batchesPerEpoch) * size;
  return createRng(options.seed, "prompts", epoch)
    .shuffle(tasks)
    .slice(start, start + size);
}
