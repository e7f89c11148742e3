/** Models, adapters and devices as the inspections need them: weights in host memory and a runtime. */
import type { DecoderConfig } from "../model/decoder-config.ts";
import { loadAdapter, loadDecoder, type Decoder } from "../model/load.ts";
import type { AdapterValues } from "../model/lora.ts";
import { openFolder } from "../platform/node/folder.ts";
import { openRuntime } from "../platform/node/ort-node.ts";
import { DEVICES, type DeviceName, type Runtime } from "../runtime/session.ts";
import { openCheckpoint } from "../weights/checkpoint.ts";
import type { Arguments } from "./args.ts";
import { findModelFolder } from "./registry.ts";

/** A base model in host memory, under the name that the user gave. */
export type NamedDecoder = Decoder & { readonly name: string };

/**
 * Reads the model called `name`, or in the folder `name`.
 * @throws {UsageError} If there is no such model.
 * @throws {WeightsError} If a file or a tensor is missing or damaged, or the family is not supported.
 */
export async function readDecoder(name: string): Promise<NamedDecoder> {
  const checkpoint = await openCheckpoint(await openFolder(findModelFolder(name)));
  return { name, ...(await loadDecoder(checkpoint)) };
}

/**
 * Reads the PEFT adapter in the folder `path` for a model with `config`.
 * @throws {WeightsError} If a file or a matrix is missing, damaged or of another size.
 */
export async function readAdapter(path: string, config: DecoderConfig): Promise<AdapterValues> {
  return loadAdapter(config, await openFolder(path));
}

/** The device that `--device` names; `auto` where it is absent. */
export function parseDevice(name: string | undefined): DeviceName | "auto" {
  return DEVICES.find((device) => device === name) ?? "auto";
}

/**
 * Opens the device that `--device` names.
 * @throws {DeviceError} If it is not there.
 */
export function openDevice(args: Arguments): Promise<Runtime> {
  return openRuntime(parseDevice(args.text("device")));
}
