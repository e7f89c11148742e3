/**
 * The sandbox over QuickJS (Bellard's engine, synchronous WASM build, quickjs-emscripten).
 *
 * One engine serves all guests, one slice of work after the other; `engine.ts` says how. A guest that makes the memory
 * grow, or that stops the engine, takes it with it, and the next guest gets a fresh one.
 */
import { SandboxError } from "../base/errors.ts";
import { Engine } from "./engine.ts";
import { GuestTemplates } from "./guest-templates.ts";
import type { GuestOutcome, GuestProgram, Sandbox } from "./isolate.ts";
import { IsolateRun, type RunServices } from "./isolate-run.ts";
import { type EngineBuild, engineBuild } from "./wasm-module.ts";

/**
 * Makes a sandbox; dispose it when every program has ended.
 * @throws {SandboxError} If the WASM module cannot be loaded.
 */
export async function createSandbox(): Promise<Sandbox> {
  const source = new EngineSource(await engineBuild());
  await source.take();
  const templates = new GuestTemplates();
  const services: RunServices = {
    engine: () => source.take(),
    retire: (engine) => {
      source.retire(engine);
    },
    templates,
  };
  let alive = 0;
  let disposed = false;
  const run = async (program: GuestProgram): Promise<GuestOutcome> => {
    if (disposed) throw new SandboxError("the sandbox has been disposed");
    alive += 1;
    try {
      return await new IsolateRun(program, services).run();
    } finally {
      alive -= 1;
    }
  };
  return {
    run,
    alive: () => alive,
    [Symbol.dispose]: () => {
      disposed = true;
      templates.clear();
      if (alive > 0) throw new SandboxError(`sandbox disposed while ${String(alive)} isolates were alive`);
    },
  };
}

/** Gives the engine that takes guests now, and loads a new one after it has been retired. */
class EngineSource {
  readonly #build: EngineBuild;
  #engine: Promise<Engine> | undefined;
  #signature: string | undefined;

  constructor(build: EngineBuild) {
    this.#build = build;
  }

  take(): Promise<Engine> {
    this.#engine ??= this.#load();
    return this.#engine;
  }

  retire(engine: Engine): void {
    if (!engine.retired) this.#engine = undefined;
    engine.retired = true;
  }

  async #load(): Promise<Engine> {
    const engine = await Engine.load(this.#build);
    this.#signature ??= engine.signature;
    if (engine.signature !== this.#signature) throw new SandboxError("two engines of one build differ in their layout");
    return engine;
  }
}
