/** Decoders and adapters from and to files: Hugging Face folders and PEFT folders. */
import { WeightsError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { readJsonFile, type Checkpoint } from "../weights/checkpoint.ts";
import type { FolderReader } from "../weights/folder.ts";
import { formatSafetensors, parseSafetensors } from "../weights/safetensors.ts";
import { parseDecoderConfig, type DecoderConfig } from "./decoder-config.ts";
import { adapterLayout, formatAdapterConfig, parseAdapterConfig, type AdapterValues } from "./lora.ts";
import { flatViews, packFlat, parameterSpecs, type ParameterValues } from "./parameters.ts";

/** A decoder with its weights in host memory. */
export type Decoder = { readonly config: DecoderConfig; readonly values: ParameterValues };

/** What stands before the names of the decoder's tensors in checkpoints that also see pictures, and what it stands for. */
const TEXT_PREFIX = ["model.language_model.", "model."] as const;

/**
 * Reads the decoder in `checkpoint`; tensors that are not its own, such as those of a vision tower, are left alone.
 * @throws {WeightsError} Naming the tensor that is missing or has the wrong shape, or the field that is not supported.
 */
export async function loadDecoder(checkpoint: Checkpoint): Promise<Decoder> {
  const config = parseDecoderConfig(checkpoint.config);
  const values = new Map<string, Float32Array>();
  const [long, short] = TEXT_PREFIX;
  const isPrefixed = checkpoint.names.some((name) => name.startsWith(long));
  for (const { name, shape } of parameterSpecs(config)) {
    const tensor = await checkpoint.tensor(isPrefixed ? name.replace(short, long) : name);
    expectShape(`${checkpoint.name}: ${name}`, tensor.shape, shape);
    values.set(name, tensor.data);
  }
  return { config, values };
}

const ADAPTER_CONFIG = "adapter_config.json";
const ADAPTER_WEIGHTS = "adapter_model.safetensors";

/**
 * Reads a PEFT folder for a decoder of `config`.
 * @throws {WeightsError} Naming the file, field or matrix that does not fit.
 */
export async function loadAdapter(config: DecoderConfig, folder: FolderReader): Promise<AdapterValues> {
  const lora = parseAdapterConfig(await readJsonFile(folder, ADAPTER_CONFIG));
  const bytes = await folder.read(ADAPTER_WEIGHTS);
  if (!bytes) throw new WeightsError(`${folder.name}: no ${ADAPTER_WEIGHTS}; give the folder that holds it`);
  const file = parseSafetensors(bytes, `${folder.name}/${ADAPTER_WEIGHTS}`);
  const layout = adapterLayout(config, lora);
  const values = new Map<string, Float32Array>();
  for (const { name, shape } of layout.entries) {
    const tensor = file.read(name);
    expectShape(`${folder.name}: ${name}`, tensor.shape, shape);
    values.set(name, tensor.data);
  }
  return { lora, layout, flat: packFlat(values, layout) };
}

/** The two files of a PEFT folder by name; `base` is what the folder says it adapts. */
export function formatAdapter(
  { lora, layout, flat }: AdapterValues,
  base: string,
): { readonly config: JsonObject; readonly weights: Uint8Array } {
  const views = flatViews(flat, layout);
  const tensors = layout.entries.map(
    ({ name, shape }) => [name, { shape, data: views.get(name) ?? new Float32Array() }] as const,
  );
  return {
    config: formatAdapterConfig(lora, base),
    weights: formatSafetensors(Object.fromEntries(tensors), { metadata: { format: "pt" } }),
  };
}

function expectShape(subject: string, actual: readonly number[], expected: readonly number[]): void {
  if (actual.join() !== expected.join())
    throw new WeightsError(`${subject}: expected shape [${expected.join(", ")}], got [${actual.join(", ")}]`);
}
