/**
 * The decoder's sizes, read from the `config.json` of a Hugging Face folder.
 *
 * A family says what differs: `qwen2` has biases on q, k and v; `qwen3` normalises queries and keys per head. Fields that
 * would change the computation in a way that is not built (scaled rotary embedding, sliding windows) are refused by name.
 */
import { WeightsError } from "../base/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";

/** Model families, as `model_type` names them. */
export const FAMILIES = ["qwen2", "qwen3"] as const;
/** One of `FAMILIES`. */
export type Family = (typeof FAMILIES)[number];

/** What the graph builder needs to know. */
export type DecoderConfig = {
  readonly family: Family;
  /** V. */
  readonly vocabulary: number;
  /** D. */
  readonly width: number;
  /** L. */
  readonly layers: number;
  /** H. */
  readonly heads: number;
  /** K. */
  readonly kvHeads: number;
  /** E. */
  readonly headSize: number;
  /** F. */
  readonly mlpWidth: number;
  readonly ropeTheta: number;
  readonly normEps: number;
  /** Whether the head shares the embedding. */
  readonly tiedHead: boolean;
  /** Whether q, k and v have biases. */
  readonly attentionBias: boolean;
  /** Whether queries and keys are normalised per head. */
  readonly qkNorm: boolean;
  /** Most positions. */
  readonly contextLength: number;
};

/**
 * Reads `config` (the object in `config.json`).
 * @throws {WeightsError} Naming the field that is missing, has the wrong type, or is not supported.
 */
export function parseDecoderConfig(config: JsonObject): DecoderConfig {
  const family = FAMILIES.find((name) => name === config["model_type"]);
  if (!family)
    throw new WeightsError(
      `config.json: model_type ${JSON.stringify(config["model_type"])} is not supported; expected ${FAMILIES.join(" or ")}`,
    );
  refuseUnsupported(config);
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
    layers: integer(config, "num_hidden_layers"),
    heads,
    kvHeads,
    headSize,
    mlpWidth: integer(config, "intermediate_size"),
    ropeTheta: number(config, "rope_theta", ropeParameter(config) ?? 10_000),
    normEps: number(config, "rms_norm_eps", 1e-6),
    tiedHead: config["tie_word_embeddings"] === true,
    attentionBias: family === "qwen2" || config["attention_bias"] === true,
    qkNorm: family === "qwen3",
    contextLength: integer(config, "max_position_embeddings", 32_768),
  };
}

function refuseUnsupported(config: JsonObject): void {
  const scaling = config["rope_scaling"];
  const isScaled = isJsonObject(scaling) && (scaling["rope_type"] ?? scaling["type"] ?? "default") !== "default";
  const unsupported: readonly (readonly [string, boolean])[] = [
    ["rope_scaling", isScaled],
    ["use_sliding_window", config["use_sliding_window"] === true],
    ["hidden_act", (config["hidden_act"] ?? "silu") !== "silu"],
    ["quantization_config", isJsonObject(config["quantization_config"])],
  ];
  for (const [field, isUnsupported] of unsupported)
    if (isUnsupported)
      throw new WeightsError(`config.json: ${field} ${JSON.stringify(config[field])} is not supported`);
}

/** Newer folders keep theta inside `rope_parameters`. */
function ropeParameter(config: JsonObject): number | undefined {
  const rope = config["rope_parameters"];
  const theta = isJsonObject(rope) ? rope["rope_theta"] : undefined;
  return typeof theta === "number" ? theta : undefined;
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
