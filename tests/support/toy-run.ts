/** A small deterministic run over a `RunStore`, which tests kill and resume. */
import { hashJson } from "../../src/base/hash.ts";
import type { JsonObject } from "../../src/base/json.ts";
import { completePhase } from "../../src/store/phase-manifest.ts";
import { checkpointFolder, phaseFolder, type RunStore } from "../../src/store/run-store.ts";

const STEPS_PER_PHASE = 3;

/** Steps `steps` times, each from the blob that the last mark names, and finishes with a summary. */
export async function continueToyRun(run: RunStore, steps: number): Promise<void> {
  if (run.summary()) return;
  let { step, weights } = await restore(run);
  while (step < steps) {
    step += 1;
    weights = hashJson([weights, step]);
    run.emit({ type: "sampled", step, text: `é${weights.slice(0, step)}` });
    run.time({ step, seconds: 0.5 });
    if (step % 2 === 0) await run.flush();
    run.emit({ type: "trained", step, weights });
    await saveStep(run, step, weights);
  }
  run.emit({ type: "done", weights });
  await run.finish({ schema: 1, steps, weights });
}

async function restore(run: RunStore): Promise<{ step: number; weights: string }> {
  const state = run.lastMark();
  if (!state) return { step: 0, weights: "start" };
  const step = state["step"] as number;
  const blob = await run.readBlob(`${state["checkpoint"] as string}/weights.txt`);
  return { step, weights: new TextDecoder().decode(blob) };
}

async function saveStep(run: RunStore, step: number, weights: string): Promise<void> {
  const checkpoint = checkpointFolder(step);
  await run.writeBlob(`${checkpoint}/weights.txt`, new TextEncoder().encode(weights));
  if (step % STEPS_PER_PHASE === 0) {
    const folder = phaseFolder(step / STEPS_PER_PHASE, "weights");
    await run.writeJson(`${folder}/notes.json`, { step } satisfies JsonObject);
    await completePhase(run, folder, { step });
  }
  await run.mark({ step, checkpoint });
  if (step > 1) await run.removeBlob(checkpointFolder(step - 1));
}
