/** Shape and type rule of each op; the written specification of what a graph may contain. */
import { GraphError } from "../base/errors.ts";
import {
  addDims,
  broadcastShapes,
  dimAt,
  formatShape,
  mulDims,
  sameShape,
  subtractDims,
  type Dim,
  type Shape,
} from "./dims.ts";
import type { Node } from "./graph.ts";
import type { DType, None, OpAttributes, OpKind } from "./ops.ts";

/** Type and shape of a value. */
export type ValueInfo = { readonly type: DType; readonly shape: Shape };

type Inputs = readonly Node[];
type Rule<A> = (inputs: Inputs, attributes: A) => ValueInfo;

const unary: Rule<None> = (inputs) => ({ type: "f32", shape: floatInput("unary op", inputs, 0).shape });

const binary =
  (kind: string): Rule<None> =>
  (inputs) => {
    const [a, b] = [floatInput(kind, inputs, 0), floatInput(kind, inputs, 1)];
    return { type: "f32", shape: broadcastShapes(a.shape, b.shape, kind) };
  };

const reduction: Rule<OpAttributes["reduceSum"]> = (inputs, { axes, keepDims }) => {
  const { shape } = floatInput("reduction", inputs, 0);
  for (const axis of axes) dimAt(shape, axis);
  const kept = shape.map((dim, axis) => (axes.includes(axis) ? 1 : dim));
  return { type: "f32", shape: keepDims ? kept : kept.filter((_, axis) => !axes.includes(axis)) };
};

/** The rules, one for each op; each throws a `GraphError` that names the op and the shapes. */
export const INFER: { readonly [K in OpKind]: Rule<OpAttributes[K]> } = {
  input: (_, { type, shape }) => ({ type, shape }),
  constant: (_, { type, shape, data }) => {
    const size = shape.reduce((product, dim) => product * dim, 1);
    if (size !== data.length) fail("constant", `${String(data.length)} values for shape ${formatShape(shape)}`);
    return { type, shape };
  },

  neg: unary,
  exp: unary,
  sqrt: unary,
  reciprocal: unary,
  sigmoid: unary,
  silu: unary,

  add: binary("add"),
  sub: binary("sub"),
  mul: binary("mul"),
  div: binary("div"),

  matmul: (inputs) => {
    const [a, b] = [floatInput("matmul", inputs, 0).shape, floatInput("matmul", inputs, 1).shape];
    if (a.length < 2 || b.length < 2) fail("matmul", `ranks must be 2 or more, ${formatShape(a)} x ${formatShape(b)}`);
    if (dimAt(a, -1) !== dimAt(b, -2)) fail("matmul", `inner sizes differ, ${formatShape(a)} x ${formatShape(b)}`);
    const isBroadcast = b.length === a.length && b.slice(0, -2).every((dim, axis) => dim === 1 || dim === a[axis]);
    if (b.length > 2 && !isBroadcast) fail("matmul", `batch sizes differ, ${formatShape(a)} x ${formatShape(b)}`);
    return { type: "f32", shape: [...a.slice(0, -1), dimAt(b, -1)] };
  },
  gemm: (inputs, { transA, transB }) => {
    const [a, b] = [matrixInput("gemm", inputs, 0), matrixInput("gemm", inputs, 1)];
    const [rows, inner] = transA ? [a[1], a[0]] : a;
    const [innerB, columns] = transB ? [b[1], b[0]] : b;
    if (inner !== innerB) fail("gemm", `inner sizes differ, ${formatShape(a)} x ${formatShape(b)}`);
    const shape = [rows, columns];
    const bias = inputs[2];
    if (bias && !sameShape(broadcastShapes(bias.shape, shape, "gemm"), shape))
      fail("gemm", `${formatShape(bias.shape)} does not broadcast to ${formatShape(shape)}`);
    return { type: "f32", shape };
  },
  mergedLinear: (inputs) => {
    const [x, merged] = [matrixInput("mergedLinear", inputs, 0), matrixInput("mergedLinear", inputs, 1)];
    const [a, b] = [matrixInput("mergedLinear", inputs, 2), matrixInput("mergedLinear", inputs, 3)];
    const [output, size] = merged;
    if (x[1] !== size || a[1] !== size || b[0] !== output || a[0] !== b[1])
      fail("mergedLinear", `x ${formatShape(x)}, w ${formatShape(merged)}, a ${formatShape(a)}, b ${formatShape(b)}`);
    return { type: "f32", shape: [x[0], output] };
  },

  reshape: (inputs, { shape }) => {
    const from = input("reshape", inputs, 0);
    if (mulDims(...from.shape) !== mulDims(...shape))
      fail("reshape", `sizes differ, ${formatShape(from.shape)} to ${formatShape(shape)}`);
    return { type: from.type, shape };
  },
  transpose: (inputs, { perm }) => {
    const { type, shape } = input("transpose", inputs, 0);
    const isPermutation = [...perm].sort((a, b) => a - b).every((axis, index) => axis === index);
    if (perm.length !== shape.length || !isPermutation) fail("transpose", `[${String(perm)}] of ${formatShape(shape)}`);
    return { type, shape: perm.map((axis) => dimAt(shape, axis)) };
  },
  expand: (inputs, { shape }) => {
    const from = input("expand", inputs, 0);
    if (!sameShape(broadcastShapes(from.shape, shape, "expand"), shape))
      fail("expand", `${formatShape(from.shape)} does not broadcast to ${formatShape(shape)}`);
    return { type: from.type, shape };
  },
  concat: (inputs, { axis }) => {
    const first = input("concat", inputs, 0);
    for (const { shape } of inputs)
      if (shape.length !== first.shape.length || shape.some((dim, i) => i !== axis && dim !== first.shape[i]))
        fail("concat", `axis ${String(axis)} of ${formatShape(first.shape)} and ${formatShape(shape)}`);
    const total = addDims(...inputs.map(({ shape }) => dimAt(shape, axis)));
    return { type: first.type, shape: first.shape.map((dim, i) => (i === axis ? total : dim)) };
  },
  slice: (inputs, { axis, start, end }) => {
    const { type, shape } = input("slice", inputs, 0);
    dimAt(shape, axis);
    return { type, shape: shape.map((dim, i) => (i === axis ? subtractDims(end, start) : dim)) };
  },

  reduceSum: reduction,
  reduceMean: reduction,
  softmax: unary,
  logSumExp: (inputs) => ({ type: "f32", shape: [matrixInput("logSumExp", inputs, 0)[0], 1] }),

  unitLowerInverse: (inputs) => {
    const { shape } = floatInput("unitLowerInverse", inputs, 0);
    const size = dimAt(shape, -1);
    if (typeof size !== "number" || dimAt(shape, -2) !== size) fail("unitLowerInverse", formatShape(shape));
    return { type: "f32", shape };
  },
  linearRecurrence: (inputs) => {
    const [initial, transitions, updates] = [0, 1, 2].map((i) => floatInput("linearRecurrence", inputs, i).shape);
    const [first = [], moves = [], added = []] = [initial, transitions, updates];
    const [rows, steps] = [dimAt(first, -2), dimAt(added, -3)];
    const outer = first.slice(0, -2);
    if (!sameShape(moves, [...outer, steps, rows, rows]) || !sameShape(added, [...outer, steps, ...first.slice(-2)]))
      fail("linearRecurrence", `${formatShape(first)}, ${formatShape(moves)} and ${formatShape(added)}`);
    return { type: "f32", shape: [...outer, addDims(steps, 1), ...first.slice(-2)] };
  },

  gather: (inputs) => {
    const [data, indices] = [input("gather", inputs, 0), indexInput("gather", inputs, 1)];
    return { type: data.type, shape: [...indices.shape, ...data.shape.slice(1)] };
  },
  scatterRows: (inputs, { rows }) => {
    const [indices, updates] = [indexInput("scatterRows", inputs, 0), matrixInput("scatterRows", inputs, 1)];
    if (indices.shape.length !== 1 || indices.shape[0] !== updates[0])
      fail("scatterRows", `indices ${formatShape(indices.shape)} for updates ${formatShape(updates)}`);
    return { type: "f32", shape: [rows, updates[1]] };
  },

  rmsNorm: (inputs) => {
    const [x, weight] = [floatInput("rmsNorm", inputs, 0), floatInput("rmsNorm", inputs, 1)];
    if (weight.shape.length !== 1 || weight.shape[0] !== dimAt(x.shape, -1))
      fail("rmsNorm", `weight ${formatShape(weight.shape)} for ${formatShape(x.shape)}`);
    return { type: "f32", shape: x.shape };
  },
  rotary: (inputs, { heads }) => {
    const [x, cos] = [floatInput("rotary", inputs, 0), floatInput("rotary", inputs, 1)];
    const sin = floatInput("rotary", inputs, 2);
    const fits = x.shape.length === 3 && sameShape(cos.shape, sin.shape) && cos.shape.length === 3;
    if (!fits || dimAt(x.shape, 2) !== mulDims(2 * heads, dimAt(cos.shape, 2)))
      fail("rotary", `x ${formatShape(x.shape)}, ${String(heads)} heads, cos ${formatShape(cos.shape)}`);
    return { type: "f32", shape: x.shape };
  },
  crossEntropy: (inputs) => {
    const [rows] = matrixInput("crossEntropy", inputs, 0);
    const labels = indexInput("crossEntropy", inputs, 1);
    if (labels.shape.length !== 1 || labels.shape[0] !== rows)
      fail("crossEntropy", `labels ${formatShape(labels.shape)}`);
    return { type: "f32", shape: [rows, 1] };
  },
  sampleToken: (inputs, { topK, temperature }) => {
    const [rows, vocabulary] = matrixInput("sampleToken", inputs, 0);
    const uniforms = floatInput("sampleToken", inputs, 1);
    if (!sameShape(uniforms.shape, [rows, 1])) fail("sampleToken", `uniforms ${formatShape(uniforms.shape)}`);
    if (!(temperature > 0)) fail("sampleToken", `temperature ${String(temperature)}`);
    if (typeof vocabulary !== "number" || topK < 0 || topK > vocabulary) fail("sampleToken", `topK ${String(topK)}`);
    return { type: "i32", shape: [rows] };
  },
  crossEntropyGrad: (inputs) => {
    const logits = matrixInput("crossEntropyGrad", inputs, 0);
    const upstream = floatInput("crossEntropyGrad", inputs, 2);
    if (!sameShape(upstream.shape, [logits[0], 1])) fail("crossEntropyGrad", `upstream ${formatShape(upstream.shape)}`);
    return { type: "f32", shape: logits };
  },
};

function input(kind: string, inputs: Inputs, index: number): Node {
  return inputs[index] ?? fail(kind, `input ${String(index)} is missing`);
}

function floatInput(kind: string, inputs: Inputs, index: number): Node {
  const value = input(kind, inputs, index);
  return value.type === "f32" ? value : fail(kind, `input ${String(index)} must be f32, got ${value.type}`);
}

function indexInput(kind: string, inputs: Inputs, index: number): Node {
  const value = input(kind, inputs, index);
  return value.type === "i32" ? value : fail(kind, `input ${String(index)} must be i32, got ${value.type}`);
}

function matrixInput(kind: string, inputs: Inputs, index: number): readonly [Dim, Dim] {
  const { shape } = floatInput(kind, inputs, index);
  const [rows, columns] = shape;
  return shape.length === 2 && rows !== undefined && columns !== undefined
    ? [rows, columns]
    : fail(kind, `input ${String(index)} must be a matrix, got ${formatShape(shape)}`);
}

function fail(kind: string, message: string): never {
  throw new GraphError(`${kind}: ${message}`);
}
