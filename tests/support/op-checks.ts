/** Checks that the op tests of all devices share. */
import { expect } from "vitest";
import { gradients } from "../../src/graph/autograd.ts";
import * as g from "../../src/graph/builder.ts";
import type { Value } from "../../src/graph/evaluate.ts";
import { buildGraph, type Node } from "../../src/graph/graph.ts";
import type { OpCase } from "./op-cases.ts";

/** A scalar with a different weight for each element of `y`, so that a permuted gradient shows. */
export function weightedSum(y: Node): Node {
  const wave = g.mul(y, g.exp(g.mul(y, g.scalar(0.3))));
  return g.reduceSum(
    wave,
    wave.shape.map((_, axis) => axis),
  );
}

/** Feeds as the evaluator takes them. */
export function toValues(feeds: OpCase["feeds"]): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(feeds).map(([name, { shape, data }]) => [name, { shape, data: Float64Array.from(data) }]),
  );
}

function inputsOf(y: Node): Node<"input">[] {
  return [...buildGraph({ y }).inputs];
}

/** The gradient outputs of a case, named by the input. */
export function gradientOutputs({ y, smooth }: OpCase): Record<string, Node> {
  const wrt = smooth.map((name) => inputsOf(y).find(({ attributes }) => attributes.name === name)!);
  const grads = gradients(weightedSum(y), wrt);
  return Object.fromEntries(smooth.map((name, i) => [`d_${name}`, grads[i]!]));
}

/** Expects each element within `tolerance` of the largest one's size (at least 1). */
export function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number): void {
  expect(actual.length).toBe(expected.length);
  const scale = Math.max(1, ...Array.from(expected, Math.abs));
  for (let i = 0; i < expected.length; i += 1)
    expect(Math.abs(actual[i]! - expected[i]!) / scale, `element ${String(i)}`).toBeLessThan(tolerance);
}
