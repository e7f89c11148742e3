import { describe, expect, it } from "vitest";
import { createRng } from "../../src/base/rng.ts";
import * as g from "../../src/graph/builder.ts";
import { evaluateGraph } from "../../src/graph/evaluate.ts";
import { buildGraph } from "../../src/graph/graph.ts";
import { emitOnnx } from "../../src/onnx/emit.ts";
import { cutRows } from "../../src/onnx/large-constants.ts";
import { openRuntime } from "../../src/platform/node/ort-node.ts";
import { floats } from "../../src/runtime/executable.ts";

const [ROWS, COLUMNS] = [11, 4];
const rng = createRng("large-constants");
const TABLE = Float32Array.from({ length: ROWS * COLUMNS }, () => Math.fround(rng.normal()));
const IDS = [0, 10, 3, 2, 5, 9, 6, 10];

/** An embedding, the logits that share its table, and a product from the other side, as the gradient has one. */
function buildTied(): ReturnType<typeof buildGraph> {
  const table = g.constant(TABLE, [ROWS, COLUMNS]);
  const embedded = g.gather(table, g.input("ids", "i32", ["B", "T"]));
  const logits = g.gemm(g.reshape(embedded, ["B*T", COLUMNS]), table, { transB: true, alpha: 0.5 });
  return buildGraph({ embedded, logits, back: g.gemm(logits, table, { alpha: 2 }) });
}

describe("a constant that is cut into parts", () => {
  it.each([
    ["cpu", 3],
    ["cpu", 1],
    ["wasm", 6],
  ] as const)("is read on %s as if it were whole, %i rows a part", async (device, rowsAPart) => {
    const graph = buildTied();
    const { bytes, externalData } = emitOnnx(graph, { largestInitializer: rowsAPart * COLUMNS * 4 });
    const runtime = await openRuntime(device, { threads: 1 });
    await using session = await runtime.createSession(bytes, { externalData });
    const outputs = await session.run({ ids: { type: "i32", shape: [2, 4], data: Int32Array.from(IDS) } });
    const ids = { shape: [2, 4], data: Float64Array.from(IDS) };
    for (const [name, { data }] of Object.entries(evaluateGraph(graph, { ids })))
      data.forEach((value, i) => {
        expect(floats(outputs, name)[i], name).toBeCloseTo(value, 5);
      });
  });

  it("is the constant itself, external or not, where it is small enough", () => {
    const graph = buildTied();
    const whole = emitOnnx(graph).bytes;
    expect(emitOnnx(graph, { largestInitializer: TABLE.byteLength }).bytes).toEqual(whole);
    expect(emitOnnx(graph, { largestInitializer: TABLE.byteLength - 1 }).bytes).not.toEqual(whole);
  });

  it("has all rows in its parts, and is refused where a row is too large or the reader wants it whole", () => {
    expect(cutRows([11, 4], 70)).toEqual([
      { start: 0, rows: 4 },
      { start: 4, rows: 4 },
      { start: 8, rows: 3 },
    ]);
    expect(() => cutRows([11, 4], 15)).toThrow("too large for the model");
    expect(() => cutRows([44], 15)).toThrow("too large for the model");
    const sum = g.add(g.constant(TABLE, [ROWS, COLUMNS]), g.input("x", "f32", [ROWS, COLUMNS]));
    expect(() => emitOnnx(buildGraph({ sum }), { largestInitializer: 64 })).toThrow("a add can't read a constant");
  });
});
