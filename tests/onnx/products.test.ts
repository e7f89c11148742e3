/** Products give the same bits on any number of threads, and the sums of the float64 evaluator. */
import { describe, expect, it } from "vitest";
import { createRng } from "../../src/base/rng.ts";
import * as g from "../../src/graph/builder.ts";
import { buildGraph, type Graph } from "../../src/graph/graph.ts";
import { evaluateGraph } from "../../src/graph/evaluate.ts";
import { emitOnnx } from "../../src/onnx/emit.ts";
import { MOST_THREADS } from "../../src/onnx/products.ts";
import { openRuntime } from "../../src/platform/node/ort-node.ts";
import { floats } from "../../src/runtime/executable.ts";
import type { HostTensor } from "../../src/runtime/session.ts";
import { expectClose } from "../support/op-checks.ts";

const rng = createRng("products");

type Size = { readonly rows: number; readonly depth: number; readonly columns: number };

/** y = 2 a b^T + c with any number of rows, or with b as it stands. */
function product({ depth, columns }: Omit<Size, "rows">, transB: boolean): Graph {
  const a = g.input("a", "f32", ["M", depth]);
  const b = g.input("b", "f32", transB ? [columns, depth] : [depth, columns]);
  const c = g.input("c", "f32", [columns]);
  return buildGraph({ y: g.gemm(a, b, { transB, alpha: 2, c }) });
}

function random(shape: readonly number[]): HostTensor {
  const size = shape.reduce((total, dim) => total * dim, 1);
  return { type: "f32", shape, data: Float32Array.from({ length: size }, () => rng.uniform() - 0.5) };
}

function feedsOf({ rows, depth, columns }: Size, transB: boolean): Record<"a" | "b" | "c", HostTensor> {
  return {
    a: random([rows, depth]),
    b: random(transB ? [columns, depth] : [depth, columns]),
    c: random([columns]),
  };
}

/** The bits of `graph` for `feeds` on `threads` threads. */
async function bitsOf(
  graph: Graph,
  feeds: Readonly<Record<string, HostTensor>>,
  options: { readonly threads: number; readonly hasFixedSums: boolean },
): Promise<Uint32Array> {
  const runtime = await openRuntime("cpu", { threads: options.threads });
  await using session = await runtime.createSession(emitOnnx(graph, options).bytes);
  return new Uint32Array(Float32Array.from(floats(await session.run(feeds), "y")).buffer);
}

/** Columns that 2, 3 and 4 threads share; depths of one block and of several, the last one not full. */
const SIZES: readonly Size[] = [
  { rows: 25, depth: 600, columns: 32 },
  { rows: 5, depth: 250, columns: 96 },
  { rows: 111, depth: 384, columns: 128 },
  { rows: 20, depth: 1100, columns: 257 },
  { rows: 33, depth: 384, columns: 304 },
];

describe("emitOnnx with fixed sums", () => {
  it.each(SIZES)("gives the same bits on all threads for $rows x $depth x $columns", async (size) => {
    for (const transB of [false, true]) {
      const [graph, feeds] = [product(size, transB), feedsOf(size, transB)];
      const one = await bitsOf(graph, feeds, { threads: 1, hasFixedSums: true });
      for (let threads = 2; threads <= MOST_THREADS; threads += 1)
        expect(await bitsOf(graph, feeds, { threads, hasFixedSums: true })).toEqual(one);
      expect(await bitsOf(graph, feeds, { threads: 1, hasFixedSums: false })).toEqual(one);
    }
  });

  // Kernels of other processors may share products otherwise.
  it.runIf(process.arch === "x64").each(SIZES)("is needed for $rows x $depth x $columns", async (size) => {
    const [graph, feeds] = [product(size, true), feedsOf(size, true)];
    const [one, most] = await Promise.all(
      [1, MOST_THREADS].map((threads) => bitsOf(graph, feeds, { threads, hasFixedSums: false })),
    );
    expect(most).not.toEqual(one);
  });

  it.each(SIZES)("gives the evaluator's sums for $rows x $depth x $columns", async (size) => {
    const [graph, feeds] = [product(size, true), feedsOf(size, true)];
    const wide = Object.entries(feeds).map(([name, { shape, data }]) => {
      return [name, { shape, data: Float64Array.from(data as Float32Array) }] as const;
    });
    const bits = await bitsOf(graph, feeds, { threads: 1, hasFixedSums: true });
    expectClose(new Float32Array(bits.buffer), evaluateGraph(graph, Object.fromEntries(wide))["y"]?.data ?? [], 1e-5);
  });

  it("leaves products alone whose sums no thread changes", () => {
    const weights = g.constant(new Float32Array(384 * 128), [384, 128]);
    const x = g.input("x", "f32", ["M", 384]);
    const graphs = {
      constant: g.gemm(x, weights),
      shallow: product({ depth: 128, columns: 96 }, true).outputs["y"],
      wide: product({ depth: 384, columns: 320 }, true).outputs["y"],
      narrow: product({ depth: 384, columns: 16 }, true).outputs["y"],
      tall: g.gemm(g.input("x", "f32", [128, 384]), g.input("w", "f32", [384, 128])),
      transposed: g.gemm(g.input("x", "f32", [384, "M"]), g.input("w", "f32", [384, 128]), { transA: true }),
    };
    for (const [name, y] of Object.entries(graphs)) {
      if (!y) throw new TypeError(`no graph ${name}`);
      const graph = buildGraph({ y });
      expect(emitOnnx(graph, { hasFixedSums: true }).bytes, name).toEqual(emitOnnx(graph).bytes);
    }
  });
});
