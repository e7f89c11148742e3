/**
 * Nodes of the two ops that a linear attention is trained by: inverses of unit lower triangular matrices, by products of
 * their blocks, and a linear recurrence over states, by ONNX's `Scan`. No `Scan` runs on WebGPU: there ONNX Runtime leaves
 * the recurrence, and nothing else, to the CPU.
 */
import type { Node } from "../graph/graph.ts";
import type { ProductContext } from "./products.ts";
import type { GraphMessage, ValueMessage } from "./proto.ts";

/** The part of an emitter that these ops need. */
export type RecurrenceContext = ProductContext & {
  /** As `emit`, but the name is that of the second of two outputs, and nobody reads the first. */
  readonly emitSecond: ProductContext["emit"];
  /** Name of a float constant that may be shared: `name` says what it holds. */
  readonly floats: (name: string, value: { readonly shape: readonly number[]; readonly data: Float32Array }) => string;
};

/**
 * (I + L)^-1 of the matrices `x` [..., C, C]. If X holds the inverses of the diagonal blocks of size s, then those of size
 * 2 s are X - X L' X, L' being the blocks of L between two that are joined. As stable as substitution, and all products.
 */
export function emitUnitLowerInverse(x: string, size: number, context: RecurrenceContext): string {
  const square = (name: string, has: (i: number, j: number) => boolean): string => {
    const data = Float32Array.from({ length: size * size }, (_, at) => (has(Math.floor(at / size), at % size) ? 1 : 0));
    return context.floats(`${name} of ${String(size)}`, { shape: [size, size], data });
  };
  const between = (block: number): string =>
    context.emit("Mul", [x, square(`between ${String(block)}`, (i, j) => isBetween(i, j, block))]);
  const identity = square("identity", (i, j) => i === j);
  // Blocks of one element are their own inverses.
  let inverse = context.emit("Sub", [identity, between(1)]);
  for (let block = 2; block < size; block *= 2) {
    const product = context.emit("MatMul", [context.emit("MatMul", [inverse, between(block)]), inverse]);
    inverse = context.emit("Sub", [inverse, product]);
  }
  return inverse;
}

/** Whether element (i, j) lies in a block that joins two diagonal blocks of size `block`. */
function isBetween(i: number, j: number, block: number): boolean {
  const isSamePair = Math.floor(i / (2 * block)) === Math.floor(j / (2 * block));
  return isSamePair && i % (2 * block) >= block && j % (2 * block) < block;
}

/** All states of the recurrence `node`, whose inputs are first state, transitions and updates. */
export function emitLinearRecurrence(
  node: Node<"linearRecurrence">,
  inputs: readonly string[],
  context: RecurrenceContext,
): string {
  const axis = node.shape.length - 3;
  const direction = node.attributes.isReversed ? 1 : 0;
  const states = context.emitSecond("Scan", inputs, {
    body: { graph: STEP },
    num_scan_inputs: { int: 2 },
    scan_input_axes: { ints: [axis, axis] },
    scan_input_directions: { ints: [direction, direction] },
    scan_output_axes: { ints: [axis] },
    scan_output_directions: { ints: [direction] },
  });
  const first = context.emit("Unsqueeze", [inputs[0] ?? "", context.integers([axis])]);
  return context.emit("Concat", direction === 0 ? [first, states] : [states, first], { axis: { int: axis } });
}

const open = (name: string): ValueMessage => ({ name, type: "f32" });
const plain = (op: string, inputs: readonly string[], output: string): GraphMessage["nodes"][number] => ({
  op,
  domain: "",
  inputs,
  outputs: [output],
  attributes: {},
});

/** The next state, once as the state of the loop and once as what is collected. */
const STEP: GraphMessage = {
  nodes: [
    plain("MatMul", ["transition", "state"], "moved"),
    plain("Add", ["moved", "update"], "next"),
    plain("Identity", ["next"], "collected"),
  ],
  initializers: [],
  inputs: [open("state"), open("transition"), open("update")],
  outputs: [open("next"), open("collected")],
};
