/** Runs an op case on a device, as f32 or i32 tensors. */
import { buildGraph, type Node } from "../../src/graph/graph.ts";
import { compileGraph, floats } from "../../src/runtime/executable.ts";
import type { HostTensor, Runtime } from "../../src/runtime/session.ts";
import type { OpCase } from "./op-cases.ts";

/** Ops that WebGPU leaves to the CPU. */
const CPU_OPS: ReadonlySet<string> = new Set(["linearRecurrence"]);

/** Values of `outputs` for the feeds of `op`, computed by `runtime`; on WebGPU no node but of `CPU_OPS` may fall back. */
export async function runOnDevice(
  runtime: Runtime,
  outputs: Readonly<Record<string, Node>>,
  { kind, feeds }: Pick<OpCase, "kind" | "feeds">,
): Promise<Record<string, Float32Array>> {
  const graph = buildGraph(outputs);
  const tensors = graph.inputs.map(({ attributes: { name, type } }): [string, HostTensor] => {
    const { shape, data } = feeds[name]!;
    return [
      name,
      type === "f32" ? { type, shape, data: Float32Array.from(data) } : { type, shape, data: Int32Array.from(data) },
    ];
  });
  await using executable = await compileGraph(graph, runtime, {
    refuseFallback: runtime.device === "webgpu" && !CPU_OPS.has(kind),
  });
  const results = await executable.run(Object.fromEntries(tensors));
  return Object.fromEntries(Object.keys(outputs).map((name) => [name, Float32Array.from(floats(results, name))]));
}
