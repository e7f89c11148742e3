/**
 * ONNX nodes of each op, for operator set 23 and the contrib set of ONNX Runtime.
 *
 * Each choice runs on the CPU and on the WebGPU provider without falling back: int32 indices, `Gemm` with transposition
 * flags, cross-entropy by reductions and GatherElements, scatter by ScatterElements(add), and never the second
 * output of SimplifiedLayerNormalization, which WebGPU fills with another quantity than the CPU does.
 */
import type { Dim, Shape } from "../graph/dims.ts";
import { dimAt } from "../graph/dims.ts";
import type { Node } from "../graph/graph.ts";
import type { None, OpAttributes, OpKind } from "../graph/ops.ts";
import { emitGatherParts, emitProductParts, type PartContext } from "./large-constants.ts";
import { emitProduct } from "./products.ts";
import { ELEMENT_TYPES } from "./proto.ts";
import { emitLinearRecurrence, emitUnitLowerInverse, type RecurrenceContext } from "./recurrence.ts";

/** Version of the standard operator set. */
export const OPSET = 23;
/** Domain of ONNX Runtime's own operators. */
export const CONTRIB = "com.microsoft";

type EmitNode = RecurrenceContext["emit"];

/** What a rule may do. Values are known by name. */
export type EmitContext = RecurrenceContext &
  PartContext & {
    /** As `emit`, for a node that must have a second output, which nobody reads. */
    readonly emitFirst: EmitNode;
    /** Adds a node of `CONTRIB`. */
    readonly contrib: EmitNode;
    /** Name of a float scalar constant. */
    readonly scalar: (value: number) => string;
  };

type Site<A> = {
  readonly node: Node;
  readonly attributes: A;
  readonly inputs: readonly string[];
  readonly context: EmitContext;
};
type Rule<A> = (site: Site<A>) => string;

const plain =
  (op: string): Rule<None> =>
  ({ inputs, context }) =>
    context.emit(op, inputs);

const reduction =
  (op: string): Rule<OpAttributes["reduceSum"]> =>
  ({ inputs: [x = ""], attributes: { axes, keepDims }, context }) =>
    context.emit(op, [x, context.integers(axes)], { keepdims: { int: keepDims ? 1 : 0 } });

/** The rules, one for each op. Inputs and constants are named by the emitter and never reach theirs. */
export const EMIT: { readonly [K in OpKind]: Rule<OpAttributes[K]> } = {
  input: ({ attributes: { name } }) => name,
  constant: ({ inputs: [name = ""] }) => name,

  neg: plain("Neg"),
  exp: plain("Exp"),
  sqrt: plain("Sqrt"),
  reciprocal: plain("Reciprocal"),
  sigmoid: plain("Sigmoid"),
  silu: ({ inputs, context }) => context.contrib("QuickGelu", inputs, { alpha: { float: 1 } }),

  add: plain("Add"),
  sub: plain("Sub"),
  mul: plain("Mul"),
  div: plain("Div"),

  matmul: plain("MatMul"),
  gemm: ({ node, inputs, attributes, context }) => {
    const parts = context.partsOf(node.inputs[1]);
    return parts
      ? emitProductParts(parts, { inputs, attributes }, context)
      : emitProduct({ node, inputs, attributes }, context);
  },
  mergedLinear: ({ node, inputs: [x = "", merged = ""], context }) =>
    emitProduct({ node, inputs: [x, merged], attributes: { transA: false, transB: true, alpha: 1 } }, context),

  reshape: ({ node, inputs: [x = ""], attributes: { shape }, context }) =>
    context.emit("Reshape", [x, context.integers(reshapeTarget(sourceShape(node), shape))]),
  transpose: ({ inputs, attributes: { perm }, context }) => context.emit("Transpose", inputs, { perm: { ints: perm } }),
  expand: ({ node, inputs: [x = ""], attributes: { shape }, context }) =>
    context.emit("Expand", [x, context.integers(expandTarget(sourceShape(node), shape))]),
  concat: ({ inputs, attributes: { axis }, context }) => context.emit("Concat", inputs, { axis: { int: axis } }),
  slice: ({ inputs: [x = ""], attributes: { axis, start, end }, context }) =>
    context.emit("Slice", [x, context.integers([start]), context.integers([end]), context.integers([axis])]),

  reduceSum: reduction("ReduceSum"),
  reduceMean: reduction("ReduceMean"),
  softmax: plain("Softmax"),
  logSumExp: ({ inputs: [x = ""], context }) => {
    const { largest, logSum } = logSumExpParts(x, context);
    return context.emit("Add", [largest, logSum]);
  },

  unitLowerInverse: ({ node, inputs: [x = ""], context }) =>
    emitUnitLowerInverse(x, Number(dimAt(node.shape, -1)), context),
  linearRecurrence: ({ node, inputs, context }) =>
    emitLinearRecurrence(node as Node<"linearRecurrence">, inputs, context),

  gather: ({ node, inputs, context }) => {
    const parts = context.partsOf(node.inputs[0]);
    return parts ? emitGatherParts(parts, inputs[1] ?? "", context) : context.emit("Gather", inputs);
  },
  scatterRows: ({ node, inputs: [indices = "", updates = ""], attributes: { rows }, context }) => {
    const [, width = 1] = node.shape;
    const count = dimAt(node.inputs[0]?.shape ?? [], 0);
    const zeros = context.emit("Expand", [context.scalar(0), context.integers([rows, width])]);
    const column = context.emit("Reshape", [indices, context.integers([-1, 1])]);
    const wide = context.emit("Expand", [column, context.integers(expandTarget([count, 1], [count, width]))]);
    return context.emit("ScatterElements", [zeros, wide, updates], { axis: { int: 0 }, reduction: { text: "add" } });
  },

  rmsNorm: ({ inputs, attributes: { eps }, context }) =>
    context.emit("SimplifiedLayerNormalization", inputs, {
      axis: { int: -1 },
      epsilon: { float: eps },
      stash_type: { int: 1 },
    }),
  rotary: ({ inputs, attributes: { heads }, context }) =>
    context.emit("RotaryEmbedding", inputs, { num_heads: { int: heads } }),
  crossEntropy: ({ inputs: [logits = "", labels = ""], context }) => {
    const { shifted, logSum } = logSumExpParts(logits, context);
    const column = context.emit("Reshape", [labels, context.integers([-1, 1])]);
    const chosen = context.emit("GatherElements", [shifted, column], { axis: { int: 1 } });
    return context.emit("Sub", [logSum, chosen]);
  },
  sampleToken: ({ inputs: [logits = "", uniforms = ""], attributes, context }) => {
    const cumulative = context.emit("CumSum", [candidateWeights(logits, attributes, context), context.integers([1])]);
    const total = context.emit("ReduceMax", [cumulative, context.integers([1])], KEEP);
    const before = countBefore("LessOrEqual", [cumulative, context.emit("Mul", [uniforms, total])], context);
    // A product that rounds up to the total would give no token: the last possible one bounds it.
    const last = countBefore("Less", [cumulative, total], context);
    return context.emit("Cast", [context.emit("Min", [before, last])], { to: { int: ELEMENT_TYPES.i32 } });
  },
  crossEntropyGrad: ({ inputs: [logits = "", labels = "", upstream = ""], context }) => {
    const scaled = context.emit("Mul", [context.emit("Softmax", [logits]), upstream]);
    const column = context.emit("Reshape", [labels, context.integers([-1, 1])]);
    const minus = context.emit("Neg", [upstream]);
    return context.emit("ScatterElements", [scaled, column, minus], { axis: { int: 1 }, reduction: { text: "add" } });
  },
};

const KEEP = { keepdims: { int: 1 } };

/** exp((l - max l) / temperature) of each logit, 0 below the k-th largest. */
function candidateWeights(
  logits: string,
  { topK, temperature }: OpAttributes["sampleToken"],
  context: EmitContext,
): string {
  const shifted = context.emit("Sub", [logits, context.emit("ReduceMax", [logits, context.integers([1])], KEEP)]);
  const scaled = temperature === 1 ? shifted : context.emit("Mul", [shifted, context.scalar(1 / temperature)]);
  const weights = context.emit("Exp", [scaled]);
  if (topK === 0) return weights;
  const largest = context.emitFirst("TopK", [logits, context.integers([topK])]);
  const least = context.emit("Slice", [largest, ...[topK - 1, topK, 1].map((value) => context.integers([value]))]);
  return context.emit("Where", [context.emit("GreaterOrEqual", [logits, least]), weights, context.scalar(0)]);
}

/** [N], as floats: how many elements of each row of a matrix compare so with the row's bound. */
function countBefore(
  comparison: "Less" | "LessOrEqual",
  operands: readonly [string, string],
  context: EmitContext,
): string {
  const isBefore = context.emit("Cast", [context.emit(comparison, operands)], { to: { int: ELEMENT_TYPES.f32 } });
  return context.emit("ReduceSum", [isBefore, context.integers([1])], { keepdims: { int: 0 } });
}

/** Not ReduceLogSumExp: WebGPU's overflows above 88, and the CPU's takes four times as long as these parts. */
function logSumExpParts(x: string, context: EmitContext): { largest: string; shifted: string; logSum: string } {
  const largest = context.emit("ReduceMax", [x, context.integers([1])], KEEP);
  const shifted = context.emit("Sub", [x, largest]);
  const sum = context.emit("ReduceSum", [context.emit("Exp", [shifted]), context.integers([1])], KEEP);
  return { largest, shifted, logSum: context.emit("Log", [sum]) };
}

function sourceShape(node: Node): Shape {
  return node.inputs[0]?.shape ?? [];
}

/** A constant target wherever ONNX can express one: 0 copies the axis, one -1 is worked out from the size. */
function reshapeTarget(from: Shape, to: Shape): Dim[] {
  const copied = to.map((dim, axis) => (typeof dim === "string" && dim === from[axis] ? 0 : dim));
  const open = copied.filter((dim) => typeof dim === "string");
  return open.length <= 1 ? copied.map((dim) => (typeof dim === "string" ? -1 : dim)) : [...to];
}

/** Expand broadcasts both ways, so an axis that stays as it is can be asked for as 1. */
function expandTarget(from: Shape, to: Shape): Dim[] {
  const extra = to.length - from.length;
  return to.map((dim, axis) => (axis >= extra && from[axis - extra] === dim ? 1 : dim));
}
