/**
 * Adapters in the run folder, as PEFT lays them out, with the optimiser beside them:
 * `checkpoints/step-NNNNNN/{adapter_config.json, adapter_model.safetensors, optimizer.safetensors, state.json}`.
 */
import { StoreError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { checkpointFolder, type RunStore } from "../store/run-store.ts";
import type { Policy } from "./policy.ts";

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
