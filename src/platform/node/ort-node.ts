/** Devices of a Node process: `onnxruntime-node` for cpu, cuda and webgpu, `onnxruntime-web` for wasm. */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { DeviceError } from "../../base/errors.ts";
import { probeRuntime } from "../../runtime/executable.ts";
import { createOrtRuntime, type OrtBuild } from "../../runtime/ort-runtime.ts";
import { DEVICES, type DeviceName, type Runtime } from "../../runtime/session.ts";

/** Options of `openRuntime`. */
export type OpenRuntimeOptions = {
  /** Threads of one CPU session. @default all cores */
  readonly threads?: number;
};

/**
 * Opens `device`, or with `auto` the first of cuda and cpu that is there (webgpu has to be asked for: a software adapter
 * would be slower than the CPU and cannot be told from a real one here).
 * @throws {DeviceError} If it is not there, with the reason and the devices that are.
 */
export async function openRuntime(device: DeviceName | "auto", options: OpenRuntimeOptions = {}): Promise<Runtime> {
  const threads = options.threads ?? availableParallelism();
  if (device === "wasm") return openWasm();
  const ort = await import("onnxruntime-node");
  const present = ort.listSupportedBackends().map(({ name }) => name);
  if (device === "auto") return openNative(ort, (await hasCuda(ort)) ? "cuda" : "cpu", threads);
  if (!present.includes(device))
    throw new DeviceError(
      `device ${device} is not in this build of onnxruntime-node; try one of ${DEVICES.join(", ")}`,
    );
  if (device === "cuda" && !existsSync(cudaLibrary()))
    throw new DeviceError("device cuda: its libraries are not installed; README says how, or try --device cpu");
  const runtime = openNative(ort, device, threads);
  if (device !== "cpu") await probeRuntime(runtime);
  return runtime;
}

function openNative(ort: OrtBuild, device: DeviceName, threads: number): Runtime {
  const description = device === "cpu" ? `ONNX Runtime, ${String(threads)} threads` : `ONNX Runtime, ${device}`;
  return createOrtRuntime(ort, { device, description, threads });
}

async function openWasm(): Promise<Runtime> {
  const ort = await import("onnxruntime-web/wasm");
  // The wasm provider of onnxruntime-web is single-threaded in Node by design.
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = "error";
  return createOrtRuntime(ort, { device: "wasm", description: "ONNX Runtime Web, 1 thread", threads: 1 });
}

async function hasCuda(ort: OrtBuild): Promise<boolean> {
  // Without its library ONNX Runtime would print an error of its own before it refuses.
  if (!existsSync(cudaLibrary())) return false;
  try {
    await probeRuntime(openNative(ort, "cuda", 0));
    return true;
  } catch {
    return false;
  }
}

/** Where the install script of onnxruntime-node puts the CUDA provider when it is allowed to fetch it. */
function cudaLibrary(): string {
  const entry = createRequire(import.meta.url).resolve("onnxruntime-node");
  const folder = join(dirname(entry), "..", "bin", "napi-v6", process.platform, process.arch);
  return join(folder, "libonnxruntime_providers_cuda.so");
}
