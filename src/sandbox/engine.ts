/**
 * One WASM module of QuickJS, with the two things that its JavaScript interface lacks: a memory with an upper bound, and
 * access to the counter that decides when the interpreter next calls its interrupt handler.
 *
 * Why the memory: this build sees no block sizes (`malloc_usable_size` is 0 under Emscripten), so QuickJS's own limit
 * counts 8 bytes a block and a guest could take all that WASM can address.
 * Why the counter: it starts again at 10,000 polls after each call, which is too coarse where one poll stands for a slow
 * native operation, and an interrupt that falls into an async function only rejects its promise, so that a loop around it
 * would run on for ever. With the counter at 1 every poll is an interrupt. Its place is found by experiment.
 */
import variant from "@jitl/quickjs-wasmfile-release-sync";
import { newQuickJSWASMModuleFromVariant, newVariant } from "quickjs-emscripten-core";
import type { QuickJSContext, QuickJSWASMModule } from "quickjs-emscripten-core";
import { describeError, SandboxError } from "../base/errors.ts";

/** Polls between two interrupts that QuickJS itself would let pass. */
export const POLLS_PER_FUEL = 10_000;

const PAGE = 65_536;
const FIRST_PAGES = 256;
/** Bound of one module's memory: 256 MiB. */
const MOST_PAGES = 4096;
/** 32-bit words of a context that are searched for the counter. */
const CONTEXT_WORDS = 256;

/** A loaded module. */
export type Engine = {
  readonly module: QuickJSWASMModule;
  /** Size of its memory now, in bytes; it never shrinks. */
  readonly memoryBytes: () => number;
  /** The interrupt counter of a context: polls left until the next interrupt. */
  readonly counterOf: (context: QuickJSContext) => InterruptCounter;
};

/** Polls left until the interpreter calls its interrupt handler. */
export type InterruptCounter = { readonly get: () => number; readonly set: (polls: number) => void };

/**
 * Loads a module of its own.
 * @throws {SandboxError} If it cannot be loaded, or has another layout than expected.
 */
export async function loadEngine(): Promise<Engine> {
  try {
    const memory = createMemory();
    const options = { wasmMemory: memory } as Parameters<typeof newVariant>[1];
    const module = await newQuickJSWASMModuleFromVariant(newVariant(variant, options));
    const words = wordReader(memory);
    const word = findCounter(module, words);
    return {
      module,
      memoryBytes: () => memory.buffer.byteLength,
      counterOf: (context) => {
        const at = contextAddress(context) / 4 + word;
        return {
          get: () => words()[at] ?? 0,
          set: (polls) => {
            words()[at] = polls;
          },
        };
      },
    };
  } catch (error) {
    throw new SandboxError(`cannot load the QuickJS module: ${describeError(error)}`, { cause: error });
  }
}

/** Bytes that a fresh module's memory has. */
export const FRESH_MEMORY: number = FIRST_PAGES * PAGE;

/** The one property of a WebAssembly.Memory that is used; the class has no type that every host's library declares. */
type WasmMemory = { readonly buffer: ArrayBuffer };

function createMemory(): WasmMemory {
  const wasm: unknown = Reflect.get(globalThis, "WebAssembly");
  const make: unknown = typeof wasm === "object" && wasm !== null ? Reflect.get(wasm, "Memory") : undefined;
  if (typeof make !== "function") throw new SandboxError("this host has no WebAssembly");
  return Reflect.construct(make, [{ initial: FIRST_PAGES, maximum: MOST_PAGES }]) as WasmMemory;
}

/** A view of the memory that survives its growth, which detaches the buffer. */
function wordReader(memory: WasmMemory): () => Int32Array {
  let words = new Int32Array(memory.buffer);
  return () => {
    if (words.length === 0) words = new Int32Array(memory.buffer);
    return words;
  };
}

/** Index of the word, within a context, that holds 10,000 in the interrupt handler and falls with each poll after it. */
function findCounter(module: QuickJSWASMModule, words: () => Int32Array): number {
  const runtime = module.newRuntime();
  const context = runtime.newContext();
  const start = contextAddress(context) / 4;
  const read = (): number[] => [...words().subarray(start, start + CONTEXT_WORDS)];
  let inHandler: number[] = [];
  runtime.setInterruptHandler(() => {
    inHandler = read();
    return false;
  });
  const loop = "for (let i = 0; i < 100; i++);";
  context.evalCode(loop).dispose();
  const before = read();
  context.evalCode(loop).dispose();
  const after = read();
  context.dispose();
  runtime.dispose();
  const found = inHandler.flatMap((value, index) => {
    const polls = (before[index] ?? 0) - (after[index] ?? 0);
    return value === POLLS_PER_FUEL && polls >= 100 && polls <= 300 ? [index] : [];
  });
  const [word] = found;
  if (word === undefined || found.length !== 1) throw new SandboxError("the interrupt counter has no known place");
  return word;
}

/** The library keeps a context's address in a protected field. */
function contextAddress(context: QuickJSContext): number {
  const lifetime: unknown = Reflect.get(context, "ctx");
  const address: unknown =
    typeof lifetime === "object" && lifetime !== null ? Reflect.get(lifetime, "value") : undefined;
  if (typeof address !== "number") throw new SandboxError("a context has no address");
  return address;
}
