/** A base model and a PEFT adapter read from their folders into host memory, as the inspections need them. */
import { WeightsError } from "../base/errors.ts";
import { parseDecoderConfig, type DecoderConfig } from "../model/decoder-config.ts";
import { adapterLayout, parseAdapterConfig, type AdapterValues } from "../model/lora.ts";
import { packFlat, parameterSpecs, type ParameterValues } from "../model/parameters.ts";
import { openFolder } from "../platform/node/folder.ts";
import { openCheckpoint, readJsonFile } from "../weights/checkpoint.ts";
import { parseSafetensors } from "../weights/safetensors.ts";
import { findModelFolder } from "./registry.ts";

const ADAPTER_CONFIG = "adapter_config.json";
const ADAPTER_WEIGHTS = "adapter_model.safetensors";

/** A base model in host memory. */
export type BaseModel = {
  readonly name: string;
  readonly config: DecoderConfig;
  readonly values: ParameterValues;
};

/**
 * Reads the model called `name`, or in the folder `name`.
 * @throws {WeightsError} If a file or a tensor is missing or damaged, or the family is not supported.
 */
export async function readBaseModel(name: string): Promise<BaseModel> {
  const checkpoint = await openCheckpoint(await openFolder(findModelFolder(name)));
  const config = parseDecoderConfig(checkpoint.config);
  const values = new Map<string, Float32Array>();
  for (const spec of parameterSpecs(config)) {
    const { shape, data } = await checkpoint.tensor(spec.name);
    if (shape.length !== spec.shape.length || shape.some((dim, i) => dim !== spec.shape[i]))
      throw new WeightsError(
        `${checkpoint.name}: ${spec.name} has shape [${shape.join(", ")}], config.json asks for [${spec.shape.join(", ")}]`,
      );
    values.set(spec.name, data);
  }
  return { name, config, values };
}

/**
 * Reads the PEFT adapter in the folder `path` for a model with `config`.
 * @throws {WeightsError} If a file or a matrix is missing, damaged or of another size.
 */
export async function readAdapter(path: string, config: DecoderConfig): Promise<AdapterValues> {
  const folder = await openFolder(path);
  const lora = parseAdapterConfig(await readJsonFile(folder, ADAPTER_CONFIG));
  const bytes = await folder.read(ADAPTER_WEIGHTS);
  if (bytes === undefined) throw new WeightsError(`${folder.name}: no ${ADAPTER_WEIGHTS}; give a PEFT adapter folder`);
  const file = parseSafetensors(bytes, `${folder.name}/${ADAPTER_WEIGHTS}`);
  const layout = adapterLayout(config, lora);
  const matrices = new Map(layout.entries.map(({ name }) => [name, file.read(name).data]));
  return { lora, layout, flat: packFlat(matrices, layout) };
}
