/**
 * Gradient rule of each op: from the gradient of a node to those of its inputs (vector-Jacobian products).
 *
 * A rule returns one entry an input; `undefined` where no gradient flows. `wants[i]` says whether input i leads to
 * something that is differentiated, so that a frozen weight costs nothing. Products with matrices are written as `gemm`
 * with transposition flags, never as a transpose of a weight, which ONNX Runtime would copy (issue notes on prepacking).
 */
import { GraphError } from "../base/errors.ts";
import * as g from "./builder.ts";
import { addDims, dimAt, mulDims, subtractDims, type Dim, type Shape } from "./dims.ts";
import type { Node } from "./graph.ts";
import type { None, OpAttributes, OpKind } from "./ops.ts";

type Gradients = readonly (Node | undefined)[];
type Site<A> = {
  readonly node: Node;
  readonly attributes: A;
  readonly inputs: readonly Node[];
  readonly dy: Node;
  readonly wants: readonly boolean[];
};
type Rule<A> = (site: Site<A>) => Gradients;

const leaf: Rule<unknown> = () => [];
const notDifferentiable = (kind: string) => (): Gradients => {
  throw new GraphError(`${kind} has no gradient rule: second derivatives are not supported`);
};

/** The rules, one for each op. */
const VJP: { readonly [K in OpKind]: Rule<OpAttributes[K]> } = {
  input: leaf,
  constant: leaf,

  neg: ({ dy }) => [g.neg(dy)],
  exp: ({ node, dy }) => [g.mul(dy, node)],
  sqrt: ({ node, dy }) => [g.mul(dy, g.div(g.scalar(0.5), node))],
  reciprocal: ({ node, dy }) => [g.neg(g.mul(dy, g.mul(node, node)))],
  sigmoid: ({ node, dy }) => [g.mul(dy, g.mul(node, g.sub(g.scalar(1), node)))],
  // With s = sigmoid(x) and y = x s: dy/dx = s + y (1 - s).
  silu: ({ node, inputs: [x], dy }) => {
    const s = g.sigmoid(required(x));
    return [g.mul(dy, g.add(s, g.sub(node, g.mul(node, s))))];
  },

  add: ({ inputs, dy, wants }) => broadcastGradients(inputs, wants, () => dy),
  sub: ({ inputs, dy, wants }) => broadcastGradients(inputs, wants, (i) => (i === 0 ? dy : g.neg(dy))),
  mul: ({ inputs, dy, wants }) => broadcastGradients(inputs, wants, (i) => g.mul(dy, required(inputs[1 - i]))),
  div: ({ node, inputs, dy, wants }) =>
    broadcastGradients(inputs, wants, (i) => {
      const ratio = g.div(dy, required(inputs[1]));
      return i === 0 ? ratio : g.neg(g.mul(ratio, node));
    }),

  matmul: ({ inputs, dy, wants }) => {
    const [a, b] = [required(inputs[0]), required(inputs[1])];
    if (b.shape.length === 2 && a.shape.length > 2 && wants[1])
      throw new GraphError("matmul: flatten the left side to a matrix to differentiate a matrix on the right");
    return [
      wants[0] ? g.matmul(dy, g.swapLast(b)) : undefined,
      wants[1] ? sumTo(g.matmul(g.swapLast(a), dy), b.shape) : undefined,
    ];
  },
  gemm: ({ inputs, attributes: { transA, transB, alpha }, dy, wants }) => {
    const [a, b] = [required(inputs[0]), required(inputs[1])];
    const da = (): Node =>
      transA ? g.gemm(b, dy, { transA: transB, transB: true, alpha }) : g.gemm(dy, b, { transB: !transB, alpha });
    const db = (): Node =>
      transB ? g.gemm(dy, a, { transA: true, transB: transA, alpha }) : g.gemm(a, dy, { transA: !transA, alpha });
    const c = inputs[2];
    return [wants[0] ? da() : undefined, wants[1] ? db() : undefined, c && wants[2] ? sumTo(dy, c.shape) : undefined];
  },
  // y = x w'^T with w' = w + s b a, so dx = dy w', da = s (dy b)^T x, db = s dy^T (x a^T).
  mergedLinear: ({ inputs, attributes: { scale }, dy, wants }) => {
    const [x, merged] = [required(inputs[0]), required(inputs[1])];
    const [a, b] = [required(inputs[2]), required(inputs[3])];
    return [
      wants[0] ? g.gemm(dy, merged) : undefined,
      undefined,
      wants[2] ? g.gemm(g.gemm(dy, b), x, { transA: true, alpha: scale }) : undefined,
      wants[3] ? g.gemm(dy, g.gemm(x, a, { transB: true }), { transA: true, alpha: scale }) : undefined,
    ];
  },

  reshape: ({ inputs: [x], dy }) => [g.reshape(dy, required(x).shape)],
  transpose: ({ attributes: { perm }, dy }) => [g.transpose(dy, inversePermutation(perm))],
  expand: ({ inputs: [x], dy }) => [sumTo(dy, required(x).shape)],
  concat: ({ inputs, attributes: { axis }, dy, wants }) => {
    let start: Dim = 0;
    return inputs.map((part, index) => {
      const from = start;
      start = addDims(from, dimAt(part.shape, axis));
      return wants[index] ? g.slice(dy, { axis, start: from, end: start }) : undefined;
    });
  },
  slice: ({ inputs: [x], attributes: { axis, start, end }, dy }) => {
    const { shape } = required(x);
    const zeros = (length: Dim): Node[] =>
      length === 0
        ? []
        : [
            g.expand(
              g.scalar(0),
              shape.map((dim, i) => (i === axis ? length : dim)),
            ),
          ];
    return [g.concat([...zeros(start), dy, ...zeros(subtractDims(dimAt(shape, axis), end))], axis)];
  },

  reduceSum: ({ inputs: [x], attributes, dy }) => [spread(dy, required(x).shape, attributes)],
  reduceMean: ({ inputs: [x], attributes, dy }) => {
    const { shape } = required(x);
    const count = mulDims(...attributes.axes.map((axis) => dimAt(shape, axis)));
    if (typeof count === "string") throw new GraphError("reduceMean: only fixed sizes can be differentiated");
    return [spread(g.mul(dy, g.scalar(1 / count)), shape, attributes)];
  },
  // dx = y (dy - sum(dy y)).
  softmax: ({ node, dy }) => {
    const last = node.shape.length - 1;
    const weighted = g.mul(dy, node);
    return [g.sub(weighted, g.mul(node, g.reduceSum(weighted, [last], { keepDims: true })))];
  },
  logSumExp: ({ inputs: [x], dy }) => [g.mul(g.softmax(required(x)), dy)],

  // With y = (I + l)^-1: dl = -y^T dy y^T below the diagonal.
  unitLowerInverse: ({ node, dy }) => {
    const transposed = g.swapLast(node);
    const all = g.matmul(g.matmul(transposed, dy), transposed);
    return [g.mul(all, g.neg(strictlyLower(dimAt(node.shape, -1))))];
  },
  // With d_n the gradient that reaches S_n, also by way of later states: d_n = A_n^T d_(n+1) + dy_n, which is the recurrence
  // the other way round; dB_n = d_(n+1), dA_n = d_(n+1) S_n^T.
  linearRecurrence: ({ node, inputs: [, transitions], attributes: { isReversed }, dy, wants }) => {
    const axis = node.shape.length - 3;
    const total = dimAt(node.shape, axis);
    const steps = subtractDims(total, 1);
    const cut = (x: Node, start: Dim, end: Dim): Node => g.slice(x, { axis, start, end });
    const atStart = (x: Node): Node => cut(x, 0, steps);
    const atEnd = (x: Node): Node => cut(x, 1, total);
    const [before, after] = isReversed ? [atEnd, atStart] : [atStart, atEnd];
    const one = (x: Node, index: Dim): Node =>
      g.reshape(cut(x, index, addDims(index, 1)), [...x.shape.slice(0, axis), ...x.shape.slice(-2)]);
    const arriving = g.linearRecurrence(
      { initial: one(dy, isReversed ? 0 : steps), transitions: g.swapLast(required(transitions)), updates: before(dy) },
      { isReversed: !isReversed },
    );
    return [
      wants[0] ? one(arriving, isReversed ? steps : 0) : undefined,
      wants[1] ? g.matmul(after(arriving), g.swapLast(before(node))) : undefined,
      wants[2] ? after(arriving) : undefined,
    ];
  },

  gather: ({ inputs, dy, wants }) => {
    const [data, indices] = [required(inputs[0]), required(inputs[1])];
    if (!wants[0]) return [undefined, undefined];
    const count = mulDims(...indices.shape);
    const width = mulDims(...data.shape.slice(1));
    const rows = g.scatterRows(g.reshape(indices, [count]), g.reshape(dy, [count, width]), dimAt(data.shape, 0));
    return [g.reshape(rows, data.shape), undefined];
  },
  scatterRows: notDifferentiable("scatterRows"),

  // With r = 1 / sqrt(mean(x^2) + eps) and h = x r: dx = r (dy w - h mean(dy w h)), dw = sum(dy h).
  rmsNorm: ({ inputs, attributes: { eps }, dy, wants }) => {
    const [x, weight] = [required(inputs[0]), required(inputs[1])];
    const last = x.shape.length - 1;
    const meanSquare = g.reduceMean(g.mul(x, x), [last], { keepDims: true });
    const r = g.reciprocal(g.sqrt(g.add(meanSquare, g.scalar(eps))));
    const h = g.mul(x, r);
    const scaled = g.mul(dy, weight);
    const projection = g.reduceMean(g.mul(scaled, h), [last], { keepDims: true });
    return [
      wants[0] ? g.mul(r, g.sub(scaled, g.mul(h, projection))) : undefined,
      wants[1] ? sumTo(g.mul(dy, h), weight.shape) : undefined,
    ];
  },
  // A rotation's transpose is the rotation by the opposite angle.
  rotary: ({ inputs, attributes: { heads }, dy }) => {
    const [cos, sin] = [required(inputs[1]), required(inputs[2])];
    return [g.rotary(dy, { cos, sin: g.neg(sin) }, heads), undefined, undefined];
  },
  crossEntropy: ({ inputs, dy }) => [g.crossEntropyGrad(required(inputs[0]), required(inputs[1]), dy), undefined],
  sampleToken: notDifferentiable("sampleToken"),
  crossEntropyGrad: notDifferentiable("crossEntropyGrad"),
};

/** Sums `x` over the axes along which `shape` was broadcast to it. */
function sumTo(x: Node, shape: Shape): Node {
  const extra = x.shape.length - shape.length;
  const axes = x.shape.flatMap((dim, axis) => (axis < extra || (shape[axis - extra] === 1 && dim !== 1) ? [axis] : []));
  return g.reshape(g.reduceSum(x, axes, { keepDims: true }), shape);
}

function broadcastGradients(
  inputs: readonly Node[],
  wants: readonly boolean[],
  gradient: (index: number) => Node,
): Gradients {
  return inputs.map((value, index) => (wants[index] ? sumTo(gradient(index), value.shape) : undefined));
}

/** Undoes a reduction: puts the reduced axes back and broadcasts over them. */
function spread(dy: Node, shape: Shape, { axes }: OpAttributes["reduceSum"]): Node {
  const kept = shape.map((dim, axis) => (axes.includes(axis) ? 1 : dim));
  return g.expand(g.reshape(dy, kept), shape);
}

/** [C, C] of 1 below the diagonal. */
function strictlyLower(size: Dim): Node {
  if (typeof size === "string") throw new GraphError("unitLowerInverse: the matrices must have a fixed size");
  const data = Float32Array.from({ length: size * size }, (_, i) => (i % size < Math.floor(i / size) ? 1 : 0));
  return g.constant(data, [size, size]);
}

function inversePermutation(perm: readonly number[]): number[] {
  const inverse = Array<number>(perm.length).fill(0);
  perm.forEach((axis, index) => (inverse[axis] = index));
  return inverse;
}

function required(node: Node | undefined): Node {
  if (!node) throw new GraphError("gradient rule: an input is missing");
  return node;
}

/** Rules keyed like `VJP` whose site is not known until run time. */
export function inputGradients(node: Node, dy: Node, wants: readonly boolean[]): Gradients {
  const rule = VJP[node.kind] as Rule<OpAttributes[OpKind] | None>;
  return rule({ node, attributes: node.attributes, inputs: node.inputs, dy, wants });
}
