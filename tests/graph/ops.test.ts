/** Every op three ways: the float64 evaluator against ONNX Runtime, and gradient rules against finite differences. */
import { describe, expect, it } from "vitest";
import { evaluateGraph, type Value } from "../../src/graph/evaluate.ts";
import { buildGraph } from "../../src/graph/graph.ts";
import { INFER } from "../../src/graph/infer.ts";
import { openRuntime } from "../../src/platform/node/ort-node.ts";
import type { DeviceName } from "../../src/runtime/session.ts";
import { runOnDevice } from "../support/device.ts";
import { OP_CASES } from "../support/op-cases.ts";
import { expectClose, gradientOutputs, toValues, weightedSum } from "../support/op-checks.ts";

const STEP = 1e-5;

describe("op table", () => {
  it("has a case for every op", () => {
    const covered = new Set(OP_CASES.map(({ kind }) => kind));
    const leaves = new Set(["input", "constant"]);
    expect(Object.keys(INFER).filter((kind) => !covered.has(kind as never) && !leaves.has(kind))).toEqual([]);
  });
});

for (const device of ["cpu", "wasm"] as const satisfies readonly DeviceName[]) {
  describe(`ops on ${device}`, async () => {
    const runtime = await openRuntime(device, { threads: 1 });
    it.each(OP_CASES)("$name equals the evaluator", async (op) => {
      const expected = evaluateGraph(buildGraph({ y: op.y }), toValues(op.feeds))["y"]!;
      const { y } = await runOnDevice(runtime, { y: op.y }, op);
      expectClose(y!, expected.data, 2e-6);
    });
    it.each(OP_CASES.filter(({ smooth }) => smooth.length > 0))("$name has the evaluator's gradient", async (op) => {
      const outputs = gradientOutputs(op);
      const expected = evaluateGraph(buildGraph(outputs), toValues(op.feeds));
      const actual = await runOnDevice(runtime, outputs, op);
      for (const name of op.smooth) expectClose(actual[`d_${name}`]!, expected[`d_${name}`]!.data, 5e-6);
    });
  });
}

describe("gradient rules", () => {
  it.each(OP_CASES.filter(({ smooth }) => smooth.length > 0))("$name equals finite differences", (op) => {
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
