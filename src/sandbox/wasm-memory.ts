/** A WebAssembly memory whose growth its owner decides on. */
import { SandboxError } from "../base/errors.ts";

/** Bytes of one page of WebAssembly memory. */
const PAGE = 65_536;
const FIRST_PAGES = 256;
/** Bound of a memory: 256 MiB. */
const MOST_PAGES = 4096;

/** Bytes that a fresh memory has; the QuickJS module takes no smaller one. */
export const FRESH_MEMORY: number = FIRST_PAGES * PAGE;

/** A memory; the class has no type that every host's library declares. */
export type WasmMemory = { readonly buffer: ArrayBuffer; grow: (pages: number) => number };

/** What is used of the host's `WebAssembly`. */
export type WasmHost = {
  readonly Memory: new (size: { readonly initial: number; readonly maximum: number }) => WasmMemory;
  readonly compile: (bytes: Uint8Array) => Promise<object>;
  instantiate: (source: object, imports: object) => Promise<object>;
  instantiateStreaming?: (source: object, imports: object) => Promise<object>;
};

/**
 * The host's `WebAssembly`.
 * @throws {SandboxError} If there is none.
 */
export function wasmHost(): WasmHost {
  const host: unknown = Reflect.get(globalThis, "WebAssembly");
  if (typeof host !== "object" || host === null) throw new SandboxError("this host has no WebAssembly");
  return host as WasmHost;
}

/** Decides on the growth of a memory. */
export type Growth = {
  /** Bytes that it may have now. */
  readonly most: () => number;
  /** Told of each try to grow. The module tries smaller steps after a refusal. */
  readonly onGrow: (granted: boolean) => void;
};

/**
 * Makes a memory that refuses to grow beyond `growth.most()`, as if the machine had no more.
 * @throws {SandboxError} If the host has no WebAssembly.
 */
export function createMemory(growth: Growth): WasmMemory {
  const memory = new (wasmHost().Memory)({ initial: FIRST_PAGES, maximum: MOST_PAGES });
  const grow = memory.grow.bind(memory);
  memory.grow = (pages) => {
    const granted = memory.buffer.byteLength + pages * PAGE <= growth.most();
    growth.onGrow(granted);
    if (!granted) throw new RangeError("the memory may not grow so far");
    return grow(pages);
  };
  return memory;
}

/** Views of a memory that survive its growth, which detaches the buffer. */
export class MemoryViews {
  readonly #memory: WasmMemory;
  #bytes: Uint8Array;
  #words: Int32Array;

  /** Makes views of all of `memory`. */
  constructor(memory: WasmMemory) {
    this.#memory = memory;
    this.#bytes = new Uint8Array(memory.buffer);
    this.#words = new Int32Array(memory.buffer);
  }

  /** All bytes. */
  get bytes(): Uint8Array {
    if (this.#bytes.length === 0) this.#bytes = new Uint8Array(this.#memory.buffer);
    return this.#bytes;
  }

  /** All 32-bit words. */
  get words(): Int32Array {
    if (this.#words.length === 0) this.#words = new Int32Array(this.#memory.buffer);
    return this.#words;
  }
}
