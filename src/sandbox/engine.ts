/**
 * One WASM module of QuickJS with one bootstrapped context, which serves many guests in turn.
 *
 * Making, bootstrapping and freeing a context for each guest took milliseconds. All state of the engine is bytes of its
 * memory, and few of them (about 200 KB), so a guest is instead an image of that memory: it starts from the image of the
 * bootstrapped context, is copied out when another guest needs the engine, copied back when its host call is answered,
 * and forgotten when it ends. Whatever it did to the engine is gone with its image.
 *
 * On the host side the library keeps only addresses (of the context and of the bridge's functions), the same in every
 * image, and functions that ask which guest is in the memory now.
 *
 * The memory's growth is the memory limit: this build sees no block sizes (`malloc_usable_size` is 0 under Emscripten), so
 * QuickJS's own limit counts 8 bytes a block. Memory never shrinks, so an engine that has grown serves its guest alone.
 */
import { DefaultIntrinsics } from "quickjs-emscripten-core";
import type { QuickJSContext, QuickJSRuntime } from "quickjs-emscripten-core";
import { SandboxError } from "../base/errors.ts";
import { contextAddress, MOST_WORK, type EngineLayout } from "./engine-layout.ts";
import { type Bridge, type Guest, makeBridge } from "./guest-bridge.ts";
import type { InterruptCounter } from "./poll-meter.ts";
import { FRESH_MEMORY, type Growth, type MemoryViews, type WasmMemory } from "./wasm-memory.ts";
import { type Allowance, type EngineBuild, type LoadedModule, loadModule } from "./wasm-module.ts";

/** All state of an engine between two slices of guest work: its static data, then its heap. */
export type MemoryImage = {
  readonly bytes: Uint8Array;
  /** Bytes in use, from the first. */
  readonly length: number;
  /** Whether guests still start from it after it has been brought in. */
  readonly kept: boolean;
};

/** A guest and, while it is out of the engine, its state; undefined while it is in. */
export type Tenant = { readonly guest: Guest; readonly memory: number; image: MemoryImage | undefined };

/** Buffers of former images that are kept for the next ones. */
const SPARE_IMAGES = 16;

/** A loaded module. */
export class Engine {
  /** Whether it takes no more guests. */
  retired = false;
  readonly runtime: QuickJSRuntime;
  readonly context: QuickJSContext;
  readonly bridge: Bridge;
  /** The state after the bootstrap, from which every guest starts. */
  readonly base: MemoryImage;
  /** Polls left until the interpreter calls its interrupt handler. */
  readonly counter: InterruptCounter;
  /** Work that the module may still do before it stops. */
  readonly allowance: Allowance;
  readonly #layout: EngineLayout;
  readonly #memory: WasmMemory;
  readonly #views: MemoryViews;
  readonly #baseBreak: number;
  readonly #spare: Uint8Array[] = [];
  #tenant: Tenant | undefined;
  #starved = false;

  private constructor(layout: EngineLayout, loaded: LoadedModule) {
    this.#layout = layout;
    this.#memory = loaded.memory;
    this.#views = loaded.views;
    this.allowance = loaded.allowance;
    this.allowance.value = MOST_WORK;
    this.runtime = loaded.module.newRuntime({
      interruptHandler: () => this.#tenant?.guest.interrupt() ?? false,
      moduleLoader: (name) => ({ error: new TypeError(`imports are not available, asked for "${name}"`) }),
    });
    this.context = this.runtime.newContext({ intrinsics: { ...DefaultIntrinsics, Proxy: false } });
    this.runtime.context = this.context; // or the library makes one more when a job fails
    const counterAt = contextAddress(this.context) / 4 + layout.counterWord;
    this.counter = {
      get: () => this.#views.words[counterAt] ?? 0,
      set: (polls) => {
        this.#views.words[counterAt] = polls;
      },
    };
    this.bridge = makeBridge(this.context, () => {
      if (this.#tenant === undefined) throw new SandboxError("no guest is in the engine");
      return this.#tenant.guest;
    });
    this.#baseBreak = this.#break;
    this.base = this.template();
  }

  /**
   * Loads a module of its own and bootstraps it.
   * @throws {SandboxError} If it cannot be loaded.
   */
  static async load(build: EngineBuild): Promise<Engine> {
    let growth: Growth = { most: () => FRESH_MEMORY, onGrow: () => undefined };
    const loaded = await loadModule(build, {
      most: () => growth.most(),
      onGrow: (granted) => {
        growth.onGrow(granted);
      },
    });
    const engine = new Engine(build.layout, loaded);
    growth = engine.#growth();
    return engine;
  }

  /** Whether the guest was refused the memory that it last asked for. */
  get starved(): boolean {
    return this.#starved;
  }

  /** Whether the memory has grown, so that the guest in it must be the last. */
  get grown(): boolean {
    return this.#memory.buffer.byteLength > FRESH_MEMORY;
  }

  /** Bytes that the guest has taken, freed ones included. */
  get heapBytes(): number {
    return this.#break - this.#baseBreak;
  }

  /** What two engines must have in common for the images of one to work in the other. */
  get signature(): string {
    const { seed, start, settle, report, open } = this.bridge;
    const handles = [seed, start, settle, report, open].map((handle) => handle.value);
    return [contextAddress(this.context), this.#baseBreak, ...handles].join(" ");
  }

  /** Brings `tenant` into the memory, and takes out the guest that is there. */
  enter(tenant: Tenant): void {
    if (this.#tenant === tenant) return;
    const { image } = tenant;
    if (image === undefined) throw new SandboxError("a guest has no state to go on from");
    if (this.#tenant !== undefined) this.#tenant.image = this.#save(false);
    this.#restore(image);
    if (!image.kept && this.#spare.length < SPARE_IMAGES) this.#spare.push(image.bytes);
    tenant.image = undefined;
    this.#starved = false;
    this.#tenant = tenant;
  }

  /** Forgets `tenant`, whose state is not needed any more. */
  leave(tenant: Tenant): void {
    if (this.#tenant === tenant) this.#tenant = undefined;
  }

  /** Copies the state out, for guests to start from. */
  template(): MemoryImage {
    return this.#save(true);
  }

  #save(kept: boolean): MemoryImage {
    const { dataEnd, heapStart } = this.#layout;
    const end = this.#break;
    const length = dataEnd + end - heapStart;
    const memory = this.#views.bytes;
    const bytes = kept ? new Uint8Array(length) : this.#buffer(length);
    bytes.set(memory.subarray(0, dataEnd));
    bytes.set(memory.subarray(heapStart, end), dataEnd);
    return { bytes, length, kept };
  }

  #growth(): Growth {
    return {
      most: () => this.#baseBreak + (this.#tenant?.memory ?? 0),
      onGrow: (granted) => {
        this.#starved = !granted;
        if (!granted) this.#tenant?.guest.starve();
      },
    };
  }

  get #break(): number {
    return this.#views.words[this.#layout.breakAt / 4] ?? 0;
  }

  #restore({ bytes, length }: MemoryImage): void {
    const { dataEnd, heapStart } = this.#layout;
    const memory = this.#views.bytes;
    const oldEnd = this.#break;
    const newEnd = heapStart + length - dataEnd;
    memory.set(bytes.subarray(0, dataEnd));
    memory.set(bytes.subarray(dataEnd, length), heapStart);
    if (oldEnd > newEnd) memory.fill(0, newEnd, oldEnd);
  }

  #buffer(length: number): Uint8Array {
    const spare = this.#spare.pop();
    return spare !== undefined && spare.length >= length && spare.length <= 2 * length ? spare : new Uint8Array(length);
  }
}
