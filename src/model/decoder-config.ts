/**
 * The decoder's sizes, read from the `config.json` of a Hugging Face folder.
 *
 * A family says what differs: `qwen2` has biases on q, k and v; `qwen3` normalises queries and keys per head; `qwen3_5`
 * does so too, gates what attention gives, rotates a part of each head, and has a gated delta rule (`delta-net.ts`) in place
 * of attention in most layers. Fields that would change the computation in a way that is not built (scaled rotary
 * embedding, sliding windows) are refused by name.
 */
import { WeightsError } from "../base/errors.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";

/** Model families, as `model_type` names them. */
export const FAMILIES = ["qwen2", "qwen3", "qwen3_5"] as const;
/** One of `FAMILIES`. */
export type Family = (typeof FAMILIES)[number];

/** What mixes the tokens of a layer: attention, or the gated delta rule. */
export type LayerKind = "attention" | "delta";

/** Sizes of the layers with a gated delta rule. */
export type DeltaConfig = {
  /** Heads of queries and keys. */
  readonly keyHeads: number;
  /** Heads of values, a multiple of `keyHeads`. */
  readonly valueHeads: number;
  /** Size of a head of queries and keys. */
  readonly keySize: number;
  /** Size of a head of values. */
  readonly valueSize: number;
  /** Tokens that the convolution sees, its own the last. */
  readonly taps: number;
};

/** What the graph builder needs to know. */
export type DecoderConfig = {
  readonly family: Family;
  /** V. */
  readonly vocabulary: number;
  /** D. */
  readonly width: number;
  /** L. */
  readonly layers: number;
  /** One a layer. */
  readonly layerKinds: readonly LayerKind[];
  /** There where a layer is of kind "delta". */
  readonly delta?: DeltaConfig;
  /** H. */
  readonly heads: number;
  /** K. */
  readonly kvHeads: number;
  /** E. */
  readonly headSize: number;
  /** F. */
  readonly mlpWidth: number;
  readonly ropeTheta: number;
  /** Values of each head that are rotated, the first ones. */
  readonly rotarySize: number;
  readonly normEps: number;
  /** Whether the head shares the embedding. */
  readonly tiedHead: boolean;
  /** Whether q, k and v have biases. */
  readonly attentionBias: boolean;
  /** Whether queries and keys are normalised per head. */
  readonly qkNorm: boolean;
  /** Whether each head's output is multiplied by a gate that comes with its query. */
  readonly outputGate: boolean;
  /** What is added to the weights of all norms but that of the delta rule: some are stored around 0. */
  readonly normOffset: 0 | 1;
  /** Most positions. */
  readonly contextLength: number;
};

/**
 * Reads `config` (the object in `config.json`).
 * @throws {WeightsError} Naming the field that is missing, has the wrong type, or is not supported.
 */
export function parseDecoderConfig(file: JsonObject): DecoderConfig {
  // Models that also see pictures keep the settings of their decoder apart.
  const text = file["text_config"];
  const config = isJsonObject(text) ? { tie_word_embeddings: file["tie_word_embeddings"] ?? null, ...text } : file;
  const type = config["model_type"];
  const family = FAMILIES.find((name) => type === name || type === `${name}_text`);
  if (!family)
    throw new WeightsError(
      `config.json: model_type ${JSON.stringify(type)} is not supported; expected ${FAMILIES.join(" or ")}`,
    );
  refuseUnsupported(config);
  const isHybrid = family === "qwen3_5";
  const layers = integer(config, "num_hidden_layers");
  const layerKinds = parseLayerKinds(config, { layers, isHybrid });
  const heads = integer(config, "num_attention_heads");
  const width = integer(config, "hidden_size");
  const kvHeads = integer(config, "num_key_value_heads", heads);
  const headSize = integer(config, "head_dim", width / heads);
  if (heads % kvHeads !== 0)
    throw new WeightsError(
      `config.json: num_attention_heads ${String(heads)} is no multiple of num_key_value_heads ${String(kvHeads)}`,
    );
  return {
    family,
    vocabulary: integer(config, "vocab_size"),
    width,
    layers,
    layerKinds,
    ...(layerKinds.includes("delta") ? { delta: parseDelta(config) } : {}),
    heads,
    kvHeads,
    headSize,
    mlpWidth: integer(config, "intermediate_size"),
    ropeTheta: number(config, "rope_theta", ropeParameter(config, "rope_theta") ?? 10_000),
    rotarySize: isHybrid ? rotarySize(config, headSize) : headSize,
    normEps: number(config, "rms_norm_eps", 1e-6),
    tiedHead: config["tie_word_embeddings"] === true,
    attentionBias: family === "qwen2" || config["attention_bias"] === true,
    qkNorm: family !== "qwen2",
    outputGate: isHybrid && config["attn_output_gate"] !== false,
    normOffset: isHybrid ? 1 : 0,
    contextLength: integer(config, "max_position_embeddings", 32_768),
  };
}

function refuseUnsupported(config: JsonObject): void {
  const isScaled = (field: string): boolean => {
    const rope = config[field];
    return isJsonObject(rope) && (rope["rope_type"] ?? rope["type"] ?? "default") !== "default";
  };
  const unsupported: readonly (readonly [string, boolean])[] = [
    ["rope_scaling", isScaled("rope_scaling")],
    ["rope_parameters", isScaled("rope_parameters")],
    ["use_sliding_window", config["use_sliding_window"] === true],
    ["hidden_act", (config["hidden_act"] ?? "silu") !== "silu"],
    ["quantization_config", isJsonObject(config["quantization_config"])],
  ];
  for (const [field, isUnsupported] of unsupported)
    if (isUnsupported)
      throw new WeightsError(`config.json: ${field} ${JSON.stringify(config[field])} is not supported`);
}

/** What hybrids rotate of each head where their config does not say. */
const PARTIAL_ROTARY_FACTOR = 0.25;
const LAYER_TYPES: Readonly<Record<string, LayerKind>> = { full_attention: "attention", linear_attention: "delta" };
/** In a hybrid without a list of its layers, each layer whose number is a multiple of this one has attention. */
const ATTENTION_INTERVAL = 4;

function parseLayerKinds(
  config: JsonObject,
  { layers, isHybrid }: { readonly layers: number; readonly isHybrid: boolean },
): LayerKind[] {
  const listed = config["layer_types"];
  if (!isJsonArray(listed)) {
    const interval = isHybrid ? integer(config, "full_attention_interval", ATTENTION_INTERVAL) : 1;
    return Array.from({ length: layers }, (_, layer) => ((layer + 1) % interval === 0 ? "attention" : "delta"));
  }
  if (listed.length !== layers)
    throw new WeightsError(
      `config.json: layer_types must have ${String(layers)} entries as num_hidden_layers says, got ${String(listed.length)}`,
    );
  return listed.map((type) => {
    const kind = typeof type === "string" ? LAYER_TYPES[type] : undefined;
    if (kind === undefined || (kind === "delta" && !isHybrid))
      throw new WeightsError(`config.json: layer_types ${JSON.stringify(type)} is not supported`);
    return kind;
  });
}

function parseDelta(config: JsonObject): DeltaConfig {
  const [keyHeads, valueHeads] = [integer(config, "linear_num_key_heads"), integer(config, "linear_num_value_heads")];
  if (valueHeads % keyHeads !== 0)
    throw new WeightsError(
      `config.json: linear_num_value_heads ${String(valueHeads)} is no multiple of linear_num_key_heads ${String(keyHeads)}`,
    );
  return {
    keyHeads,
    valueHeads,
    keySize: integer(config, "linear_key_head_dim"),
    valueSize: integer(config, "linear_value_head_dim"),
    taps: integer(config, "linear_conv_kernel_dim"),
  };
}

function rotarySize(config: JsonObject, headSize: number): number {
  const factor = number(
    config,
    "partial_rotary_factor",
    ropeParameter(config, "partial_rotary_factor") ?? PARTIAL_ROTARY_FACTOR,
  );
  const size = headSize * factor;
  if (!Number.isInteger(size / 2) || factor > 1)
    throw new WeightsError(
      `config.json: partial_rotary_factor ${String(factor)} of head_dim ${String(headSize)} is no even size`,
    );
  return size;
}

/** Newer folders keep these fields inside `rope_parameters`. */
function ropeParameter(config: JsonObject, field: string): number | undefined {
  const rope = config["rope_parameters"];
  const value = isJsonObject(rope) ? rope[field] : undefined;
  return typeof value === "number" ? value : undefined;
}

function number(config: JsonObject, field: string, fallback?: number): number {
  const value: JsonValue | undefined = config[field] ?? fallback;
  if (typeof value !== "number" || !(value > 0))
    throw new WeightsError(`config.json: ${field} must be a positive number, got ${JSON.stringify(config[field])}`);
  return value;
}

function integer(config: JsonObject, field: string, fallback?: number): number {
  const value = number(config, field, fallback);
  if (!Number.isInteger(value))
    throw new WeightsError(`config.json: ${field} must be an integer, got ${String(value)}`);
  return value;
}
