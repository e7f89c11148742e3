/**
 * The decoder's parameters: their names in a checkpoint, their places in a flat vector, and the ways in which they enter
 * a graph. Names are those of the Hugging Face checkpoint.
 */
import { GraphError, WeightsError } from "../base/errors.ts";
import * as g from "../graph/builder.ts";
import type { Node } from "../graph/graph.ts";
import type { DecoderConfig, LayerKind } from "./decoder-config.ts";

/** Modules of a layer that are linear maps, by their names in a checkpoint. */
export const LINEAR_MODULES = {
  q_proj: "self_attn.q_proj",
  k_proj: "self_attn.k_proj",
  v_proj: "self_attn.v_proj",
  o_proj: "self_attn.o_proj",
  gate_proj: "mlp.gate_proj",
  up_proj: "mlp.up_proj",
  down_proj: "mlp.down_proj",
  in_proj_qkv: "linear_attn.in_proj_qkv",
  in_proj_z: "linear_attn.in_proj_z",
  in_proj_b: "linear_attn.in_proj_b",
  in_proj_a: "linear_attn.in_proj_a",
  out_proj: "linear_attn.out_proj",
} as const;
/** One of the keys of `LINEAR_MODULES`. */
export type LinearModule = keyof typeof LINEAR_MODULES;

const MLP_MODULES = ["gate_proj", "up_proj", "down_proj"] as const;
const MODULES: Readonly<Record<LayerKind, readonly LinearModule[]>> = {
  attention: ["q_proj", "k_proj", "v_proj", "o_proj", ...MLP_MODULES],
  delta: ["in_proj_qkv", "in_proj_z", "in_proj_b", "in_proj_a", "out_proj", ...MLP_MODULES],
};

/** The linear modules of layer `layer`. */
export function layerModules({ layerKinds }: DecoderConfig, layer: number): readonly LinearModule[] {
  return MODULES[layerKinds[layer] ?? "attention"];
}

/** A parameter's name and shape. */
export type ParameterSpec = { readonly name: string; readonly shape: readonly number[] };

/** Name of a parameter of `layer`. */
export function layerName(layer: number, rest: string): string {
  return `model.layers.${String(layer)}.${rest}`;
}

/** Name of the embedding table. */
export const EMBEDDING = "model.embed_tokens.weight";
/** Name of the final norm's weight. */
export const FINAL_NORM = "model.norm.weight";

/** Name of the matrix that scores the vocabulary. */
export function headName(config: DecoderConfig): string {
  return config.tiedHead ? EMBEDDING : "lm_head.weight";
}

/** Outputs and inputs, [O, I], of a linear module. */
export function linearShape(config: DecoderConfig, module: LinearModule): readonly [number, number] {
  const { width, heads, kvHeads, headSize, mlpWidth, outputGate } = config;
  const { valueHeads, values, mixed } = deltaWidths(config);
  const shapes: Record<LinearModule, readonly [number, number]> = {
    q_proj: [(outputGate ? 2 : 1) * heads * headSize, width],
    k_proj: [kvHeads * headSize, width],
    v_proj: [kvHeads * headSize, width],
    o_proj: [width, heads * headSize],
    gate_proj: [mlpWidth, width],
    up_proj: [mlpWidth, width],
    down_proj: [width, mlpWidth],
    in_proj_qkv: [mixed, width],
    in_proj_z: [values, width],
    in_proj_b: [valueHeads, width],
    in_proj_a: [valueHeads, width],
    out_proj: [width, values],
  };
  return shapes[module];
}

/** Widths of a delta layer: of all its queries or keys, of all its values, and of what its convolution mixes. */
export function deltaWidths({ delta }: DecoderConfig): {
  readonly valueHeads: number;
  readonly keys: number;
  readonly values: number;
  readonly mixed: number;
} {
  const { keyHeads, valueHeads, keySize, valueSize } = delta ?? {
    keyHeads: 0,
    valueHeads: 0,
    keySize: 0,
    valueSize: 0,
  };
  const [keys, values] = [keyHeads * keySize, valueHeads * valueSize];
  return { valueHeads, keys, values, mixed: 2 * keys + values };
}

/** All parameters of a decoder, in the order of the forward pass. */
export function parameterSpecs(config: DecoderConfig): ParameterSpec[] {
  const { vocabulary, width } = config;
  const layers = Array.from({ length: config.layers }, (_, layer): ParameterSpec[] => [
    { name: layerName(layer, "input_layernorm.weight"), shape: [width] },
    ...layerModules(config, layer).map((module) => ({
      name: layerName(layer, `${LINEAR_MODULES[module]}.weight`),
      shape: linearShape(config, module),
    })),
    ...(config.layerKinds[layer] === "delta" ? deltaSpecs(config, layer) : attentionSpecs(config, layer)),
    { name: layerName(layer, "post_attention_layernorm.weight"), shape: [width] },
  ]);
  return [
    { name: EMBEDDING, shape: [vocabulary, width] },
    ...layers.flat(),
    { name: FINAL_NORM, shape: [width] },
    ...(config.tiedHead ? [] : [{ name: headName(config), shape: [vocabulary, width] }]),
  ];
}

function attentionSpecs(config: DecoderConfig, layer: number): ParameterSpec[] {
  return [
    ...(config.attentionBias
      ? (["q_proj", "k_proj", "v_proj"] as const).map((module) => ({
          name: layerName(layer, `${LINEAR_MODULES[module]}.bias`),
          shape: [linearShape(config, module)[0]],
        }))
      : []),
    ...(config.qkNorm
      ? ["q_norm", "k_norm"].map((norm) => ({
          name: layerName(layer, `self_attn.${norm}.weight`),
          shape: [config.headSize],
        }))
      : []),
  ];
}

function deltaSpecs(config: DecoderConfig, layer: number): ParameterSpec[] {
  const { valueHeads, mixed } = deltaWidths(config);
  const { taps = 0, valueSize = 0 } = config.delta ?? {};
  const shapes = {
    "conv1d.weight": [mixed, 1, taps],
    A_log: [valueHeads],
    dt_bias: [valueHeads],
    "norm.weight": [valueSize],
  };
  return Object.entries(shapes).map(([rest, shape]) => ({ name: layerName(layer, `linear_attn.${rest}`), shape }));
}

/** Places of named tensors in one flat vector. */
export type FlatLayout = {
  readonly entries: readonly (ParameterSpec & { readonly offset: number; readonly length: number })[];
  /** P, values in all. */
  readonly size: number;
};

/** Lays `specs` out one after another. */
export function flatLayout(specs: readonly ParameterSpec[]): FlatLayout {
  let size = 0;
  const entries = specs.map((spec) => {
    const length = spec.shape.reduce((product, dim) => product * dim, 1);
    const entry = { ...spec, offset: size, length };
    size += length;
    return entry;
  });
  return { entries, size };
}

/** Host values of all parameters by name; each array has the size of its shape. */
export type ParameterValues = ReadonlyMap<string, Float32Array>;

/** Views of `flat` by name; nothing is copied. */
export function flatViews(flat: Float32Array, layout: FlatLayout): Map<string, Float32Array> {
  return new Map(layout.entries.map(({ name, offset, length }) => [name, flat.subarray(offset, offset + length)]));
}

/** One flat vector holding `values` in the order of `layout`. */
export function packFlat(values: ParameterValues, layout: FlatLayout): Float32Array {
  const flat = new Float32Array(layout.size);
  for (const { name, offset, length } of layout.entries) {
    const data = values.get(name);
    if (data?.length !== length)
      throw new WeightsError(
        `${name}: expected ${String(length)} values, got ${data ? String(data.length) : "no such tensor"}`,
      );
    flat.set(data, offset);
  }
  return flat;
}

/** The tensors of `layout` cut out of the flat graph value `flat` [P]. */
export function unpackFlat(flat: Node, layout: FlatLayout): Map<string, Node> {
  return new Map(
    layout.entries.map(({ name, shape, offset, length }) => [
      name,
      g.reshape(g.slice(flat, { axis: 0, start: offset, end: offset + length }), shape),
    ]),
  );
}

/** How parameters enter a graph: as values, and as what a linear module does with its input. */
export type ParameterSource = {
  /** The value of a parameter. */
  readonly tensor: (name: string) => Node;
  /** Whether there is a parameter of that name. */
  readonly has: (name: string) => boolean;
  /** x [N, I] through a linear module of `layer`, [N, O]. */
  readonly linear: (x: Node, layer: number, module: LinearModule) => Node;
};

/** A source over graph values by parameter name; linear maps are x W^T + b. */
export function parameterSource(nodes: ReadonlyMap<string, Node>): ParameterSource {
  const tensor = (name: string): Node => {
    const node = nodes.get(name);
    if (!node) throw new GraphError(`parameter ${name} is not in the graph`);
    return node;
  };
  return {
    tensor,
    has: (name) => nodes.has(name),
    linear: (x, layer, module) => {
      const path = layerName(layer, LINEAR_MODULES[module]);
      const bias = nodes.get(`${path}.bias`);
      return g.gemm(x, tensor(`${path}.weight`), { transB: true, ...(bias ? { c: bias } : {}) });
    },
  };
}

/** Parameters as constants of the graph. */
export function constantParameters(config: DecoderConfig, values: ParameterValues): ParameterSource {
  return parameterSource(
    new Map(
      parameterSpecs(config).map(({ name, shape }) => {
        const data = values.get(name);
        if (!data) throw new WeightsError(`checkpoint: tensor ${name} is missing`);
        return [name, g.constant(data, shape)];
      }),
    ),
  );
}

/** Parameters as graph inputs of the same names. */
export function inputParameters(config: DecoderConfig): ParameterSource {
  return parameterSource(new Map(parameterSpecs(config).map(({ name, shape }) => [name, g.input(name, "f32", shape)])));
}
