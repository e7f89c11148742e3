/** Reverse-mode differentiation: a graph in, the gradient of one scalar at any of its values out. */
import { GraphError } from "../base/errors.ts";
import { add, scalar } from "./builder.ts";
import { formatShape } from "./dims.ts";
import { topologicalOrder, type Node } from "./graph.ts";
import { inputGradients } from "./vjp.ts";

/**
 * Gradients of the scalar `loss` at each of `wrt`, with the shapes of those.
 * @throws {GraphError} If `loss` is not a scalar or does not depend on one of `wrt`.
 */
export function gradients(loss: Node, wrt: readonly Node[]): Node[] {
  if (loss.shape.length !== 0) throw new GraphError(`gradients: loss must be a scalar, got ${formatShape(loss.shape)}`);
  const order = topologicalOrder([loss]);
  const wanted = new Set<Node>(wrt);
  const active = new Set<Node>();
  for (const node of order) if (wanted.has(node) || node.inputs.some((value) => active.has(value))) active.add(node);

  const totals = new Map<Node, Node>([[loss, scalar(1)]]);
  for (const node of order.toReversed()) {
    const dy = totals.get(node);
    // A wanted node is a leaf of the differentiation even where it is computed from others.
    if (!dy || !active.has(node) || wanted.has(node)) continue;
    const wants = node.inputs.map((value) => active.has(value));
    inputGradients(node, dy, wants).forEach((gradient, index) => {
      const value = node.inputs[index];
      if (!gradient || !value || !wants[index]) return;
      const total = totals.get(value);
      totals.set(value, total ? add(total, gradient) : gradient);
    });
  }
  return wrt.map((node) => totals.get(node) ?? failUnreached(node));
}

function failUnreached(node: Node): never {
  throw new GraphError(`gradients: the loss does not depend on a ${node.kind} of shape ${formatShape(node.shape)}`);
}
