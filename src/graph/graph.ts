/** Immutable nodes of a tensor graph, and the graph as its named outputs with everything they need. */
import { GraphError } from "../base/errors.ts";
import type { Shape } from "./dims.ts";
import type { DType, OpAttributes, OpKind } from "./ops.ts";

/** One value of a graph: an op applied to earlier values. */
export type Node<K extends OpKind = OpKind> = {
  readonly [P in K]: {
    readonly kind: P;
    readonly inputs: readonly Node[];
    readonly attributes: OpAttributes[P];
    readonly type: DType;
    readonly shape: Shape;
  };
}[K];

/** A graph to compile: named outputs, with their nodes in an order in which each comes after its inputs. */
export type Graph = {
  readonly outputs: Readonly<Record<string, Node>>;
  readonly nodes: readonly Node[];
  readonly inputs: readonly Node<"input">[];
};

/**
 * Collects what `outputs` need.
 * @throws {GraphError} If two different inputs, or an input and an output, share a name.
 */
export function buildGraph(outputs: Readonly<Record<string, Node>>): Graph {
  const nodes = topologicalOrder(Object.values(outputs));
  const inputs = nodes.filter((node): node is Node<"input"> => node.kind === "input");
  const names = new Set<string>();
  for (const { attributes } of inputs) {
    if (names.has(attributes.name)) throw new GraphError(`graph: two inputs are named ${attributes.name}`);
    if (attributes.name in outputs) throw new GraphError(`graph: an input and an output are named ${attributes.name}`);
    names.add(attributes.name);
  }
  return { outputs, nodes, inputs };
}

/** All nodes that `roots` reach, each after its inputs; the order depends on the graph alone. */
export function topologicalOrder(roots: readonly Node[]): Node[] {
  const order: Node[] = [];
  const seen = new Set<Node>();
  // An explicit stack: a deep decoder with its gradient would overflow the call stack.
  const stack: { readonly node: Node; next: number }[] = [];
  for (const root of roots) {
    if (!seen.has(root)) stack.push({ node: root, next: 0 });
    seen.add(root);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const input = top.node.inputs[top.next];
      top.next += 1;
      if (input === undefined) order.push(top.node);
      if (input === undefined) stack.pop();
      else if (!seen.has(input)) {
        seen.add(input);
        stack.push({ node: input, next: 0 });
      }
    }
  }
  return order;
}
