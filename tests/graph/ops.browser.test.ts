/** Every op on the WebGPU provider without falling back to the CPU, through SwiftShader where there is no GPU. */
import { describe, expect, it } from "vitest";
import { evaluateGraph, type Value } from "../../src/graph/evaluate.ts";
import { buildGraph } from "../../src/graph/graph.ts";
import { openRuntime } from "../../src/platform/node/ort-node.ts";
import { runOnDevice } from "../support/device.ts";
import { expectClose, gradientOutputs, toValues } from "../support/op-checks.ts";
import { OP_CASES } from "../support/op-cases.ts";

describe("ops on webgpu", async () => {
  const runtime = await openRuntime("webgpu");
  it.each(OP_CASES)("$name equals the evaluator", async (op) => {
    const expected: Value = evaluateGraph(buildGraph({ y: op.y }), toValues(op.feeds))["y"]!;
    const { y } = await runOnDevice(runtime, { y: op.y }, op);
    expectClose(y!, expected.data, 1e-5);
  });
  it.each(OP_CASES.filter(({ smooth }) => smooth.length > 0))("$name has the evaluator's gradient", async (op) => {
    const outputs = gradientOutputs(op);
    const expected = evaluateGraph(buildGraph(outputs), toValues(op.feeds));
    const actual = await runOnDevice(runtime, outputs, op);
    expect(Object.keys(actual)).toEqual(Object.keys(expected));
    for (const [name, { data }] of Object.entries(expected)) expectClose(actual[name]!, data, 1e-4);
  });
});
