/** One small graph for each op with inputs, for the three-way tests: evaluator, finite differences, each device. */
import * as g from "../../src/graph/builder.ts";
import type { Node } from "../../src/graph/graph.ts";
import type { OpKind } from "../../src/graph/ops.ts";
import { createRng } from "../../src/base/rng.ts";

/** A graph under test: `y` from inputs fed with `feeds`; `smooth` names the float inputs to differentiate. */
export type OpCase = {
  readonly kind: OpKind;
  readonly name: string;
  readonly y: Node;
  readonly feeds: Readonly<Record<string, { readonly shape: readonly number[]; readonly data: readonly number[] }>>;
  readonly smooth: readonly string[];
};

const rng = createRng("op-cases");

function uniform(shape: readonly number[], low = -1, high = 1): { shape: readonly number[]; data: number[] } {
  const size = shape.reduce((product, dim) => product * dim, 1);
  return { shape, data: Array.from({ length: size }, () => Math.fround(low + (high - low) * rng.uniform())) };
}

function indices(values: readonly number[], shape: readonly number[] = [values.length]) {
  return { shape, data: [...values] };
}

function unary(kind: OpKind, build: (x: Node) => Node, low = -2): OpCase {
  const x = g.input("x", "f32", ["B", 5]);
  return { kind, name: kind, y: build(x), feeds: { x: uniform([3, 5], low, 2) }, smooth: ["x"] };
}

function binary(kind: OpKind, build: (a: Node, b: Node) => Node): OpCase[] {
  const pairs: [readonly (number | string)[], readonly (number | string)[], readonly number[], readonly number[]][] = [
    [
      ["B", 4],
      ["B", 4],
      [3, 4],
      [3, 4],
    ],
    [
      ["B", 2, 4],
      [2, 1],
      [3, 2, 4],
      [2, 1],
    ],
    [[4], ["B", 2, 4], [4], [3, 2, 4]],
  ];
  return pairs.map(([left, right, leftSize, rightSize]) => ({
    kind,
    name: `${kind} of [${leftSize.join(", ")}] and [${rightSize.join(", ")}]`,
    y: build(g.input("a", "f32", left), g.input("b", "f32", right)),
    feeds: { a: uniform(leftSize), b: uniform(rightSize, 0.5, 2) },
    smooth: ["a", "b"],
  }));
}

function gemmCase(transA: boolean, transB: boolean): OpCase {
  const a = g.input("a", "f32", transA ? [4, "N"] : ["N", 4]);
  const b = g.input("b", "f32", transB ? [3, 4] : [4, 3]);
  const c = g.input("c", "f32", [3]);
  return {
    kind: "gemm",
    name: `gemm ${transA ? "A^T" : "A"} ${transB ? "B^T" : "B"} + c`,
    y: g.gemm(a, b, { transA, transB, alpha: 0.5, c }),
    feeds: { a: uniform(transA ? [4, 5] : [5, 4]), b: uniform(transB ? [3, 4] : [4, 3]), c: uniform([3]) },
    smooth: ["a", "b", "c"],
  };
}

function mergedLinearCase(): OpCase {
  const [x, a, b] = [g.input("x", "f32", ["N", 5]), g.input("a", "f32", [2, 5]), g.input("b", "f32", [4, 2])];
  const w = g.constant(Float32Array.from(uniform([4, 5]).data), [4, 5]);
  const merged = g.gemm(b, a, { alpha: 2, c: w });
  return {
    kind: "mergedLinear",
    name: "mergedLinear",
    y: g.mergedLinear(x, { merged, a, b, scale: 2 }),
    feeds: { x: uniform([6, 5]), a: uniform([2, 5]), b: uniform([4, 2]) },
    smooth: ["x", "a", "b"],
  };
}

function movementCases(): OpCase[] {
  const x = g.input("x", "f32", ["B", "T", 6]);
  const fed = { x: uniform([2, 3, 6]) };
  const one = (kind: OpKind, name: string, y: Node): OpCase => ({ kind, name, y, feeds: fed, smooth: ["x"] });
  const part = g.input("part", "f32", ["B", "S", 4]);
  return [
    one("reshape", "reshape to rows", g.reshape(x, ["B*T", 6])),
    one("reshape", "reshape to heads", g.reshape(x, ["B", "T", 2, 3])),
    one("reshape", "reshape from rows to two symbols", g.reshape(g.neg(g.reshape(x, ["B*T", 6])), ["B", "T", 3, 2])),
    one("transpose", "transpose", g.transpose(x, [2, 0, 1])),
    one("slice", "slice of fixed range", g.slice(x, { axis: 2, start: 1, end: 4 })),
    one("concat", "concat of fixed sizes", g.concat([x, g.mul(x, x)], 2)),
    one("reduceSum", "reduceSum over first and last", g.reduceSum(x, [0, 2])),
    one("reduceSum", "reduceSum keeping axes", g.reduceSum(x, [1], { keepDims: true })),
    one("reduceMean", "reduceMean over last", g.reduceMean(x, [2], { keepDims: true })),
    one("softmax", "softmax", g.softmax(x)),
    {
      kind: "expand",
      name: "expand to symbols",
      // x binds B and adds nothing.
      y: g.add(
        g.expand(g.input("w", "f32", [1, 6]), ["B", 6]),
        g.mul(g.reduceSum(g.input("x", "f32", ["B", 6]), [0, 1]), g.scalar(0)),
      ),
      feeds: { w: uniform([1, 6]), x: uniform([3, 6]) },
      smooth: ["w"],
    },
    {
      kind: "concat",
      name: "concat and slice along symbols",
      y: g.slice(g.concat([part, g.input("more", "f32", ["B", "T", 4])], 1), { axis: 1, start: "S", end: "S+T" }),
      feeds: { part: uniform([2, 3, 4]), more: uniform([2, 2, 4]) },
      smooth: ["more"],
    },
    {
      kind: "slice",
      name: "slice of a symbolic end, of a multiple of a symbol",
      y: g.slice(
        g.concat(
          [g.constant(Float32Array.from(uniform([1, 2, 4]).data), [1, 2, 4]), g.input("x", "f32", [1, "2*N", 4])],
          1,
        ),
        {
          axis: 1,
          start: 1,
          end: "1+2*N",
        },
      ),
      feeds: { x: uniform([1, 6, 4]) },
      smooth: ["x"],
    },
  ];
}

function rowCases(): OpCase[] {
  const logits = g.input("logits", "f32", ["N", 7]);
  const labels = g.input("labels", "i32", ["N"]);
  const [rows, width] = [uniform([4, 7], -3, 3), 7];
  const table = g.input("table", "f32", [5, 3]);
  return [
    {
      kind: "gather",
      name: "gather with repeated rows",
      y: g.gather(table, g.input("ids", "i32", ["B", "T"])),
      feeds: { table: uniform([5, 3]), ids: indices([0, 4, 4, 1, 2, 4], [2, 3]) },
      smooth: ["table"],
    },
    {
      kind: "scatterRows",
      name: "scatterRows with repeated rows",
      y: g.scatterRows(g.input("ids", "i32", ["N"]), g.input("updates", "f32", ["N", 3]), 5),
      feeds: { ids: indices([1, 1, 4]), updates: uniform([3, 3]) },
      smooth: [],
    },
    {
      kind: "crossEntropy",
      name: "crossEntropy",
      y: g.crossEntropy(logits, labels),
      feeds: { logits: rows, labels: indices([0, 6, 3, 3]) },
      smooth: ["logits"],
    },
    {
      kind: "logSumExp",
      name: "logSumExp",
      y: g.logSumExp(g.input("x", "f32", ["N", width])),
      feeds: { x: uniform([4, 7], -3, 3) },
      smooth: ["x"],
    },
    {
      kind: "crossEntropy",
      name: "crossEntropy of large logits",
      y: g.crossEntropy(g.input("logits", "f32", ["N", width]), g.input("labels", "i32", ["N"])),
      feeds: { logits: uniform([4, 7], 200, 210), labels: indices([0, 6, 3, 3]) },
      smooth: [],
    },
    ...[
      { topK: 0, temperature: 1 },
      { topK: 3, temperature: 1 },
      { topK: 5, temperature: 0.5 },
      { topK: 1, temperature: 1 },
    ].map((rule): OpCase => {
      const drawn = g.sampleToken(g.input("x", "f32", ["N", width]), g.input("u", "f32", ["N", 1]), rule);
      // The id as a float, which is what cases compare.
      const numbers = g.constant(
        Float32Array.from({ length: width }, (_, id) => id),
        [width, 1],
      );
      return {
        kind: "sampleToken",
        name: `sampleToken of the ${String(rule.topK)} largest at temperature ${String(rule.temperature)}`,
        y: g.gather(numbers, drawn),
        feeds: { x: uniform([40, 7], -3, 3), u: uniform([40, 1], 0, 1) },
        smooth: [],
      };
    }),
    {
      kind: "crossEntropyGrad",
      name: "crossEntropyGrad",
      y: g.crossEntropyGrad(logits, labels, g.input("dy", "f32", ["N", 1])),
      feeds: { logits: rows, labels: indices([0, 6, 3, 3]), dy: uniform([4, 1]) },
      smooth: [],
    },
  ];
}

function neuralCases(): OpCase[] {
  const heads = 2;
  return [
    {
      kind: "rmsNorm",
      name: "rmsNorm",
      y: g.rmsNorm(g.input("x", "f32", ["N", 6]), g.input("w", "f32", [6]), 1e-6),
      feeds: { x: uniform([4, 6]), w: uniform([6], 0.5, 2) },
      smooth: ["x", "w"],
    },
    {
      kind: "rotary",
      name: "rotary",
      y: g.rotary(
        g.input("x", "f32", ["B", "T", 8]),
        { cos: g.input("cos", "f32", ["B", "T", 2]), sin: g.input("sin", "f32", ["B", "T", 2]) },
        heads,
      ),
      feeds: { x: uniform([2, 3, 8]), cos: uniform([2, 3, 2]), sin: uniform([2, 3, 2]) },
      smooth: ["x"],
    },
    {
      kind: "matmul",
      name: "matmul in batches",
      y: g.matmul(g.input("a", "f32", ["B", 2, "T", 3]), g.input("b", "f32", ["B", 2, 3, 4])),
      feeds: { a: uniform([2, 2, 3, 3]), b: uniform([2, 2, 3, 4]) },
      smooth: ["a", "b"],
    },
    {
      kind: "matmul",
      name: "matmul in batches that share the right side",
      y: g.matmul(g.input("a", "f32", ["B", 2, 3, "T", 4]), g.input("b", "f32", ["B", 2, 1, 4, 5])),
      feeds: { a: uniform([2, 2, 3, 2, 4]), b: uniform([2, 2, 1, 4, 5]) },
      smooth: ["a", "b"],
    },
    {
      kind: "matmul",
      name: "matmul with one matrix on the right",
      y: g.matmul(g.input("a", "f32", ["B", "T", 3]), g.input("b", "f32", [3, 4])),
      feeds: { a: uniform([2, 3, 3]), b: uniform([3, 4]) },
      smooth: ["a"],
    },
  ];
}

function recurrenceCases(): OpCase[] {
  const initial = g.input("initial", "f32", ["B", 3, 2]);
  const transitions = g.input("transitions", "f32", ["B", "N", 3, 3]);
  const updates = g.input("updates", "f32", ["B", "N", 3, 2]);
  const feeds = {
    initial: uniform([2, 3, 2]),
    transitions: uniform([2, 4, 3, 3]),
    updates: uniform([2, 4, 3, 2]),
  };
  const smooth = ["initial", "transitions", "updates"];
  return [
    ...[false, true].map((isReversed): OpCase => {
      const y = g.linearRecurrence({ initial, transitions, updates }, { isReversed });
      return { kind: "linearRecurrence", name: `linearRecurrence${isReversed ? ", reversed" : ""}`, y, feeds, smooth };
    }),
    ...[4, 6, 16].map((size): OpCase => {
      const x = g.input("x", "f32", ["B", 2, size, size]);
      const fed = { x: uniform([2, 2, size, size]) };
      const name = `unitLowerInverse of size ${String(size)}`;
      return { kind: "unitLowerInverse", name, y: g.unitLowerInverse(x), feeds: fed, smooth: ["x"] };
    }),
    {
      kind: "unitLowerInverse",
      name: "unitLowerInverse of tokens that are all the same, whose powers overflow",
      y: g.unitLowerInverse(g.input("x", "f32", ["B", 64, 64])),
      feeds: { x: uniform([1, 64, 64], 0.99, 0.99) },
      smooth: [],
    },
  ];
}

/** Every op at least once; a test checks that none is missing. */
export const OP_CASES: readonly OpCase[] = [
  unary("neg", g.neg),
  unary("exp", g.exp),
  unary("sqrt", g.sqrt, 0.2),
  unary("reciprocal", g.reciprocal, 0.2),
  unary("sigmoid", g.sigmoid),
  unary("silu", g.silu),
  ...binary("add", g.add),
  ...binary("sub", g.sub),
  ...binary("mul", g.mul),
  ...binary("div", g.div),
  ...neuralCases(),
  gemmCase(false, false),
  gemmCase(true, false),
  gemmCase(false, true),
  gemmCase(true, true),
  mergedLinearCase(),
  ...movementCases(),
  ...rowCases(),
  ...recurrenceCases(),
];
