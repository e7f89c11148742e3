/** The gated delta rule in its two forms, and its gradient, in float64: no fixture and no ONNX Runtime is needed. */
import { describe, expect, it } from "vitest";
import { createRng } from "../../src/base/rng.ts";
import { buildStepGraph, buildWindowGraph, stateName, stateShapes } from "../../src/generation/forward-graphs.ts";
import { evaluateGraph, type Value } from "../../src/graph/evaluate.ts";
import { buildGraph } from "../../src/graph/graph.ts";
import { parseDecoderConfig } from "../../src/model/decoder-config.ts";
import { constantParameters, parameterSpecs } from "../../src/model/parameters.ts";
import { buildTrainingGraph } from "../../src/training/step-graph.ts";

const CONFIG = parseDecoderConfig({
  model_type: "qwen3_5_text",
  vocab_size: 11,
  hidden_size: 6,
  num_hidden_layers: 2,
  layer_types: ["linear_attention", "full_attention"],
  num_attention_heads: 2,
  num_key_value_heads: 1,
  head_dim: 4,
  partial_rotary_factor: 0.5,
  intermediate_size: 5,
  linear_num_key_heads: 1,
  linear_num_value_heads: 2,
  linear_key_head_dim: 4,
  linear_value_head_dim: 3,
  linear_conv_kernel_dim: 4,
  tie_word_embeddings: true,
  max_position_embeddings: 64,
});
const SHAPES = stateShapes(CONFIG);
const rng = createRng("delta-net");
const VALUES = new Map(
  parameterSpecs(CONFIG).map(({ name, shape }) => {
    const size = shape.reduce((product, dim) => product * dim, 1);
    return [name, Float32Array.from({ length: size }, () => 0.3 * rng.normal())] as const;
  }),
);

function filled(shape: readonly number[], value: number): Value {
  return { shape, data: new Float64Array(shape.reduce((product, dim) => product * dim, 1)).fill(value) };
}

function valueOf(shape: readonly number[], data: Iterable<number>): Value {
  return { shape, data: Float64Array.from(data) };
}

type Outputs = Record<string, Value>;

function emptyStates(rows: number): Outputs {
  return Object.fromEntries(SHAPES.map((shape, i) => [stateName(i), filled([rows, ...shape], 0)]));
}

/** Outputs after the last of `ids`, one token at a time, from an empty row. */
function byTokens(ids: readonly number[]): Outputs {
  const graph = buildStepGraph(CONFIG, constantParameters(CONFIG, VALUES));
  const [keys, values]: number[][] = [[], []];
  let states = emptyStates(1);
  let outputs: Outputs = {};
  ids.forEach((id, t) => {
    // An empty cache has one position that nothing sees.
    const span = Math.max(t, 1);
    const cache = (data: number[]): Value => valueOf([1, 1, 1, span, 4], t === 0 ? [0, 0, 0, 0] : data);
    outputs = evaluateGraph(graph, {
      ...states,
      ids: valueOf([1, 1], [id]),
      positions: valueOf([1, 1], [t]),
      mask: filled([1, span], t === 0 ? -1e9 : 0),
      "keys.0": cache(keys!),
      "values.0": cache(values!),
    });
    keys!.push(...outputs["newKeys.0"]!.data);
    values!.push(...outputs["newValues.0"]!.data);
    states = Object.fromEntries(SHAPES.map((_, i) => [stateName(i), outputs[stateName(i, true)]!]));
  });
  return outputs;
}

/** Outputs after the last of each of `rows`, padded to 32 tokens, in chunks, from empty rows. */
function byChunks(rows: readonly (readonly number[])[]): Outputs {
  const [count, length] = [rows.length, 32];
  const all = rows.flatMap((ids) => Array.from({ length }, (_, t) => ids[Math.min(t, ids.length - 1)]!));
  const seen = rows.flatMap(() =>
    Array.from({ length }, (_, t) => Array.from({ length: 1 + length }, (_, s) => (s > 0 && s <= t + 1 ? 0 : -1e9))),
  );
  return evaluateGraph(buildWindowGraph(CONFIG, constantParameters(CONFIG, VALUES)), {
    ...emptyStates(count),
    ids: valueOf([count, length], all),
    positions: valueOf(
      [count, length],
      all.map((_, i) => i % length),
    ),
    last: valueOf(
      [count],
      rows.map((ids, b) => b * length + ids.length - 1),
    ),
    mask: valueOf([count, length, 1 + length], seen.flat()),
    real: valueOf(
      [count, length],
      rows.flatMap((ids) => Array.from({ length }, (_, t) => (t < ids.length ? 1 : 0))),
    ),
    tail: valueOf(
      [count, 3],
      rows.flatMap((ids, b) => [0, 1, 2].map((t) => b * (length + 3) + ids.length + t)),
    ),
    "keys.0": filled([count, 1, 1, 4], 0),
    "values.0": filled([count, 1, 1, 4], 0),
  });
}

describe("the gated delta rule", () => {
  it("gives in chunks what it gives token by token, padded or not", () => {
    const rows = [32, 21, 2].map((length) => Array.from({ length }, () => rng.int(11)));
    const chunks = byChunks(rows);
    rows.forEach((ids, b) => {
      const tokens = byTokens(ids);
      for (const name of ["logits", ...SHAPES.map((_, i) => stateName(i, true))]) {
        const expected = tokens[name]!.data;
        const actual = chunks[name]!.data.subarray(b * expected.length, (b + 1) * expected.length);
        expected.forEach((value, i) => {
          expect(actual[i], `${name} of row ${String(b)}`).toBeCloseTo(value, 9);
        });
      }
    });
  });

  it("has the gradient of finite differences at every kind of parameter", () => {
    const { graph, layout } = buildTrainingGraph(CONFIG, { kind: "full" });
    const tokens = 64;
    const flat = layout.entries.flatMap(({ name }) => [...VALUES.get(name)!]);
    const feeds = {
      ids: valueOf(
        [1, tokens],
        Array.from({ length: tokens }, () => rng.int(11)),
      ),
      positions: valueOf(
        [1, tokens],
        Array.from({ length: tokens }, (_, t) => t),
      ),
      mask: valueOf(
        [tokens, tokens],
        Array.from({ length: tokens * tokens }, (_, i) => (i % tokens <= Math.floor(i / tokens) ? 0 : -1e9)),
      ),
      rows: valueOf([3], [5, 30, 62]),
      labels: valueOf([3], [1, 7, 4]),
      weights: valueOf([3], [0.5, 0.25, 0.25]),
    };
    const gradient = evaluateGraph(graph, { ...feeds, trained: valueOf([layout.size], flat) })["gradient"]!.data;
    const lossGraph = buildGraph({ loss: graph.outputs["loss"]! });
    const lossAt = (trained: readonly number[]): number =>
      evaluateGraph(lossGraph, { ...feeds, trained: valueOf([layout.size], trained) })["loss"]!.data[0]!;
    const wanted = layout.entries.filter(({ name }) => name.includes("layers.0") || name.includes("q_proj"));
    for (const { name, offset, length } of wanted) {
      const place = offset + rng.int(length);
      const shifted = (delta: number): number => lossAt(flat.map((value, i) => (i === place ? value + delta : value)));
      const difference = (shifted(1e-5) - shifted(-1e-5)) / 2e-5;
      expect(Math.abs(gradient[place]! - difference), name).toBeLessThan(1e-7);
    }
  });
});
