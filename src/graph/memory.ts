/** How much memory the values of a graph take at once, when each is let go after the last node that reads it. */
import { evalShape, type Bindings } from "./dims.ts";
import type { Graph, Node } from "./graph.ts";

const ELEMENT_BYTES = 4;

/**
 * The most bytes that values worked out by `graph` take at once, run node by node in its order. Constants and inputs are
 * not counted, nor what a runtime adds: an estimate, to compare with a budget.
 */
export function peakBytes(graph: Graph, bindings: Bindings): number {
  const leaving = lastReaders(graph);
  let live = 0;
  let most = 0;
  graph.nodes.forEach((node, index) => {
    live += bytesOf(node, bindings);
    most = Math.max(most, live);
    for (const gone of leaving.get(index) ?? []) live -= bytesOf(gone, bindings);
  });
  return most;
}

/** By the index of a node, the values that no node after it reads. */
function lastReaders({ nodes, outputs }: Graph): ReadonlyMap<number, readonly Node[]> {
  const last = new Map<Node, number>();
  nodes.forEach((node, index) => {
    for (const value of [node, ...node.inputs]) last.set(storageOf(value), index);
  });
  for (const output of Object.values(outputs)) last.delete(storageOf(output));
  const leaving = new Map<number, Node[]>();
  for (const [node, index] of last) leaving.set(index, [...(leaving.get(index) ?? []), node]);
  return leaving;
}

/** Another shape of a value is the same memory. */
function storageOf(node: Node): Node {
  const [source] = node.inputs;
  return node.kind === "reshape" && source ? storageOf(source) : node;
}

function bytesOf(node: Node, bindings: Bindings): number {
  if (node.kind === "constant" || node.kind === "input" || node.kind === "reshape") return 0;
  return ELEMENT_BYTES * evalShape(node.shape, bindings).reduce((product, size) => product * size, 1);
}
