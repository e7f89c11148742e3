/**
 * A plain evaluator in float64, the oracle for every op: slow, simple, and sharing nothing with ONNX Runtime. Tests
 * compare it with each device, and finite differences of it with the gradient rules.
 */
import { GraphError } from "../base/errors.ts";
import { bindDim, evalDim, evalShape, type Bindings } from "./dims.ts";
import type { Graph, Node } from "./graph.ts";
import type { None, OpAttributes, OpKind } from "./ops.ts";

/** A value: numbers in row-major order, indices held as numbers too. */
export type Value = { readonly shape: readonly number[]; readonly data: Float64Array };

type Site<A> = {
  readonly inputs: readonly Value[];
  readonly attributes: A;
  readonly shape: readonly number[];
  readonly bindings: Bindings;
};
type Rule<A> = (site: Site<A>) => Float64Array;

/** Values of the outputs of `graph` for `feeds`, by name. */
export function evaluateGraph(graph: Graph, feeds: Readonly<Record<string, Value>>): Record<string, Value> {
  const bindings = bindSymbols(graph, feeds);
  const values = new Map<Node, Value>();
  for (const node of graph.nodes) {
    const shape = evalShape(node.shape, bindings);
    const inputs = node.inputs.map((value) => values.get(value) ?? missing());
    const rule = EVALUATE[node.kind] as Rule<OpAttributes[OpKind]>;
    const data =
      node.kind === "input"
        ? (feeds[node.attributes.name]?.data ?? missing())
        : rule({ inputs, attributes: node.attributes, shape, bindings });
    values.set(node, { shape, data });
  }
  return Object.fromEntries(
    Object.entries(graph.outputs).map(([name, node]) => [name, values.get(node) ?? missing()] as const),
  );
}

function bindSymbols(graph: Graph, feeds: Readonly<Record<string, Value>>): Bindings {
  const bindings = new Map<string, number>();
  for (const { attributes } of graph.inputs)
    attributes.shape.forEach((dim, axis) => {
      const size = feeds[attributes.name]?.shape[axis];
      if (size !== undefined) bindDim(bindings, dim, size);
    });
  return bindings;
}

const unary =
  (f: (x: number) => number): Rule<None> =>
  ({ inputs: [x] }) =>
    (x ?? missing()).data.map(f);

const binary =
  (f: (a: number, b: number) => number): Rule<None> =>
  ({ inputs: [a, b], shape }) => {
    const [left, right] = [broadcastTo(a ?? missing(), shape), broadcastTo(b ?? missing(), shape)];
    return left.map((value, i) => f(value, at(right, i)));
  };

const reduction =
  (isMean: boolean): Rule<OpAttributes["reduceSum"]> =>
  ({ inputs: [x], attributes: { axes }, shape }) => {
    const source = x ?? missing();
    const kept = source.shape.map((dim, axis) => (axes.includes(axis) ? 1 : dim));
    const out = new Float64Array(size(shape));
    const target = strides(kept).map((stride, axis) => (axes.includes(axis) ? 0 : stride));
    forEachIndex(source.shape, (index, flat) => {
      addAt(out, dot(index, target), at(source.data, flat));
    });
    return isMean ? out.map((value) => (value * out.length) / source.data.length) : out;
  };

const EVALUATE: { readonly [K in OpKind]: Rule<OpAttributes[K]> } = {
  input: missing,
  constant: ({ attributes: { data } }) => Float64Array.from(data),
  neg: unary((x) => -x),
  exp: unary(Math.exp),
  sqrt: unary(Math.sqrt),
  reciprocal: unary((x) => 1 / x),
  sigmoid: unary((x) => 1 / (1 + Math.exp(-x))),
  silu: unary((x) => x / (1 + Math.exp(-x))),
  add: binary((a, b) => a + b),
  sub: binary((a, b) => a - b),
  mul: binary((a, b) => a * b),
  div: binary((a, b) => a / b),
  matmul: ({ inputs: [a, b], shape }) => batchedProduct(a ?? missing(), b ?? missing(), shape),
  gemm: ({ inputs: [a, b, c], attributes: { transA, transB, alpha }, shape }) => {
    const left = transA ? transposed(a ?? missing()) : (a ?? missing());
    const right = transB ? transposed(b ?? missing()) : (b ?? missing());
    const product = batchedProduct(left, right, shape);
    const bias = c && broadcastTo(c, shape);
    return product.map((value, i) => alpha * value + (bias ? at(bias, i) : 0));
  },
  mergedLinear: ({ inputs: [x, merged], shape }) =>
    batchedProduct(x ?? missing(), transposed(merged ?? missing()), shape),
  reshape: ({ inputs: [x] }) => (x ?? missing()).data,
  transpose: ({ inputs: [x], attributes: { perm }, shape }) => {
    const source = x ?? missing();
    const from = strides(source.shape);
    const moved = perm.map((axis) => at(from, axis));
    return fill(shape, (index) => at(source.data, dot(index, moved)));
  },
  expand: ({ inputs: [x], shape }) => broadcastTo(x ?? missing(), shape),
  concat: ({ inputs, attributes: { axis }, shape }) => {
    const out = new Float64Array(size(shape));
    const target = strides(shape);
    let offset = 0;
    for (const part of inputs) {
      const start = offset * at(target, axis);
      forEachIndex(part.shape, (index, flat) => (out[start + dot(index, target)] = at(part.data, flat)));
      offset += at(part.shape, axis);
    }
    return out;
  },
  slice: ({ inputs: [x], attributes: { axis, start }, shape, bindings }) => {
    const source = x ?? missing();
    const from = strides(source.shape);
    const base = evalDim(start, bindings) * at(from, axis);
    return fill(shape, (index) => at(source.data, base + dot(index, from)));
  },
  reduceSum: reduction(false),
  reduceMean: reduction(true),
  softmax: ({ inputs: [x] }) => byRow(x ?? missing(), softmaxRow),
  logSumExp: ({ inputs: [x] }) =>
    Float64Array.from(splitRows(x ?? missing()), (row) => {
      const largest = row.reduce((a, b) => Math.max(a, b), -Infinity);
      return largest + Math.log(row.reduce((sum, value) => sum + Math.exp(value - largest), 0));
    }),
  gather: ({ inputs: [data, indices] }) => {
    const table = data ?? missing();
    const width = size(table.shape.slice(1));
    const rows = indices ?? missing();
    const out = new Float64Array(rows.data.length * width);
    rows.data.forEach((row, i) => {
      out.set(table.data.subarray(row * width, (row + 1) * width), i * width);
    });
    return out;
  },
  scatterRows: ({ inputs: [indices, updates], shape }) => {
    const [rows, source] = [indices ?? missing(), updates ?? missing()];
    const width = at(shape, 1);
    const out = new Float64Array(size(shape));
    rows.data.forEach((row, i) => {
      for (let j = 0; j < width; j += 1) addAt(out, row * width + j, at(source.data, i * width + j));
    });
    return out;
  },
  unitLowerInverse: ({ inputs: [x] }) => {
    const { shape, data } = x ?? missing();
    const n = at(shape, shape.length - 1);
    const out = new Float64Array(data.length);
    // Forward substitution, a row after those above it.
    for (let base = 0; base < data.length; base += n * n)
      for (let i = 0; i < n; i += 1)
        for (let j = 0; j < n; j += 1) {
          let sum = i === j ? 1 : 0;
          for (let k = 0; k < i; k += 1) sum -= at(data, base + i * n + k) * at(out, base + k * n + j);
          out[base + i * n + j] = sum;
        }
    return out;
  },
  linearRecurrence: ({ inputs: [initial, transitions, updates], attributes: { isReversed }, shape }) => {
    const [first, moves, added] = [initial ?? missing(), transitions ?? missing(), updates ?? missing()];
    const [total, rows, columns] = shape.slice(-3) as [number, number, number];
    const out = new Float64Array(size(shape));
    const area = rows * columns;
    for (let batch = 0; batch * area < first.data.length; batch += 1) {
      const place = (n: number): number => (batch * total + n) * area;
      out.set(first.data.subarray(batch * area, (batch + 1) * area), place(isReversed ? total - 1 : 0));
      for (let step = 0; step < total - 1; step += 1) {
        const n = isReversed ? total - 2 - step : step;
        const [from, to] = isReversed ? [place(n + 1), place(n)] : [place(n), place(n + 1)];
        const site = batch * (total - 1) + n;
        for (let i = 0; i < area; i += 1) {
          const [row, column] = [Math.floor(i / columns), i % columns];
          let sum = at(added.data, site * area + i);
          for (let k = 0; k < rows; k += 1)
            sum += at(moves.data, (site * rows + row) * rows + k) * at(out, from + k * columns + column);
          out[to + i] = sum;
        }
      }
    }
    return out;
  },
  rmsNorm: ({ inputs: [x, weight], attributes: { eps } }) =>
    byRow(x ?? missing(), (row) => {
      const meanSquare = row.reduce((sum, value) => sum + value * value, 0) / row.length;
      const scale = 1 / Math.sqrt(meanSquare + eps);
      return row.map((value, i) => value * scale * at((weight ?? missing()).data, i));
    }),
  rotary: ({ inputs: [x, cos, sin], attributes: { heads }, shape }) => {
    const [source, c, s] = [(x ?? missing()).data, (cos ?? missing()).data, (sin ?? missing()).data];
    const head = at(shape, 2) / heads;
    const half = head / 2;
    return fill(shape, ([b = 0, t = 0, channel = 0], flat) => {
      const within = channel % head;
      const isFirst = within < half;
      const table = (b * at(shape, 1) + t) * half + (within % half);
      const partner = at(source, isFirst ? flat + half : flat - half);
      return at(source, flat) * at(c, table) + (isFirst ? -partner : partner) * at(s, table);
    });
  },
  crossEntropy: ({ inputs: [logits, labels] }) => {
    const rows = splitRows(logits ?? missing());
    return Float64Array.from(rows, (row, i) => -Math.log(at(softmaxRow(row), at((labels ?? missing()).data, i))));
  },
  sampleToken: ({ inputs: [logits, uniforms], attributes: { topK, temperature } }) => {
    const { shape, data } = logits ?? missing();
    const [rows, vocabulary] = [at(shape, 0), at(shape, 1)];
    return Float64Array.from({ length: rows }, (_, row) => {
      const values = data.slice(row * vocabulary, (row + 1) * vocabulary);
      const threshold =
        topK === 0
          ? -Infinity
          : at(
              values.toSorted((a, b) => b - a),
              topK - 1,
            );
      const mass = softmaxRow(values.map((value) => value / temperature)).map((p, id) =>
        at(values, id) >= threshold ? p : 0,
      );
      const wanted = at((uniforms ?? missing()).data, row) * mass.reduce((sum, p) => sum + p, 0);
      let passed = 0;
      return mass.findIndex((p) => (passed += p) > wanted);
    });
  },
  crossEntropyGrad: ({ inputs: [logits, labels, upstream] }) => {
    let row = 0;
    return byRow(logits ?? missing(), (values) => {
      const label = at((labels ?? missing()).data, row);
      const scale = at((upstream ?? missing()).data, row);
      row += 1;
      return softmaxRow(values).map((p, i) => scale * (p - (i === label ? 1 : 0)));
    });
  },
};

function batchedProduct(a: Value, b: Value, shape: readonly number[]): Float64Array {
  const [rows, columns] = [at(a.shape, a.shape.length - 2), at(b.shape, b.shape.length - 1)];
  const inner = at(a.shape, a.shape.length - 1);
  const batches = strides(b.shape).slice(0, -2);
  // A batch dimension of 1 on the right, or none at all, serves all of the left.
  const offsets = batches.map((stride, axis) => (b.shape[axis] === 1 ? 0 : stride));
  return fill(shape, (index, flat) => {
    const column = flat % columns;
    const row = Math.floor(flat / columns) % rows;
    const batch = Math.floor(flat / (columns * rows));
    const left = (batch * rows + row) * inner;
    const right = dot(offsets, index) + column;
    let sum = 0;
    for (let k = 0; k < inner; k += 1) sum += at(a.data, left + k) * at(b.data, right + k * columns);
    return sum;
  });
}

function transposed({ shape, data }: Value): Value {
  const [rows = 0, columns = 0] = shape;
  return {
    shape: [columns, rows],
    data: fill([columns, rows], ([column = 0, row = 0]) => at(data, row * columns + column)),
  };
}

function broadcastTo(value: Value, shape: readonly number[]): Float64Array {
  const extra = shape.length - value.shape.length;
  const from = strides(value.shape);
  const aligned = shape.map((_, axis) =>
    axis < extra || value.shape[axis - extra] === 1 ? 0 : at(from, axis - extra),
  );
  return fill(shape, (index) => at(value.data, dot(index, aligned)));
}

function softmaxRow(row: Float64Array): Float64Array {
  const largest = row.reduce((a, b) => Math.max(a, b), -Infinity);
  const weights = row.map((value) => Math.exp(value - largest));
  const total = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / total);
}

function splitRows({ shape, data }: Value): Float64Array[] {
  const width = at(shape, shape.length - 1);
  return Array.from({ length: width ? data.length / width : 0 }, (_, i) => data.subarray(i * width, (i + 1) * width));
}

function byRow(value: Value, f: (row: Float64Array) => Float64Array): Float64Array {
  const out = new Float64Array(value.data.length);
  let offset = 0;
  for (const row of splitRows(value)) {
    out.set(f(row), offset);
    offset += row.length;
  }
  return out;
}

function fill(shape: readonly number[], f: (index: readonly number[], flat: number) => number): Float64Array {
  const out = new Float64Array(size(shape));
  forEachIndex(shape, (index, flat) => (out[flat] = f(index, flat)));
  return out;
}

function forEachIndex(shape: readonly number[], visit: (index: readonly number[], flat: number) => void): void {
  const index = Array<number>(shape.length).fill(0);
  const total = size(shape);
  for (let flat = 0; flat < total; flat += 1) {
    visit(index, flat);
    for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
      index[axis] = at(index, axis) + 1;
      if (at(index, axis) < at(shape, axis)) break;
      index[axis] = 0;
    }
  }
}

function strides(shape: readonly number[]): number[] {
  const out = Array<number>(shape.length).fill(1);
  for (let axis = shape.length - 2; axis >= 0; axis -= 1) out[axis] = at(out, axis + 1) * at(shape, axis + 1);
  return out;
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, i) => sum + value * at(b, i), 0);
}

function size(shape: readonly number[]): number {
  return shape.reduce((product, dim) => product * dim, 1);
}

function at(values: ArrayLike<number>, index: number): number {
  return values[index] ?? missing();
}

function addAt(values: Float64Array, index: number, value: number): void {
  values[index] = at(values, index) + value;
}

function missing(): never {
  throw new GraphError("evaluate: a value or an element is missing");
}
