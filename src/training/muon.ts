/**
 * Muon (Jordan et al. 2024, kellerjordan.github.io/posts/muon): momentum whose matrices are made nearly orthogonal by five
 * Newton-Schulz iterations, scaled by 0.2 sqrt(max(O, I)) to match the size of AdamW's updates (Liu et al.,
 * arXiv:2502.16982). The iterations are one ONNX graph over all matrices, stacked by shape.
 */
import * as g from "../graph/builder.ts";
import { buildGraph, type Graph, type Node } from "../graph/graph.ts";
import type { FlatLayout } from "../model/parameters.ts";

/** Coefficients of the quintic iteration, chosen by its author for speed of convergence. */
const [A, B, C] = [3.4445, -4.775, 2.0315];
const ITERATIONS = 5;

/** The matrices of a layout in groups of one shape, and the graph that makes their updates. */
export type MuonGraph = {
  /** Input and output `stack0`, `update0`, ...: [n, O, I] each, the matrices of a group one after another. */
  readonly graph: Graph;
  readonly groups: readonly MuonGroup[];
};

/** Matrices of one shape [O, I] by their offsets in the flat vector. */
export type MuonGroup = {
  readonly rows: number;
  readonly columns: number;
  readonly offsets: readonly number[];
};

/** Builds the graph for the entries of `layout` that `isMatrix` accepts. */
export function buildMuonGraph(layout: FlatLayout, isMatrix: (name: string) => boolean): MuonGraph {
  const byShape = new Map<string, { rows: number; columns: number; offsets: number[] }>();
  for (const { name, shape, offset } of layout.entries) {
    const [rows, columns] = shape;
    if (!isMatrix(name) || rows === undefined || columns === undefined) continue;
    const group = byShape.get(shape.join("x")) ?? { rows, columns, offsets: [] };
    group.offsets.push(offset);
    byShape.set(shape.join("x"), group);
  }
  const groups = [...byShape.values()];
  const outputs = groups.map(({ rows, columns, offsets }, i) => {
    const stack = g.input(`stack${String(i)}`, "f32", [offsets.length, rows, columns]);
    const update = orthogonalize(stack, rows > columns);
    return [`update${String(i)}`, g.mul(update, g.scalar(0.2 * Math.sqrt(Math.max(rows, columns))))] as const;
  });
  return { graph: buildGraph(Object.fromEntries(outputs)), groups };
}

function orthogonalize(stack: Node, isTall: boolean): Node {
  // The iteration multiplies by X X^T; the smaller side comes first.
  let x = isTall ? g.transpose(stack, [0, 2, 1]) : stack;
  const norm = g.sqrt(g.reduceSum(g.mul(x, x), [1, 2], { keepDims: true }));
  x = g.div(x, g.add(norm, g.scalar(1e-7)));
  for (let i = 0; i < ITERATIONS; i += 1) {
    const gram = g.matmul(x, g.transpose(x, [0, 2, 1]));
    const polynomial = g.add(g.mul(gram, g.scalar(B)), g.mul(g.matmul(gram, gram), g.scalar(C)));
    x = g.add(g.mul(x, g.scalar(A)), g.matmul(polynomial, x));
  }
  return isTall ? g.transpose(x, [0, 2, 1]) : x;
}
