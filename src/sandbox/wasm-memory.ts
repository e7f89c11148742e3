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
  const wasm: unknown = Reflect.get(globalThis, "WebAssembly");
  const make: unknown = typeof wasm === "object" && wasm !== null ? Reflect.get(wasm, "Memory") : undefined;
  if (typeof make !== "function") throw new SandboxError("this host has no WebAssembly");
  const memory = Reflect.construct(make, [{ initial: FIRST_PAGES, maximum: MOST_PAGES }]) as WasmMemory;
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
