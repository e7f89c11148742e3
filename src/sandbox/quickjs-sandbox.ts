/**
 * The sandbox over QuickJS (Bellard's engine, synchronous WASM build, quickjs-emscripten).
 *
 * A program gets a runtime and context of its own. Runtimes share WASM modules; a module takes no new programs after an
 * engine assertion, after many programs, or when its memory has grown, and goes when its last program ends.
 */
import type { Clock } from "../base/clock.ts";
import { SandboxError } from "../base/errors.ts";
import { type Engine, FRESH_MEMORY, loadEngine } from "./engine.ts";
import type { GuestOutcome, GuestProgram, Sandbox } from "./isolate.ts";
import { IsolateRun } from "./isolate-run.ts";

/** Programs that one WASM module runs before it is replaced. */
const PROGRAMS_PER_MODULE = 5000;
/** Programs in one module at a time; they share its 256 MiB. */
const LIVE_PER_MODULE = 128;
/** Memory of one module, in bytes, above which it is replaced, since WASM memory never shrinks. */
const MODULE_MEMORY = 4 * FRESH_MEMORY;

/** Options of `createSandbox`. */
export type SandboxOptions = {
  /** Milliseconds, for the backstop against guests whose single operations take long. @default performance.now */
  readonly clock?: Clock;
};

type PooledEngine = Engine & { live: number; programs: number; retired: boolean };

/**
 * Makes a sandbox; dispose it when every program has ended.
 * @throws {SandboxError} If the WASM module cannot be loaded.
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { clock = () => performance.now() } = options;
  const pool = new EnginePool();
  await pool.warm();
  let alive = 0;
  const run = async (program: GuestProgram): Promise<GuestOutcome> => {
    const engine = await pool.take();
    alive += 1;
    try {
      const isolate = new IsolateRun(engine, program, clock);
      try {
        return await isolate.run();
      } finally {
        isolate[Symbol.dispose]();
        if (isolate.damaged) engine.retired = true;
      }
    } finally {
      alive -= 1;
      pool.give(engine);
    }
  };
  return {
    run,
    alive: () => alive,
    [Symbol.dispose]: () => {
      pool.clear();
      if (alive > 0) throw new SandboxError(`sandbox disposed while ${String(alive)} isolates were alive`);
    },
  };
}

class EnginePool {
  #engines: PooledEngine[] = [];
  #loading: Promise<void> | undefined;
  #closed = false;

  async warm(): Promise<void> {
    if (this.#closed) throw new SandboxError("the sandbox has been disposed");
    if (this.#engines.length > 0) return;
    await this.#grow();
  }

  /** Adds an engine; callers at the same moment share one. */
  #grow(): Promise<void> {
    this.#loading ??= loadEngine()
      .then((engine) => {
        this.#engines.push({ ...engine, live: 0, programs: 0, retired: false });
      })
      .finally(() => {
        this.#loading = undefined;
      });
    return this.#loading;
  }

  /** An engine with room, counted as used; always later than the caller's own step, so that no guest runs inside another. */
  async take(): Promise<PooledEngine> {
    for (;;) {
      await this.warm();
      const engine = this.#engines.find(({ live }) => live < LIVE_PER_MODULE);
      if (engine !== undefined) {
        engine.live += 1;
        engine.programs += 1;
        if (engine.programs >= PROGRAMS_PER_MODULE) engine.retired = true;
        this.#drop();
        return engine;
      }
      await this.#grow();
    }
  }

  give(engine: PooledEngine): void {
    engine.live -= 1;
    if (engine.memoryBytes() > MODULE_MEMORY) engine.retired = true;
    this.#drop();
  }

  clear(): void {
    this.#closed = true;
    this.#engines = [];
  }

  /** Forgets retired engines; programs still in them hold them until they end. */
  #drop(): void {
    this.#engines = this.#engines.filter(({ retired }) => !retired);
  }
}
