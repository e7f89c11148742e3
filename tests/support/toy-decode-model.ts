/**
 * A tiny attention model in plain float64 behind the decode port, for tests of the engine.
 *
 * Each row's numbers are computed from its own tokens and its own cache alone, in the same order whether it runs alone or
 * in a batch, and cached keys and values are float32 from the start. So a request must sample exactly the same tokens in
 * any company, and any mistake with caches, masks, positions or padding changes its logits.
 */
import { createRng } from "../../src/base/rng.ts";
import type { SamplingConfig } from "../../src/generation/completer.ts";
import type {
  BurstInputs,
  BurstOutputs,
  DecodeInputs,
  DecodeModel,
  DecodeOutputs,
  DecodeShape,
} from "../../src/generation/decode-model.ts";
import { createSampler } from "../../src/generation/sampler.ts";

/** Sizes of the toy model. */
export const TOY_SHAPE: DecodeShape = {
  layers: 2,
  kvHeads: 2,
  headSize: 3,
  stateShapes: [],
  tokenMultiple: 1,
  vocabulary: 23,
  contextLength: 96,
};
/** What makes the toy model one whose rows have states, each a fading sum over the tokens so far. */
export const TOY_STATES: Partial<DecodeShape> = { stateShapes: [[2], [2, 3]], tokenMultiple: 4 };

/** The toy model, with what it was asked. */
export type ToyModel = DecodeModel & {
  /** Rows and tokens of each run so far. */
  readonly runs: { readonly rows: number; readonly tokens: number; readonly cached: number }[];
  /** Makes run number `index` (from 0) fail. */
  failAt: number | undefined;
};

/** Returns a toy model; `shape` overrides single sizes. */
export function createToyModel(shape: Partial<DecodeShape> = {}): ToyModel {
  const full = { ...TOY_SHAPE, ...shape };
  const model: ToyModel = {
    shape: full,
    runs: [],
    failAt: undefined,
    run: async (inputs) => {
      await Promise.resolve();
      const { rows, tokens, cached } = inputs;
      model.runs.push({ rows, tokens, cached });
      if (model.failAt === model.runs.length - 1) throw new RangeError("toy model: told to fail");
      checkSizes(inputs, full);
      return forward(inputs, full);
    },
  };
  return model;
}

function checkSizes(inputs: DecodeInputs, shape: DecodeShape): void {
  const { rows, tokens, cached } = inputs;
  const cache = rows * shape.kvHeads * shape.headSize * cached;
  const expected: [number, number][] = [
    [inputs.ids.length, rows * tokens],
    [inputs.positions.length, rows * tokens],
    [inputs.last.length, rows],
    [inputs.cacheMask.length, rows * cached],
    [inputs.keys.length, shape.layers],
    [inputs.values.length, shape.layers],
    ...inputs.keys.map((keys): [number, number] => [keys.length, cache]),
    ...inputs.values.map((values): [number, number] => [values.length, cache]),
    [inputs.states.length, shape.stateShapes.length],
    ...inputs.states.map((state, i): [number, number] => [state.length, rows * stateSize(shape, i)]),
    [tokens === 1 ? 0 : tokens % shape.tokenMultiple, 0],
  ];
  for (const [given, wanted] of expected)
    if (given !== wanted) throw new RangeError(`toy model: expected ${String(wanted)} numbers, got ${String(given)}`);
  if (cached < 1) throw new RangeError("toy model: cached must be 1 or more");
  for (const position of inputs.positions)
    if (position < 0 || position >= shape.contextLength) throw new RangeError("toy model: position out of range");
  for (const id of inputs.ids) if (id < 0 || id >= shape.vocabulary) throw new RangeError("toy model: id out of range");
}

function stateSize({ stateShapes }: DecodeShape, index: number): number {
  return stateShapes[index]!.reduce((product, size) => product * size, 1);
}

const known = new Map<number, number>();

/** A fixed number in [-1, 1) that depends on `kind`, `a` and `b` (below 1024 each). */
function weight(kind: number, a: number, b: number): number {
  const key = (kind * 1024 + a) * 1024 + b;
  const before = known.get(key);
  if (before !== undefined) return before;
  const wave = Math.sin(17.37 * kind + 27.17 * a + 41.43 * b + 0.5) * 43758.5453;
  const fresh = 2 * (wave - Math.floor(wave)) - 1;
  known.set(key, fresh);
  return fresh;
}

function forward(inputs: DecodeInputs, shape: DecodeShape): DecodeOutputs {
  const { rows, tokens } = inputs;
  const { layers, kvHeads, headSize, vocabulary } = shape;
  const fresh = (): Float32Array[] =>
    Array.from({ length: layers }, () => new Float32Array(rows * kvHeads * tokens * headSize));
  const states = inputs.states.map((state) => state.slice());
  const outputs = { logits: new Float32Array(rows * vocabulary), keys: fresh(), values: fresh(), states };
  const width = kvHeads * headSize;
  for (let b = 0; b < rows; b += 1) {
    let hidden = Array.from({ length: tokens }, (_, t) => {
      const at = b * tokens + t;
      return Array.from(
        { length: width },
        (_, d) => weight(1, inputs.ids[at]!, d) + 0.5 * weight(2, inputs.positions[at]!, d),
      );
    });
    for (let layer = 0; layer < layers; layer += 1) hidden = attend({ inputs, outputs, shape, b, layer }, hidden);
    const state = [...hidden[inputs.last[b]! - b * tokens]!, ...advance({ inputs, shape, b }, states)];
    for (let v = 0; v < vocabulary; v += 1)
      outputs.logits[b * vocabulary + v] = 1.5 * state.reduce((sum, x, d) => sum + x * weight(3, v, d), 0);
  }
  return outputs;
}

/** Takes row b's states past its real tokens and returns all their numbers. */
function advance({ inputs, shape, b }: Omit<Layer, "outputs" | "layer">, states: readonly Float32Array[]): number[] {
  return states.flatMap((state, index) => {
    const size = stateSize(shape, index);
    const own = state.subarray(b * size, (b + 1) * size);
    for (let at = b * inputs.tokens; at <= inputs.last[b]!; at += 1)
      own.forEach((x, i) => (own[i] = 0.8 * x + weight(7, inputs.ids[at]!, 8 * index + i)));
    return [...own];
  });
}

type Layer = {
  readonly inputs: DecodeInputs;
  readonly outputs: DecodeOutputs;
  readonly shape: DecodeShape;
  readonly b: number;
  readonly layer: number;
};

function attend({ inputs, outputs, shape, b, layer }: Layer, hidden: number[][]): number[][] {
  const { tokens, cached } = inputs;
  const { kvHeads, headSize } = shape;
  const keys = outputs.keys[layer]!;
  const values = outputs.values[layer]!;
  const project = (kind: number, x: number[], row: number): number =>
    x.reduce((sum, value, d) => sum + value * weight(kind, 64 * layer + row, d), 0) / 2;
  const place = (k: number, t: number, e: number): number => ((b * kvHeads + k) * tokens + t) * headSize + e;
  hidden.forEach((x, t) => {
    for (let k = 0; k < kvHeads; k += 1)
      for (let e = 0; e < headSize; e += 1) {
        keys[place(k, t, e)] = project(4, x, k * headSize + e);
        values[place(k, t, e)] = project(5, x, k * headSize + e);
      }
  });
  const oldKeys = inputs.keys[layer]!;
  const oldValues = inputs.values[layer]!;
  return hidden.map((x, t) => {
    const out = [...x];
    for (let k = 0; k < kvHeads; k += 1) {
      const query = Array.from({ length: headSize }, (_, e) => project(6, x, k * headSize + e));
      const seen: { weight: number; value: number[] }[] = [];
      for (let s = 0; s < cached; s += 1) {
        if (inputs.cacheMask[b * cached + s] !== 0) continue;
        const row = b * kvHeads + k;
        const score = query.reduce((sum, q, e) => sum + q * oldKeys[(row * cached + s) * headSize + e]!, 0);
        const value = query.map((_, e) => oldValues[(row * cached + s) * headSize + e]!);
        seen.push({ weight: Math.exp(score), value });
      }
      for (let s = 0; s <= t; s += 1) {
        const score = query.reduce((sum, q, e) => sum + q * keys[place(k, s, e)]!, 0);
        seen.push({ weight: Math.exp(score), value: query.map((_, e) => values[place(k, s, e)]!) });
      }
      const total = seen.reduce((sum, one) => sum + one.weight, 0);
      for (const one of seen) one.value.forEach((v, e) => (out[k * headSize + e]! += (one.weight / total) * v));
    }
    return out.map(Math.tanh).map((v) => 1.5 * v);
  });
}

/** `model` with bursts of `steps` tokens, made of its own runs and the host's sampler. */
export function withBurst(model: DecodeModel, steps: number, sampling: SamplingConfig): DecodeModel {
  return { ...model, burst: { steps, sampling, run: (inputs) => runBurst(model, inputs, sampling) } };
}

async function runBurst(model: DecodeModel, inputs: BurstInputs, sampling: SamplingConfig): Promise<BurstOutputs> {
  const { rows, uniforms } = inputs;
  const { vocabulary } = model.shape;
  const steps = uniforms.length / rows;
  const sampler = createSampler(sampling);
  const fed = Array.from({ length: rows }, (_, b) => [inputs.ids[b]!]);
  const logprobs = new Float32Array(rows * steps);
  let outputs: DecodeOutputs | undefined;
  for (let step = 0; step < steps; step += 1) {
    const real = step + 1;
    const { tokenMultiple } = model.shape;
    const tokens = real === 1 ? 1 : Math.ceil(real / tokenMultiple) * tokenMultiple;
    outputs = await model.run({
      ...inputs,
      tokens,
      ids: Int32Array.from(fed.flatMap((row) => Array.from({ length: tokens }, (_, t) => row[Math.min(t, step)]!))),
      positions: Int32Array.from({ length: rows * tokens }, (_, i) => {
        return inputs.positions[Math.floor(i / tokens) * steps + Math.min(i % tokens, step)]!;
      }),
      last: Int32Array.from({ length: rows }, (_, b) => b * tokens + step),
    });
    for (let b = 0; b < rows; b += 1) {
      const logits = outputs.logits.subarray(b * vocabulary, (b + 1) * vocabulary);
      const rng = { ...createRng(0), uniform: () => uniforms[b * steps + step]! };
      const { id, logprob } = sampler.sample(logits, rng);
      fed[b]!.push(id);
      logprobs[b * steps + step] = logprob;
    }
  }
  const ids = Int32Array.from(fed.flatMap((row) => row.slice(1)));
  const { keys, values, states } = outputs!;
  const crop = (array: Float32Array): Float32Array => cropTokens(array, { shape: model.shape, rows, steps });
  return { ids, logprobs, keys: keys.map(crop), values: values.map(crop), states };
}

type Crop = { readonly shape: DecodeShape; readonly rows: number; readonly steps: number };

/** [B, K, T, E] without the padding that a run of `steps` tokens had. */
function cropTokens(array: Float32Array, { shape, rows, steps }: Crop): Float32Array {
  const lines = rows * shape.kvHeads;
  const [width, kept] = [array.length / lines, steps * shape.headSize];
  return Float32Array.from({ length: lines * kept }, (_, i) => array[Math.floor(i / kept) * width + (i % kept)]!);
}
