/**
 * Devices of a browser: the `/wasm` and `/webgpu` entries of `onnxruntime-web`, never its default entry. Each is fetched
 * only when its device is opened. Call from a dedicated worker: a run of the WASM build blocks its thread.
 */
import { describeError, DeviceError } from "../../base/errors.ts";
import { MOST_THREADS, probeRuntime } from "../../runtime/executable.ts";
import { createOrtRuntime } from "../../runtime/ort-runtime.ts";
import type { Runtime } from "../../runtime/session.ts";

/** Where the files of ONNX Runtime lie, and how they are to run. */
export type OpenWebRuntimeOptions = {
  /** URL of the folder that holds `ort-wasm-*.mjs` and `.wasm`, with a slash at its end. */
  readonly assets: string;
  /** Threads of the WASM build; more than one only where the page is cross-origin isolated. @default 1 */
  readonly threads?: number;
};

/** Threads that this page may use: 1 where the host did not isolate it, and no more than leave every sum as it is. */
export function availableThreads(): number {
  return globalThis.crossOriginIsolated ? Math.max(1, Math.min(MOST_THREADS, navigator.hardwareConcurrency)) : 1;
}

/**
 * Opens the WASM device. The number of threads holds for the life of the worker.
 * @throws {DeviceError} If it cannot be loaded.
 */
export async function openWasmRuntime({ assets, threads = 1 }: OpenWebRuntimeOptions): Promise<Runtime> {
  const ort = await load("wasm", () => import("onnxruntime-web/wasm"));
  ort.env.wasm.numThreads = threads;
  ort.env.wasm.wasmPaths = {
    mjs: `${assets}ort-wasm-simd-threaded.mjs`,
    wasm: `${assets}ort-wasm-simd-threaded.wasm`,
  };
  ort.env.logLevel = "error";
  const plural = threads === 1 ? "thread" : "threads";
  const description = `ONNX Runtime Web, ${String(threads)} ${plural}`;
  const runtime = createOrtRuntime(ort, { device: "wasm", description, threads });
  await probeRuntime(runtime);
  return runtime;
}

/** What a graphics adapter says of itself. */
export type AdapterReport = {
  /** A few words, such as `nvidia ampere`. */
  readonly name: string;
  /** Whether it is software, which is slower than the CPU device. */
  readonly isSoftware: boolean;
};

/** The adapter that WebGPU would use, or why there is none. */
export async function findAdapter(): Promise<AdapterReport | { readonly missing: string }> {
  const gpu = (navigator as { readonly gpu?: GpuLike }).gpu;
  if (!gpu) return { missing: "this browser has no WebGPU" };
  try {
    const adapter = await gpu.requestAdapter();
    if (!adapter) return { missing: "WebGPU found no graphics adapter" };
    const { vendor = "", architecture = "", description = "", isFallbackAdapter } = adapter.info ?? {};
    const name = [vendor, architecture || description].filter(Boolean).join(" ") || "unnamed adapter";
    const isSoftware = isFallbackAdapter === true || /swiftshader|llvmpipe|software/i.test(name);
    return { name, isSoftware };
  } catch (error) {
    return { missing: `WebGPU failed: ${describeError(error)}` };
  }
}

/**
 * Opens WebGPU.
 * @throws {DeviceError} If there is no adapter or it refuses the smallest graph.
 */
export async function openWebgpuRuntime({ assets }: OpenWebRuntimeOptions): Promise<Runtime> {
  const adapter = await findAdapter();
  if ("missing" in adapter) throw new DeviceError(`device webgpu: ${adapter.missing}`);
  const ort = await load("webgpu", () => import("onnxruntime-web/webgpu"));
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmPaths = {
    mjs: `${assets}ort-wasm-simd-threaded.asyncify.mjs`,
    wasm: `${assets}ort-wasm-simd-threaded.asyncify.wasm`,
  };
  ort.env.logLevel = "error";
  const runtime = createOrtRuntime(ort, { device: "webgpu", description: `WebGPU, ${adapter.name}`, threads: 1 });
  await probeRuntime(runtime);
  return runtime;
}

async function load<T>(device: string, importer: () => Promise<T>): Promise<T> {
  try {
    return await importer();
  } catch (cause) {
    throw new DeviceError(`device ${device}: cannot load its code: ${describeError(cause)}`, { cause });
  }
}

/** The part of WebGPU that is used; its types come with no library that is portable here. */
type GpuLike = {
  readonly requestAdapter: () => Promise<{
    readonly info?: {
      readonly vendor?: string;
      readonly architecture?: string;
      readonly description?: string;
      readonly isFallbackAdapter?: boolean;
    };
  } | null>;
};
