import { describe, expect, it } from "vitest";
import { createRng } from "../../src/base/rng.ts";
import { parseDecoderConfig } from "../../src/model/decoder-config.ts";
import { formatAdapter, loadAdapter, loadDecoder } from "../../src/model/load.ts";
import { adapterLayout, initAdapter, mergeAdapter } from "../../src/model/lora.ts";
import { parameterSpecs } from "../../src/model/parameters.ts";
import { openCheckpoint } from "../../src/weights/checkpoint.ts";
import type { FolderReader } from "../../src/weights/folder.ts";
import { formatSafetensors } from "../../src/weights/safetensors.ts";

const CONFIG = {
  model_type: "qwen3",
  vocab_size: 16,
  hidden_size: 8,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  num_key_value_heads: 1,
  head_dim: 4,
  intermediate_size: 12,
  tie_word_embeddings: true,
};
const HYBRID = {
  ...CONFIG,
  model_type: "qwen3_5_text",
  num_hidden_layers: 4,
  head_dim: 8,
  linear_num_key_heads: 1,
  linear_num_value_heads: 2,
  linear_key_head_dim: 4,
  linear_value_head_dim: 2,
  linear_conv_kernel_dim: 4,
};
const LORA = { rank: 2, alpha: 4, targets: ["q_proj", "down_proj"] } as const;

function folder(files: Readonly<Record<string, Uint8Array | object>>): FolderReader {
  return {
    name: "model",
    read: (path) => {
      const file = files[path];
      if (file === undefined || file instanceof Uint8Array) return Promise.resolve(file);
      return Promise.resolve(new TextEncoder().encode(JSON.stringify(file)));
    },
  };
}

function weights(change: (name: string, shape: readonly number[]) => readonly number[] | undefined): Uint8Array {
  const rng = createRng("weights");
  const entries = parameterSpecs(parseDecoderConfig(CONFIG)).flatMap(({ name, shape }) => {
    const given = change(name, shape);
    const size = given?.reduce((product, dim) => product * dim, 1) ?? 0;
    return given
      ? [[name, { shape: given, data: Float32Array.from({ length: size }, () => rng.normal()) }] as const]
      : [];
  });
  return formatSafetensors(Object.fromEntries(entries));
}

const open = async (files: Readonly<Record<string, Uint8Array | object>>) =>
  loadDecoder(await openCheckpoint(folder(files)));

describe("loadDecoder", () => {
  it("reads every parameter of a folder", async () => {
    const { values } = await open({ "config.json": CONFIG, "model.safetensors": weights((_, shape) => shape) });
    expect([...values.keys()]).toEqual(parameterSpecs(parseDecoderConfig(CONFIG)).map(({ name }) => name));
  });

  it("names a tensor that is missing", async () => {
    const file = weights((name, shape) => (name.includes("up_proj") ? undefined : shape));
    await expect(open({ "config.json": CONFIG, "model.safetensors": file })).rejects.toThrow("mlp.up_proj.weight");
  });

  it("names a tensor of another shape, with both shapes", async () => {
    const file = weights((name, shape) => (name.includes("up_proj") ? [12, 9] : shape));
    const opening = open({ "config.json": CONFIG, "model.safetensors": file });
    await expect(opening).rejects.toThrow("mlp.up_proj.weight: expected shape [12, 8], got [12, 9]");
  });

  it("reads the decoder of a checkpoint that also sees pictures", async () => {
    const config = { model_type: "qwen3_5", tie_word_embeddings: true, text_config: HYBRID, vision_config: {} };
    const specs = parameterSpecs(parseDecoderConfig(HYBRID));
    const entries = specs.map(({ name, shape }, i) => {
      const size = shape.reduce((product, dim) => product * dim, 1);
      return [
        name.replace("model.", "model.language_model."),
        { shape, data: new Float32Array(size).fill(i) },
      ] as const;
    });
    const others = { "model.visual.blocks.0.weight": { shape: [2], data: Float32Array.of(1, 2) } };
    const file = formatSafetensors({ ...Object.fromEntries(entries), ...others });
    const { config: read, values } = await open({ "config.json": config, "model.safetensors": file });
    expect(read).toEqual(parseDecoderConfig({ ...HYBRID, tie_word_embeddings: true }));
    expect([...values.keys()]).toEqual(specs.map(({ name }) => name));
    expect([...values.values()].map(([first]) => first)).toEqual(specs.map((_, i) => i));
  });

  it("reads what differs in a hybrid", () => {
    expect(parseDecoderConfig(HYBRID)).toMatchObject({
      family: "qwen3_5",
      layerKinds: ["delta", "delta", "delta", "attention"],
      delta: { keyHeads: 1, valueHeads: 2, keySize: 4, valueSize: 2, taps: 4 },
      rotarySize: 2,
      outputGate: true,
      normOffset: 1,
      qkNorm: true,
    });
    expect(
      parseDecoderConfig({ ...HYBRID, layer_types: ["full_attention", "linear_attention"], num_hidden_layers: 2 }),
    ).toMatchObject({ layerKinds: ["attention", "delta"] });
  });

  it.each([
    [{ layer_types: ["linear_attention"] }, "layer_types must have 4 entries"],
    [{ layer_types: Array(4).fill("sliding_attention") }, 'layer_types "sliding_attention" is not supported'],
    [{ linear_num_value_heads: 3, linear_num_key_heads: 2 }, "linear_num_value_heads 3 is no multiple"],
    [{ linear_conv_kernel_dim: 0 }, "linear_conv_kernel_dim must be a positive number"],
    [{ rope_parameters: { rope_type: "yarn" } }, "rope_parameters"],
    [{ partial_rotary_factor: 0.3 }, "partial_rotary_factor 0.3 of head_dim 8 is no even size"],
  ])("refuses a hybrid with %o", (change, message) => {
    expect(() => parseDecoderConfig({ ...HYBRID, ...change })).toThrow(message);
  });

  it.each([
    [{ layer_types: ["linear_attention"] }, 'layer_types "linear_attention" is not supported'],
    [{ model_type: "llama" }, 'model_type "llama" is not supported'],
    [{ rope_scaling: { type: "yarn", factor: 4 } }, "rope_scaling"],
    [{ use_sliding_window: true }, "use_sliding_window"],
    [{ hidden_act: "gelu" }, "hidden_act"],
    [{ hidden_size: "8" }, "hidden_size must be a positive number"],
    [{ num_key_value_heads: 3 }, "no multiple"],
  ])("refuses a config with %o", (change, message) => {
    expect(() => parseDecoderConfig({ ...CONFIG, ...change })).toThrow(message);
  });
});

describe("adapters", () => {
  const config = parseDecoderConfig(CONFIG);
  const layout = adapterLayout(config, LORA);
  const flat = initAdapter(layout, createRng("adapter"));

  it("are written and read back bit for bit", async () => {
    const rng = createRng("values");
    const values = { lora: LORA, layout, flat: flat.map(() => Math.fround(rng.normal())) };
    const files = formatAdapter(values, "tiny");
    const reader = folder({ "adapter_config.json": files.config, "adapter_model.safetensors": files.weights });
    expect(await loadAdapter(config, reader)).toEqual(values);
  });

  it("change nothing when fresh, and unmerge to what was there", async () => {
    const { values } = await open({ "config.json": CONFIG, "model.safetensors": weights((_, shape) => shape) });
    const merged = new Map([...values].map(([name, data]) => [name, data.slice()]));
    mergeAdapter(merged, { lora: LORA, layout, flat });
    expect(merged).toEqual(values);
    const dense = { lora: LORA, layout, flat: flat.map((value, i) => value + 0.01 * (i % 7)) };
    mergeAdapter(merged, dense);
    expect(merged).not.toEqual(values);
    mergeAdapter(merged, dense, -1);
    for (const [name, data] of values)
      expect([...merged.get(name)!].map((v, i) => Math.abs(v - data[i]!) < 1e-6)).not.toContain(false);
  });

  it("of an unsupported kind are refused by field", async () => {
    const reader = (change: object) =>
      folder({
        "adapter_config.json": { peft_type: "LORA", r: 2, lora_alpha: 4, target_modules: ["q_proj"], ...change },
      });
    await expect(loadAdapter(config, reader({ use_dora: true }))).rejects.toThrow("use_dora");
    await expect(loadAdapter(config, reader({ peft_type: "IA3" }))).rejects.toThrow("peft_type");
    await expect(loadAdapter(config, reader({ target_modules: ["c_attn"] }))).rejects.toThrow("target_modules");
    await expect(loadAdapter(config, reader({}))).rejects.toThrow("no adapter_model.safetensors");
  });
});
