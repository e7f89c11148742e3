/** One function for each op: checks shapes at once, and folds what costs nothing to fold. */
import type { Dim, Shape } from "./dims.ts";
import { sameShape } from "./dims.ts";
import type { Node } from "./graph.ts";
import { INFER, type ValueInfo } from "./infer.ts";
import type { DType, None, OpAttributes, OpKind } from "./ops.ts";

const NONE: None = {};

/** A value fed at each run. Symbols in `shape` are bound by what is fed. */
export function input(name: string, type: DType, shape: Shape): Node<"input"> {
  return make("input", [], { name, type, shape });
}

/** A value fixed now; not copied. */
export function constant(data: Float32Array | Int32Array, shape: readonly number[]): Node<"constant"> {
  return make("constant", [], { type: data instanceof Float32Array ? "f32" : "i32", shape, data });
}

/** A scalar that broadcasts to anything. */
export function scalar(value: number): Node<"constant"> {
  return constant(Float32Array.of(value), []);
}

/** -x. */
export const neg = (x: Node): Node => make("neg", [x], NONE);
/** e to the x. */
export const exp = (x: Node): Node => make("exp", [x], NONE);
/** Square root of x. */
export const sqrt = (x: Node): Node => make("sqrt", [x], NONE);
/** 1 / x. */
export const reciprocal = (x: Node): Node => make("reciprocal", [x], NONE);
/** 1 / (1 + e to the -x). */
export const sigmoid = (x: Node): Node => make("sigmoid", [x], NONE);
/** x * sigmoid(x). */
export const silu = (x: Node): Node => make("silu", [x], NONE);
/** a + b, broadcast. */
export const add = (a: Node, b: Node): Node => make("add", [a, b], NONE);
/** a - b, broadcast. */
export const sub = (a: Node, b: Node): Node => make("sub", [a, b], NONE);
/** a * b, broadcast. */
export const mul = (a: Node, b: Node): Node => make("mul", [a, b], NONE);
/** a / b, broadcast. */
export const div = (a: Node, b: Node): Node => make("div", [a, b], NONE);
/** Batched matrix product. */
export const matmul = (a: Node, b: Node): Node => make("matmul", [a, b], NONE);
/** Softmax over the last axis. */
export const softmax = (x: Node): Node => make("softmax", [x], NONE);
/** ln of the sum of exp over the rows of a matrix, [N, 1]. */
export const logSumExp = (x: Node): Node => make("logSumExp", [x], NONE);
/** The inverses of I + L, L being what each matrix of `x` [..., C, C] holds below its diagonal. */
export const unitLowerInverse = (x: Node): Node => make("unitLowerInverse", [x], NONE);
/** Rows of `data` at `indices`. */
export const gather = (data: Node, indices: Node): Node => make("gather", [data, indices], NONE);
/** Negative log-likelihood [N, 1] of `labels` [N] under `logits` [N, V]. */
export const crossEntropy = (logits: Node, labels: Node): Node => make("crossEntropy", [logits, labels], NONE);

/** Inputs of `linearRecurrence`: [..., K, E], [..., N, K, K] and [..., N, K, E]. */
export type RecurrenceInputs = { readonly initial: Node; readonly transitions: Node; readonly updates: Node };
/** Options of `linearRecurrence`. */
export type RecurrenceOptions = {
  /** From the last state to the first. @default false */
  readonly isReversed?: boolean;
};

/** All states [..., N + 1, K, E] of S_(n+1) = A_n S_n + B_n. */
export function linearRecurrence(inputs: RecurrenceInputs, { isReversed = false }: RecurrenceOptions = {}): Node {
  const { initial, transitions, updates } = inputs;
  return make("linearRecurrence", [initial, transitions, updates], { isReversed });
}

/** How `sampleToken` draws. */
export type SampleRule = OpAttributes["sampleToken"];

/** A token [N] from each row of `logits` [N, V], drawn by `uniforms` [N, 1]. */
export function sampleToken(logits: Node, uniforms: Node, rule: SampleRule): Node {
  return make("sampleToken", [logits, uniforms], rule);
}

/** Options of `gemm`. */
export type GemmOptions = {
  readonly transA?: boolean;
  readonly transB?: boolean;
  /** Factor of the product. @default 1 */
  readonly alpha?: number;
  /** Added; broadcasts to the product. @default nothing */
  readonly c?: Node;
};

/** alpha * op(a) op(b) + c for matrices. */
export function gemm(a: Node, b: Node, options: GemmOptions = {}): Node {
  const { transA = false, transB = false, alpha = 1, c } = options;
  return make("gemm", c ? [a, b, c] : [a, b], { transA, transB, alpha });
}

/** Inputs of `mergedLinear`. */
export type MergedLinearInputs = { readonly merged: Node; readonly a: Node; readonly b: Node; readonly scale: number };

/** x [N, I] times merged LoRA weights [O, I] transposed, with the gradient going to a and b. */
export function mergedLinear(x: Node, { merged, a, b, scale }: MergedLinearInputs): Node {
  return make("mergedLinear", [x, merged, a, b], { scale });
}

/** `x` with another shape of the same size. */
export function reshape(x: Node, shape: Shape): Node {
  if (sameShape(x.shape, shape)) return x;
  const source = x.kind === "reshape" ? (x.inputs[0] ?? x) : x;
  return sameShape(source.shape, shape) ? source : make("reshape", [source], { shape });
}

/** `x` with its axes in the order `perm`. */
export function transpose(x: Node, perm: readonly number[]): Node {
  return perm.every((axis, index) => axis === index) ? x : make("transpose", [x], { perm });
}

/** `x` with its last two axes swapped. */
export function swapLast(x: Node): Node {
  const axes = x.shape.map((_, axis) => axis);
  return transpose(x, [...axes.slice(0, -2), axes.length - 1, axes.length - 2]);
}

/** `x` broadcast to `shape`. */
export function expand(x: Node, shape: Shape): Node {
  return sameShape(x.shape, shape) ? x : make("expand", [x], { shape });
}

/** `parts` joined along `axis`. */
export function concat(parts: readonly Node[], axis: number): Node {
  const [first] = parts;
  return parts.length === 1 && first ? first : make("concat", parts, { axis });
}

/** A range along one axis. */
export type SliceRange = { readonly axis: number; readonly start: Dim; readonly end: Dim };

/** The elements of `x` in `range`. */
export function slice(x: Node, range: SliceRange): Node {
  return range.start === 0 && range.end === x.shape[range.axis] ? x : make("slice", [x], range);
}

/** Options of a reduction. */
export type ReduceOptions = { readonly keepDims?: boolean };

/** Sum over `axes`. @default keepDims false */
export function reduceSum(x: Node, axes: readonly number[], { keepDims = false }: ReduceOptions = {}): Node {
  return axes.length === 0 ? x : make("reduceSum", [x], { axes, keepDims });
}

/** Mean over `axes`. @default keepDims false */
export function reduceMean(x: Node, axes: readonly number[], { keepDims = false }: ReduceOptions = {}): Node {
  return axes.length === 0 ? x : make("reduceMean", [x], { axes, keepDims });
}

/** Sum of `updates` [N, D] into `rows` rows of zeros at `indices` [N]. */
export function scatterRows(indices: Node, updates: Node, rows: Dim): Node {
  return make("scatterRows", [indices, updates], { rows });
}

/** Root mean square norm of `x` [..., D] over its last axis, times `weight` [D]. */
export function rmsNorm(x: Node, weight: Node, eps: number): Node {
  return make("rmsNorm", [x, weight], { eps });
}

/** Tables of `rotary`, each [B, T, E / 2]. */
export type RotaryTables = { readonly cos: Node; readonly sin: Node };

/** Rotary embedding of `x` [B, T, heads * E]. */
export function rotary(x: Node, tables: RotaryTables, heads: number): Node {
  return make("rotary", [x, tables.cos, tables.sin], { heads });
}

/** Gradient of `crossEntropy` for `upstream` [N, 1]. */
export function crossEntropyGrad(logits: Node, labels: Node, upstream: Node): Node {
  return make("crossEntropyGrad", [logits, labels, upstream], NONE);
}

function make<K extends OpKind>(kind: K, inputs: readonly Node[], attributes: OpAttributes[K]): Node<K> {
  const { type, shape }: ValueInfo = INFER[kind](inputs, attributes);
  // A mapped union cannot be built generically; the fields are exactly those of Node<K>.
  return { kind, inputs, attributes, type, shape };
}
