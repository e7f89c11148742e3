/**
 * Loads the QuickJS module in its metered form (`wasm-meter.ts`).
 *
 * The library finds its own file, in Node and through a bundler alike, but has no hook between the file's bytes and their
 * compilation. So it is loaded once as it is, with `WebAssembly.instantiate` wrapped meanwhile to see those bytes; calls of
 * others, which do not bring our memory, pass through. That first module then serves to find the layout of the build.
 */
import variant from "@jitl/quickjs-wasmfile-release-sync";
import { newQuickJSWASMModuleFromVariant, newVariant } from "quickjs-emscripten-core";
import type { QuickJSWASMModule } from "quickjs-emscripten-core";
import { describeError, SandboxError } from "../base/errors.ts";
import { type EngineLayout, findLayout } from "./engine-layout.ts";
import { createMemory, type Growth, FRESH_MEMORY, MemoryViews, type WasmMemory, wasmHost } from "./wasm-memory.ts";
import { METER_EXPORT, meterModule } from "./wasm-meter.ts";

/** A mutable i32 of a module: work that it may still do. */
export type Allowance = { value: number };

/** A module with a memory of its own. */
export type LoadedModule = {
  readonly module: QuickJSWASMModule;
  readonly memory: WasmMemory;
  readonly views: MemoryViews;
  readonly allowance: Allowance;
};

/** The compiled metered module, and where its parts lie. */
export type EngineBuild = { readonly compiled: object; readonly layout: EngineLayout };

let built: Promise<EngineBuild> | undefined;

/**
 * The build, prepared once for the process.
 * @throws {SandboxError} If the module cannot be loaded, or is not what is expected.
 */
export function engineBuild(): Promise<EngineBuild> {
  built ??= prepareBuild().catch((error: unknown) => {
    built = undefined;
    throw new SandboxError(`cannot load the QuickJS module: ${describeError(error)}`, { cause: error });
  });
  return built;
}

async function prepareBuild(): Promise<EngineBuild> {
  const memory = createMemory({ most: () => FRESH_MEMORY, onGrow: () => undefined });
  const capture = captureBytes(memory);
  let module: QuickJSWASMModule;
  try {
    module = await newQuickJSWASMModuleFromVariant(newVariant(variant, options({ wasmMemory: memory })));
  } finally {
    capture.end();
  }
  const bytes = capture.bytes();
  if (bytes === undefined) throw new SandboxError("the library compiled it in an unknown way");
  const views = new MemoryViews(memory);
  return { compiled: await wasmHost().compile(meterModule(bytes)), layout: findLayout(module, () => views.words) };
}

/**
 * A new instance of the metered module.
 * @throws {SandboxError} If it cannot be made.
 */
export async function loadModule(build: EngineBuild, growth: Growth): Promise<LoadedModule> {
  try {
    const memory = createMemory(growth);
    let imported: (imports: object, done: (instance: object) => void) => void = () => undefined;
    const wanted = new Promise<{ imports: object; done: (instance: object) => void }>((resolve) => {
      imported = (imports, done) => {
        resolve({ imports, done });
      };
    });
    const emscriptenModule = { instantiateWasm: imported };
    const loading = newQuickJSWASMModuleFromVariant(
      newVariant(variant, options({ wasmMemory: memory, emscriptenModule })),
    );
    const { imports, done } = await wanted;
    const instance = await wasmHost().instantiate(build.compiled, imports);
    done(instance);
    const module = await loading;
    const allowance = (Reflect.get(instance, "exports") as Record<string, Allowance>)[METER_EXPORT];
    if (allowance === undefined) throw new SandboxError("the module has no meter");
    return { module, memory, views: new MemoryViews(memory), allowance };
  } catch (error) {
    throw new SandboxError(`cannot load the QuickJS module: ${describeError(error)}`, { cause: error });
  }
}

type VariantOptions = Parameters<typeof newVariant>[1];

/** The library's types name classes that the core's own types do not know. */
function options(given: object): VariantOptions {
  return given;
}

type Capture = { readonly bytes: () => Uint8Array | undefined; readonly end: () => void };
type Streamed = { readonly arrayBuffer: () => Promise<ArrayBuffer> };

/** Sees the bytes of the module that is instantiated with `memory`, until `end` is called. */
function captureBytes(memory: WasmMemory): Capture {
  const host = wasmHost();
  const { instantiate, instantiateStreaming } = host;
  let bytes: Uint8Array | undefined;
  const isOurs = (imports: unknown): boolean => holds(imports, memory, 2);
  const wrapped: typeof instantiate = (source, imports) => {
    if (isOurs(imports)) bytes = bytesOf(source);
    return instantiate.call(host, source, imports);
  };
  host.instantiate = wrapped;
  if (instantiateStreaming !== undefined)
    host.instantiateStreaming = async (source, imports) => {
      if (!isOurs(imports)) return instantiateStreaming.call(host, source, imports);
      const response = (await Promise.resolve(source)) as Streamed; // or a promise of it
      return wrapped(await response.arrayBuffer(), imports);
    };
  const end = (): void => {
    host.instantiate = instantiate;
    if (instantiateStreaming !== undefined) host.instantiateStreaming = instantiateStreaming;
  };
  return { bytes: () => bytes, end };
}

function holds(value: unknown, wanted: object, depth: number): boolean {
  if (value === wanted) return true;
  return depth > 0 && typeof value === "object" && value !== null
    ? Object.values(value).some((part) => holds(part, wanted, depth - 1))
    : false;
}

function bytesOf(source: object): Uint8Array | undefined {
  if (source instanceof ArrayBuffer) return new Uint8Array(source.slice(0));
  return ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength).slice()
    : undefined;
}
