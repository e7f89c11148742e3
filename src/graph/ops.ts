/**
 * The op set: what a decoder, its loss and their gradients need, and nothing that one of the devices cannot run.
 *
 * Four total records are keyed by `OpKind`: shape rule (`infer.ts`), gradient rule (`vjp.ts`), ONNX emission
 * (`onnx/rules.ts`) and float64 evaluator (`evaluate.ts`). A missing rule does not compile.
 */
import type { Dim, Shape } from "./dims.ts";

/** Element types of graph values. */
export type DType = "f32" | "i32";

/** Attributes of each op. Axes are non-negative. */
export type OpAttributes = {
  /** A value fed at each run. */
  readonly input: { readonly name: string; readonly type: DType; readonly shape: Shape };
  /** A value fixed when the graph is built. */
  readonly constant: {
    readonly type: DType;
    readonly shape: readonly number[];
    readonly data: Float32Array | Int32Array;
  };

  readonly neg: None;
  readonly exp: None;
  readonly sqrt: None;
  readonly reciprocal: None;
  readonly sigmoid: None;
  /** x * sigmoid(x) (Elfwing et al., arXiv:1702.03118). */
  readonly silu: None;

  readonly add: None;
  readonly sub: None;
  readonly mul: None;
  readonly div: None;

  /** Batched product [..., M, K] x [..., K, N]; batch dimensions of the right equal, 1, or all absent. */
  readonly matmul: None;
  /** alpha * op(a) op(b) + c for 2-D a and b; c is optional and broadcasts to [M, N]. */
  readonly gemm: { readonly transA: boolean; readonly transB: boolean; readonly alpha: number };
  /**
   * x [N, I] times the transpose of merged weights w + scale * b a, [O, I], which is the second input. The third and
   * fourth, a [R, I] and b [O, R], take the gradient directly, so that no [O, I] gradient is ever formed.
   */
  readonly mergedLinear: { readonly scale: number };

  readonly reshape: { readonly shape: Shape };
  readonly transpose: { readonly perm: readonly number[] };
  readonly expand: { readonly shape: Shape };
  readonly concat: { readonly axis: number };
  /** Elements [start, end) along one axis. */
  readonly slice: { readonly axis: number; readonly start: Dim; readonly end: Dim };

  readonly reduceSum: { readonly axes: readonly number[]; readonly keepDims: boolean };
  readonly reduceMean: { readonly axes: readonly number[]; readonly keepDims: boolean };
  /** Over the last axis. */
  readonly softmax: None;
  /** ln of the sum of exp over the last axis of a matrix, which stays with size 1. */
  readonly logSumExp: None;

  /**
   * The inverse of I + L for each matrix [..., C, C], L being what it holds below its diagonal; the rest is not looked at.
   */
  readonly unitLowerInverse: None;
  /**
   * S_(n+1) = A_n S_n + B_n over the axis before the last two, for the first state S_0 [..., K, E], A [..., N, K, K] and
   * B [..., N, K, E]; gives all states, [..., N + 1, K, E]. Reversed: from S_N down, S_n = A_n S_(n+1) + B_n.
   */
  readonly linearRecurrence: { readonly isReversed: boolean };

  /** Rows of data [R, ...] at i32 indices [...]. */
  readonly gather: None;
  /** Sum of updates [N, D] into rows of zeros [rows, D] at i32 indices [N]. */
  readonly scatterRows: { readonly rows: Dim };

  /** Root mean square norm over the last axis times a weight (Zhang & Sennrich, arXiv:1910.07467). */
  readonly rmsNorm: { readonly eps: number };
  /**
   * Rotary position embedding (Su et al., arXiv:2104.09864) of x [B, T, heads * E] by cos and sin [B, T, E / 2]; the
   * halves of each head are paired.
   */
  readonly rotary: { readonly heads: number };
  /** Negative log-likelihood [N, 1] of i32 labels [N] under logits [N, V]. */
  readonly crossEntropy: None;
  /**
   * An i32 token [N] drawn from each row of logits [N, V] by a number of `uniforms` [N, 1] in [0, 1): the first token, in
   * order of ids, at which the cumulative softmax of logits / temperature passes it. Tokens below the `topK`-th largest
   * logit are left out, ties kept; 0 leaves out none.
   */
  readonly sampleToken: { readonly topK: number; readonly temperature: number };
  /** Gradient of crossEntropy at logits [N, V] for labels [N] and upstream [N, 1]. */
  readonly crossEntropyGrad: None;
};

/** Attributes of an op that has none. */
export type None = Readonly<Record<string, never>>;

/** Name of an op. */
export type OpKind = keyof OpAttributes;
