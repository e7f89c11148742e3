/**
 * Matrix products whose rounding does not depend on the number of threads.
 *
 * ONNX Runtime's CPU and WASM kernels (`core/mlas/lib/sgemm.cpp`) add up a product in blocks along K of 128, or of twice,
 * four or eight times that where the columns in hand are at most 64, 32 or 16. Several threads share a product with more
 * columns than rows by its columns, in multiples of 16; each then holds fewer columns, takes longer blocks, and rounds
 * otherwise than one thread alone. A second matrix that is a constant is packed beforehand, in blocks that never change, and
 * a first one that is transposed keeps blocks of 128; products with more rows than columns are shared by rows.
 *
 * What is left is divided here, into products of the blocks that one thread takes, each added to the one before it: the
 * same sums, in the same order, for any number of threads up to `MOST_THREADS`, and the same bits as one thread gave before.
 */
import { dimAt, type Dim } from "../graph/dims.ts";
import type { Node } from "../graph/graph.ts";
import type { OpAttributes } from "../graph/ops.ts";
import type { AttributeValue } from "./proto.ts";

/** Threads up to which products round alike; with more columns than that needs, each thread keeps the shortest blocks. */
export const MOST_THREADS = 4;

/** Columns that threads get at a time. */
const COLUMN_GROUP = 16;
const SHORTEST_BLOCK = 128;
/** Columns for which a block has `SHORTEST_BLOCK`; it doubles whenever they are halved. */
const WIDE = 128;

/** The part of an emitter that products need. */
export type ProductContext = {
  /** Adds a node of the standard operator set and returns the name of its first output. */
  readonly emit: (
    op: string,
    inputs: readonly string[],
    attributes?: Readonly<Record<string, AttributeValue>>,
  ) => string;
  /** Name of an int64 vector: a constant, or an input that the runtime fills from the symbols' values. */
  readonly integers: (values: readonly Dim[]) => string;
  /** Whether sums are to round alike for any number of threads. */
  readonly hasFixedSums: boolean;
};

/** A product: the node, whose first two inputs are multiplied, the names of what is fed to Gemm, and how. */
type Product = {
  readonly node: Node;
  readonly inputs: readonly string[];
  readonly attributes: OpAttributes["gemm"];
};

/** Adds the nodes of `product` and returns the name of the result. */
export function emitProduct({ node, inputs, attributes }: Product, context: ProductContext): string {
  const { transA, transB, alpha } = attributes;
  const gemm = (operands: readonly string[]): string =>
    context.emit("Gemm", operands, {
      alpha: { float: alpha },
      transA: { int: transA ? 1 : 0 },
      transB: { int: transB ? 1 : 0 },
    });
  const split = context.hasFixedSums && !transA ? blocksOf(node) : undefined;
  if (!split) return gemm(inputs);
  const [a = "", b = "", ...added] = inputs;
  const cut = (x: string, axis: number, start: number): string => {
    const end = Math.min(start + split.block, split.depth);
    return context.emit("Slice", [x, context.integers([start]), context.integers([end]), context.integers([axis])]);
  };
  let sum = added;
  for (let start = 0; start < split.depth; start += split.block)
    sum = [gemm([cut(a, 1, start), cut(b, transB ? 1 : 0, start), ...sum])];
  return sum[0] ?? "";
}

/** K and the length of its blocks, for a product whose sums would depend on the number of threads. */
function blocksOf(node: Node): { readonly depth: number; readonly block: number } | undefined {
  const [a, b] = node.inputs;
  const [rows, columns] = node.shape;
  const depth = a && dimAt(a.shape, 1);
  if (typeof depth !== "number" || typeof columns !== "number" || b?.kind === "constant") return undefined;
  if (typeof rows === "number" && rows >= columns) return undefined;
  const groups = Math.ceil(columns / COLUMN_GROUP);
  const fewest = Math.floor(groups / MOST_THREADS) * COLUMN_GROUP;
  const block = blockFor(columns);
  const isShared = groups > 1 && blockFor(Math.max(fewest, COLUMN_GROUP)) !== block;
  return isShared && depth > block ? { depth, block } : undefined;
}

/** Length of the blocks along K in which a product of `columns` columns is added up. */
function blockFor(columns: number): number {
  let block = SHORTEST_BLOCK;
  for (let width = WIDE; width > COLUMN_GROUP && width / 2 >= columns; width /= 2) block *= 2;
  return block;
}
