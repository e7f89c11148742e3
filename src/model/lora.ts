/**
 * Low-rank adapters (Hu et al., arXiv:2106.09685): y = W x + (alpha / rank) B A x with A [R, I] and B [O, R].
 *
 * All matrices of an adapter are packed in one flat vector, so that an optimiser sees one array and a graph one input.
 * Names in files are those of PEFT. Dropout is not supported.
 */
import { WeightsError } from "../base/errors.ts";
import { isJsonArray, type JsonObject } from "../base/json.ts";
import type { Rng } from "../base/rng.ts";
import * as g from "../graph/builder.ts";
import type { Node } from "../graph/graph.ts";
import type { DecoderConfig } from "./decoder-config.ts";
import {
  flatLayout,
  flatViews,
  layerModules,
  layerName,
  LINEAR_MODULES,
  linearShape,
  unpackFlat,
  type FlatLayout,
  type LinearModule,
  type ParameterSource,
  type ParameterValues,
} from "./parameters.ts";

/** What an adapter is. */
export type LoraConfig = {
  /** R. */
  readonly rank: number;
  /** The product is scaled by alpha / rank. */
  readonly alpha: number;
  readonly targets: readonly LinearModule[];
};

const ALL_LINEAR: readonly LinearModule[] = Object.keys(LINEAR_MODULES) as LinearModule[];

/** Every linear module that a decoder of `config` has. */
export function allLinear(config: DecoderConfig): readonly LinearModule[] {
  const kept = new Set(config.layerKinds.flatMap((_, layer) => layerModules(config, layer)));
  return ALL_LINEAR.filter((module) => kept.has(module));
}

/** PEFT's name of one matrix. */
function peftName(layer: number, module: LinearModule, side: "A" | "B"): string {
  return `base_model.model.${layerName(layer, LINEAR_MODULES[module])}.lora_${side}.weight`;
}

/** The adapter's matrices by PEFT name, layer by layer, A before B. */
export function adapterLayout(config: DecoderConfig, lora: LoraConfig): FlatLayout {
  const specs = Array.from({ length: config.layers }, (_, layer) =>
    targetsOf(config, lora, layer).flatMap((module) => {
      const [outputs, inputs] = linearShape(config, module);
      return [
        { name: peftName(layer, module, "A"), shape: [lora.rank, inputs] },
        { name: peftName(layer, module, "B"), shape: [outputs, lora.rank] },
      ];
    }),
  );
  return flatLayout(specs.flat());
}

function targetsOf(config: DecoderConfig, { targets }: LoraConfig, layer: number): LinearModule[] {
  const modules = layerModules(config, layer);
  return targets.filter((module) => modules.includes(module));
}

/** A fresh adapter [P]: A uniform within 1 / sqrt(I), as PEFT draws it, and B zero, so that it changes nothing. */
export function initAdapter(layout: FlatLayout, rng: Rng): Float32Array {
  const flat = new Float32Array(layout.size);
  for (const { name, shape, offset, length } of layout.entries) {
    if (!name.endsWith("lora_A.weight")) continue;
    const bound = 1 / Math.sqrt(shape[1] ?? 1);
    for (let i = 0; i < length; i += 1) flat[offset + i] = (2 * rng.uniform() - 1) * bound;
  }
  return flat;
}

/**
 * How an adapter acts in a graph. `merged` adds scale * B A to the weights once a run: right where a run has many more
 * tokens than a weight has rows. `low-rank` keeps the weights as they are: right for large weights and few tokens.
 */
export type AdapterMode = "merged" | "low-rank";

/** The adapter in a graph: its flat value and the matrices cut out of it, in the order of the layout. */
export type AdapterNodes = { readonly flat: Node<"input">; readonly matrices: ReadonlyMap<string, Node> };

/** The input called `name` [P] of a graph, cut into matrices. @default name "adapter" */
export function adapterInput(layout: FlatLayout, name = "adapter"): AdapterNodes {
  const flat = g.input(name, "f32", [layout.size]);
  return { flat, matrices: unpackFlat(flat, layout) };
}

/** What `adaptedParameters` combines. */
export type AdaptedParts = {
  readonly lora: LoraConfig;
  readonly nodes: AdapterNodes;
  readonly mode: AdapterMode;
};

/** `base` with an adapter on the modules that it targets. */
export function adaptedParameters(base: ParameterSource, { lora, nodes, mode }: AdaptedParts): ParameterSource {
  const scale = lora.alpha / lora.rank;
  return {
    tensor: base.tensor,
    has: base.has,
    linear: (x, layer, module) => {
      const a = nodes.matrices.get(peftName(layer, module, "A"));
      const b = nodes.matrices.get(peftName(layer, module, "B"));
      if (!a || !b) return base.linear(x, layer, module);
      if (mode === "low-rank") {
        const product = g.gemm(g.gemm(x, a, { transB: true }), b, { transB: true, alpha: scale });
        return g.add(base.linear(x, layer, module), product);
      }
      const path = layerName(layer, LINEAR_MODULES[module]);
      const merged = g.gemm(b, a, { alpha: scale, c: base.tensor(`${path}.weight`) });
      const y = g.mergedLinear(x, { merged, a, b, scale });
      return base.has(`${path}.bias`) ? g.add(y, base.tensor(`${path}.bias`)) : y;
    },
  };
}

/** What `mergeAdapter` combines: an adapter's configuration, layout and flat values [P]. */
export type AdapterValues = {
  readonly lora: LoraConfig;
  readonly layout: FlatLayout;
  readonly flat: Float32Array;
};

/** Writes W + (alpha / rank) B A into `target` for every adapted weight; `sign` -1 takes a merged adapter out again. */
export function mergeAdapter(target: ParameterValues, { lora, layout, flat }: AdapterValues, sign: 1 | -1 = 1): void {
  const views = flatViews(flat, layout);
  const scale = (sign * lora.alpha) / lora.rank;
  for (const { name, shape } of layout.entries) {
    if (!name.endsWith("lora_A.weight")) continue;
    const weight = target.get(name.replace("base_model.model.", "").replace("lora_A.weight", "weight"));
    const [a, b] = [views.get(name), views.get(name.replace("lora_A", "lora_B"))];
    if (!weight || !a || !b) throw new WeightsError(`merge: no weight for ${name}`);
    addProduct(weight, { a, b, rank: lora.rank, inputs: shape[1] ?? 0, scale });
  }
}

type Product = { a: Float32Array; b: Float32Array; rank: number; inputs: number; scale: number };

function addProduct(weight: Float32Array, { a, b, rank, inputs, scale }: Product): void {
  const row = new Float64Array(inputs);
  for (let o = 0; o * inputs < weight.length; o += 1) {
    row.fill(0);
    for (let r = 0; r < rank; r += 1) {
      const factor = scale * (b[o * rank + r] ?? 0);
      for (let i = 0; i < inputs; i += 1) row[i] = (row[i] ?? 0) + factor * (a[r * inputs + i] ?? 0);
    }
    for (let i = 0; i < inputs; i += 1) weight[o * inputs + i] = (weight[o * inputs + i] ?? 0) + (row[i] ?? 0);
  }
}

/** The `adapter_config.json` of PEFT for `lora` on the model called `base`. */
export function formatAdapterConfig(lora: LoraConfig, base: string): JsonObject {
  return {
    base_model_name_or_path: base,
    bias: "none",
    fan_in_fan_out: false,
    inference_mode: true,
    lora_alpha: lora.alpha,
    lora_dropout: 0,
    modules_to_save: null,
    peft_type: "LORA",
    r: lora.rank,
    target_modules: [...lora.targets],
    task_type: "CAUSAL_LM",
    use_dora: false,
    use_rslora: false,
  };
}

/**
 * Reads an `adapter_config.json` of PEFT.
 * @throws {WeightsError} Naming the field that is missing or asks for something not built.
 */
export function parseAdapterConfig(config: JsonObject): LoraConfig {
  const { peft_type: type, r: rank, lora_alpha: alpha, target_modules: modules } = config;
  if (type !== "LORA")
    throw new WeightsError(`adapter_config.json: peft_type must be LORA, got ${JSON.stringify(type)}`);
  if (typeof rank !== "number" || !(rank >= 1) || typeof alpha !== "number")
    throw new WeightsError("adapter_config.json: r and lora_alpha must be numbers, r at least 1");
  for (const field of ["use_dora", "use_rslora", "fan_in_fan_out", "rank_pattern", "alpha_pattern"]) {
    const value = config[field];
    if (value !== undefined && value !== null && value !== false && JSON.stringify(value) !== "{}")
      throw new WeightsError(`adapter_config.json: ${field} ${JSON.stringify(value)} is not supported`);
  }
  const names = isJsonArray(modules) ? modules : [];
  const targets = ALL_LINEAR.filter((module) => names.includes(module));
  const unknown = names.filter((name) => !targets.some((module) => module === name));
  if (targets.length === 0 || unknown.length > 0)
    throw new WeightsError(
      `adapter_config.json: target_modules must be among ${ALL_LINEAR.join(", ")}, got ${JSON.stringify(modules)}`,
    );
  return { rank, alpha, targets };
}
