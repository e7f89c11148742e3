/**
 * Adapters in the run folder, as PEFT lays them out, with the optimiser beside them:
 * `checkpoints/step-NNNNNN/{adapter_config.json, adapter_model.safetensors, optimizer.safetensors, state.json}`.
 */
import { StoreError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import type { RolloutTrace } from "../rollout/trace.ts";
import { slimTrace } from "../search/archive.ts";
import { checkpointFolder, type RunStore } from "../store/run-store.ts";
import type { Policy } from "./policy.ts";

/** Accepted rollouts kept with a checkpoint. */
const KEPT_EXAMPLES = 16;

/** Writes the policy's adapter as the checkpoint of `step`; `about` is put into its `state.json`, which comes last. */
export async function saveCheckpoint(
  store: RunStore,
  policy: Policy,
  about: JsonObject & { readonly step: number },
): Promise<void> {
  const folder = checkpointFolder(about.step);
  const { adapter, adapterConfig, optimizer } = await policy.saveAdapter();
  await store.writeJson(`${folder}/adapter_config.json`, adapterConfig);
  await store.writeBlob(`${folder}/adapter_model.safetensors`, adapter);
  await store.writeBlob(`${folder}/optimizer.safetensors`, optimizer);
  await store.writeJson(`${folder}/state.json`, about);
}

/** Keeps the first accepted rollouts of a step beside its checkpoint, one a task, as examples for proposers. */
export async function saveAccepted(store: RunStore, step: number, accepted: readonly RolloutTrace[]): Promise<void> {
  const first = new Map<string, RolloutTrace>();
  for (const trace of accepted) if (!first.has(trace.task)) first.set(trace.task, trace);
  const kept = [...first.values()].slice(0, KEPT_EXAMPLES);
  await store.writeJson(acceptedPath(step), { schema: 1, traces: kept.map(slimTrace) });
}

/** The rollouts that `saveAccepted` kept; none where nothing has been trained. */
export async function loadAccepted(store: RunStore, step: number): Promise<readonly RolloutTrace[]> {
  const saved = await store.readJson(acceptedPath(step));
  return saved === undefined ? [] : ((saved["traces"] ?? []) as readonly RolloutTrace[]);
}

function acceptedPath(step: number): string {
  return `${checkpointFolder(step)}/accepted.json`;
}

/**
 * Puts the checkpoint of `step` into the policy.
 * @throws {StoreError} If a file is missing.
 */
export async function loadCheckpoint(store: RunStore, policy: Policy, step: number): Promise<void> {
  const folder = checkpointFolder(step);
  const [adapter, adapterConfig, optimizer] = await Promise.all([
    store.readBlob(`${folder}/adapter_model.safetensors`),
    store.readJson(`${folder}/adapter_config.json`),
    store.readBlob(`${folder}/optimizer.safetensors`),
  ]);
  if (!adapter || !adapterConfig || !optimizer) throw new StoreError(`${folder}: the checkpoint is not complete`);
  await policy.loadAdapter({ adapter, adapterConfig, optimizer });
}
