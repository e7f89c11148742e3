/** Every op three ways: the float64 evaluator against ONNX Runtime, and gradient rules against finite differences. */
import { describe, expect, it } from "vitest";
import { gradients } from "../../src/graph/autograd.ts";
import * as g from "../../src/graph/builder.ts";
import { evaluateGraph, type Value } from "../../src/graph/evaluate.ts";
import { buildGraph, type Node } from "../../src/graph/graph.ts";
import { INFER } from "../../src/graph/infer.ts";
import { openRuntime } from "../../src/platform/node/ort-node.ts";
import type { DeviceName } from "../../src/runtime/session.ts";
import { runOnDevice } from "../support/device.ts";
import { OP_CASES, type OpCase } from "../support/op-cases.ts";

const STEP = 1e-5;

/** A scalar with a different weight for each element of `y`, so that a permuted gradient shows. */
function weightedSum(y: Node): Node {
  const wave = g.mul(y, g.exp(g.mul(y, g.scalar(0.3))));
  return g.reduceSum(
    wave,
    wave.shape.map((_, axis) => axis),
  );
}

function toValues(feeds: OpCase["feeds"]): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(feeds).map(([name, { shape, data }]) => [name, { shape, data: Float64Array.from(data) }]),
  );
}

function inputsOf(y: Node): Node<"input">[] {
  return [...buildGraph({ y }).inputs];
}

/** The gradient outputs of a case, named by the input. */
function gradientOutputs({ y, smooth }: OpCase): Record<string, Node> {
  const wrt = smooth.map((name) => inputsOf(y).find(({ attributes }) => attributes.name === name)!);
  const grads = gradients(weightedSum(y), wrt);
  return Object.fromEntries(smooth.map((name, i) => [`d_${name}`, grads[i]!]));
}

function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>, tolerance: number): void {
  expect(actual.length).toBe(expected.length);
  const scale = Math.max(1, ...Array.from(expected, Math.abs));
  for (let i = 0; i < expected.length; i += 1)
    expect(Math.abs(actual[i]! - expected[i]!) / scale, `element ${String(i)}`).toBeLessThan(tolerance);
}

// A case whose graph lost its symbol-binding input (an expand of a constant) still needs that input fed.
function withAnchor(op: OpCase): OpCase {
  const anchor = op.feeds["x"];
  if (op.name !== "expand to symbols" || !anchor) return op;
  const zero = g.mul(g.reduceSum(g.input("x", "f32", ["B", 6]), [0, 1]), g.scalar(0));
  return { ...op, y: g.add(op.y, zero) };
}

const CASES = OP_CASES.map(withAnchor);

describe("op table", () => {
  it("has a case for every op", () => {
    const covered = new Set(CASES.map(({ kind }) => kind));
    const leaves = new Set(["input", "constant"]);
    expect(Object.keys(INFER).filter((kind) => !covered.has(kind as never) && !leaves.has(kind))).toEqual([]);
  });
});

for (const device of ["cpu", "wasm"] as const satisfies readonly DeviceName[]) {
  describe(`ops on ${device}`, async () => {
    const runtime = await openRuntime(device, { threads: 1 });
    it.each(CASES)("$name equals the evaluator", async (op) => {
      const expected = evaluateGraph(buildGraph({ y: op.y }), toValues(op.feeds))["y"]!;
      const { y } = await runOnDevice(runtime, { y: op.y }, op.feeds);
      expectClose(y!, expected.data, 2e-6);
    });
    it.each(CASES.filter(({ smooth }) => smooth.length > 0))("$name has the evaluator's gradient", async (op) => {
      const outputs = gradientOutputs(op);
      const expected = evaluateGraph(buildGraph(outputs), toValues(op.feeds));
      const actual = await runOnDevice(runtime, outputs, op.feeds);
      for (const name of op.smooth) expectClose(actual[`d_${name}`]!, expected[`d_${name}`]!.data, 5e-6);
    });
  });
}

describe("gradient rules", () => {
  it.each(CASES.filter(({ smooth }) => smooth.length > 0))("$name equals finite differences", (op) => {
    const actual = evaluateGraph(buildGraph(gradientOutputs(op)), toValues(op.feeds));
    const loss = buildGraph({ loss: weightedSum(op.y) });
    const lossAt = (feeds: Record<string, Value>): number => evaluateGraph(loss, feeds)["loss"]!.data[0]!;
    for (const name of op.smooth) {
      const differences = op.feeds[name]!.data.map((_, i) => {
        const shifted = (delta: number): number => {
          const feeds = toValues(op.feeds);
          feeds[name]!.data[i]! += delta;
          return lossAt(feeds);
        };
        return (shifted(STEP) - shifted(-STEP)) / (2 * STEP);
      });
      expectClose(actual[`d_${name}`]!.data, differences, 1e-7);
    }
  });
});
