/**
 * Constant matrices that are too large for one initializer: ONNX Runtime takes none above 2 GiB that is handed over in
 * memory, and an embedding of 248,320 tokens by 2,560 has 2.4. Such a matrix stands in the model as parts of whole rows, and
 * what reads it, an embedding or a product, reads them one by one.
 */
import { GraphError } from "../base/errors.ts";
import type { Node } from "../graph/graph.ts";
import type { OpAttributes } from "../graph/ops.ts";
import type { ProductContext } from "./products.ts";

/** A part of a constant matrix: rows `start` to `start + rows`. */
export type ConstantPart = { readonly name: string; readonly start: number; readonly rows: number };

/** The part of an emitter that parts need. */
export type PartContext = ProductContext & {
  /** Name of an i32 scalar constant. */
  readonly int32: (value: number) => string;
  /** The parts of a constant that has some. */
  readonly partsOf: (node: Node | undefined) => readonly ConstantPart[] | undefined;
};

/** Rows in which a matrix [rows, columns] of f32 is cut so that no part has more than `largest` bytes, one part or more. */
export function cutRows(
  shape: readonly number[],
  largest: number,
): { readonly start: number; readonly rows: number }[] {
  const [rows = 0, columns = 1] = shape;
  const each = Math.floor(largest / (4 * columns));
  if (shape.length !== 2 || each < 1)
    throw new GraphError(
      `a constant of shape [${shape.join(", ")}] is too large for the model and can't be cut into rows`,
    );
  return Array.from({ length: Math.ceil(rows / each) }, (_, part) => {
    const start = part * each;
    return { start, rows: Math.min(each, rows - start) };
  });
}

/** Rows of the matrix in `parts` at i32 `indices`. */
export function emitGatherParts(parts: readonly ConstantPart[], indices: string, context: PartContext): string {
  return parts.reduce((before, { name, start, rows }) => {
    const local = context.emit("Sub", [indices, context.int32(start)]);
    const inside = context.emit("Max", [context.emit("Min", [local, context.int32(rows - 1)]), context.int32(0)]);
    const found = context.emit("Gather", [name, inside]);
    if (before === "") return found;
    const isHere = context.emit("GreaterOrEqual", [indices, context.int32(start)]);
    return context.emit("Where", [context.emit("Unsqueeze", [isHere, context.integers([-1])]), found, before]);
  }, "");
}

/** A product whose second matrix is in parts: side by side where it is transposed, else the sum of what each part gives. */
export function emitProductParts(
  parts: readonly ConstantPart[],
  {
    inputs: [x = "", , bias],
    attributes,
  }: { readonly inputs: readonly string[]; readonly attributes: OpAttributes["gemm"] },
  context: PartContext,
): string {
  const { transA, transB, alpha } = attributes;
  if (transA || bias !== undefined) throw new GraphError("gemm: a constant in parts is multiplied by plain rows only");
  const gemm = (operands: readonly string[]): string =>
    context.emit("Gemm", operands, { alpha: { float: alpha }, transA: { int: 0 }, transB: { int: transB ? 1 : 0 } });
  if (transB)
    return context.emit(
      "Concat",
      parts.map(({ name }) => gemm([x, name])),
      { axis: { int: 1 } },
    );
  return parts.reduce((sum, { name, start, rows }) => {
    const range = [start, start + rows, 1].map((value) => context.integers([value]));
    return gemm([context.emit("Slice", [x, ...range]), name, ...(sum === "" ? [] : [sum])]);
  }, "");
}
