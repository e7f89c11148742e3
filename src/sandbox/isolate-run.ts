/**
 * One guest program, from the image that it starts from to its ending.
 *
 * The guest is never trusted: every text that leaves it is measured before it is copied, and every ending is decided here.
 * Host calls are a promise bridge: the guest's slice of work ends, the host awaits the oldest open call, settles it in the
 * guest and runs the guest's jobs again. Calls are settled in the order they were made, so that a guest sees the same
 * order in every run.
 */
import type { QuickJSContext, QuickJSHandle } from "quickjs-emscripten-core";
import type { JsonValue } from "../base/json.ts";
import { createRng } from "../base/rng.ts";
import { describeError, SandboxError } from "../base/errors.ts";
import type { Engine, Tenant } from "./engine.ts";
import { GUEST_MODULE } from "./guest-bootstrap.ts";
import type { Guest } from "./guest-bridge.ts";
import { parseGuestJson } from "./guest-json.ts";
import { type GuestTemplates, settingKey } from "./guest-templates.ts";
import { GUEST_FAULTS, type GuestFault, type GuestOutcome, type GuestProgram } from "./isolate.ts";
import { PollMeter } from "./poll-meter.ts";

/** Promise jobs run between two looks at the limits. */
const JOB_BATCH = 256;
/** Polls that a promise job costs, since a job need not poll. */
const POLLS_PER_JOB = 5;
/** Polls that a crossing to the host costs, which takes as long as so many of them. */
const POLLS_PER_CROSSING = 50;

type Ending = { readonly fault: GuestFault | undefined; readonly message: string; readonly value?: JsonValue };
type Settled = { readonly ok: boolean; readonly text: string | undefined };
type OpenCall = { readonly id: number; readonly settled: Promise<Settled> };
/** What a run takes from its sandbox. */
export type RunServices = {
  /** An engine that takes guests. */
  readonly engine: () => Promise<Engine>;
  /** Gives no more guests to an engine. */
  readonly retire: (engine: Engine) => void;
  readonly templates: GuestTemplates;
};

/** A program in its isolate. Call `run` once. */
export class IsolateRun {
  readonly #program: GuestProgram;
  readonly #services: RunServices;
  readonly #tenant: Tenant;
  readonly #open: OpenCall[] = [];
  readonly #log: string[] = [];
  #meter: PollMeter;
  /** The engine of the slice that runs now. */
  #engine: Engine | undefined;
  /** An engine that nobody else may use, since this guest has made its memory grow. */
  #own: Engine | undefined;
  /** Whether the guest's own code runs, and not its prelude. */
  #hasBegun = false;
  #logSize = 0;
  #calls = 0;
  #start: "base" | "setting" | undefined;
  #ending: Ending | undefined;

  /** Nothing runs yet. */
  constructor(program: GuestProgram, services: RunServices) {
    this.#program = program;
    this.#services = services;
    this.#meter = this.#newMeter(0);
    const guest: Guest = {
      interrupt: () => this.#interrupt(),
      starve: () => {
        this.#meter.lookSoon();
      },
      request: (name, args) => this.#request(this.#textOf(name), this.#textOf(args)),
      read: (name) => this.#read(this.#textOf(name)),
      print: (text) => this.#print(this.#textOf(text)),
      finish: (kind, text) => this.#finish(this.#textOf(kind), text),
    };
    this.#tenant = { guest, memory: program.limits.memory, image: undefined };
  }

  /** Runs the program to its end. */
  async run(): Promise<GuestOutcome> {
    let last = await this.#slice((engine) => {
      this.#begin(engine);
    });
    while (this.#ending === undefined) {
      const call = this.#open.shift();
      if (call === undefined) {
        this.#end("deadlock", "the guest waits for a promise that nobody will settle");
        break;
      }
      const settled = await call.settled;
      last = await this.#slice((engine) => {
        this.#resume(engine, call.id, settled);
      });
    }
    last.leave(this.#tenant);
    return this.#outcome(this.#ending);
  }

  get #context(): QuickJSContext {
    if (this.#engine === undefined) throw new SandboxError("the guest is in no engine");
    return this.#engine.context;
  }

  #outcome(ending: Ending | undefined): GuestOutcome {
    const used = { fuel: this.#meter.fuel, log: this.#log };
    if (ending === undefined) return { ok: false, fault: "deadlock", message: "the guest did not end", ...used };
    const { fault, message, value } = ending;
    return fault === undefined ? { ok: true, value, ...used } : { ok: false, fault, message, ...used };
  }

  #hasEnded(): boolean {
    return this.#ending !== undefined;
  }

  #end(fault: GuestFault, message: string): void {
    // A guest without memory fails in odd ways: even the error for it has no room.
    const starved = this.#engine?.starved === true;
    this.#ending ??= starved ? { fault: "memory", message: this.#heapMessage() } : { fault, message };
    this.#meter.stop();
  }

  #interrupt(): boolean {
    if (this.#ending !== undefined) {
      this.#meter.stop(); // QuickJS has just set its counter to 10,000 again
      return true;
    }
    const isSpent = this.#meter.look();
    if (this.#engine !== undefined) this.#measure(this.#engine);
    if (isSpent) this.#end("fuel", `the guest used all of its ${String(this.#program.limits.fuel)} fuel`);
    return this.#hasEnded();
  }

  /** Ends the guest where its heap is larger than it may be. */
  #measure(engine: Engine): void {
    if (engine.starved || engine.heapBytes > this.#program.limits.memory) this.#end("memory", this.#heapMessage());
  }

  #heapMessage(): string {
    return `the guest's heap grew beyond ${String(this.#program.limits.memory)} bytes`;
  }

  /** Runs `work` in an engine; always later than the caller's own step, so that no guest runs inside another. */
  async #slice(work: (engine: Engine) => void): Promise<Engine> {
    let engine = this.#own ?? (await this.#services.engine());
    while (engine.retired && engine !== this.#own) engine = await this.#services.engine(); // retired while this waited
    this.#work(engine, work);
    return engine;
  }

  /** Runs guest code and then the guest's jobs, turning whatever that throws into an ending. */
  #work(engine: Engine, work: (engine: Engine) => void): void {
    if (this.#start === undefined) this.#chooseStart(engine);
    engine.enter(this.#tenant);
    this.#engine = engine;
    this.#meter.begin(engine);
    try {
      work(engine);
      this.#runJobs(engine);
      if (this.#ending === undefined) this.#measure(engine);
    } catch (error) {
      this.#services.retire(engine);
      // V8 throws RangeError when its own stack ends before the guest's does.
      if (this.#meter.exhausted) this.#end("fuel", "the guest did too much work in a few slow operations");
      else this.#end(error instanceof RangeError ? "stack" : "memory", `the engine stopped: ${describeError(error)}`);
    }
    this.#meter.pause();
    this.#engine = undefined;
    if (engine.grown && this.#own === undefined) {
      this.#own = engine;
      this.#services.retire(engine);
    }
  }

  /** Sets the state to begin from: the template of the program's settings, or that of the engine. */
  #chooseStart(engine: Engine): void {
    const template = this.#services.templates.get(settingKey(this.#program));
    this.#start = template === undefined ? "base" : "setting";
    this.#tenant.image = template?.image ?? engine.base;
    if (template !== undefined) this.#meter = this.#newMeter(template.polls);
  }

  #begin(engine: Engine): void {
    const { entry, args, limits, seed } = this.#program;
    engine.runtime.setMemoryLimit(limits.memory);
    engine.runtime.setMaxStackSize(limits.stack);
    if (this.#start === "base" && !this.#prepareSetting(engine)) return;
    this.#hasBegun = true;
    const { context, bridge } = engine;
    const rng = createRng("guest", seed);
    const words = [0, 1, 2, 3].map(() => context.newNumber(rng.int(2 ** 32) | 0));
    this.#call(engine, bridge.seed, words)?.dispose();
    if (this.#hasEnded() || !this.#evaluate(engine, this.#program.source, GUEST_MODULE)) return;
    const given = [
      entry === undefined ? context.undefined : context.newString(entry),
      context.newString(JSON.stringify(args)),
    ];
    this.#call(engine, bridge.start, given)?.dispose();
    for (const handle of [...words, ...given]) handle.dispose();
  }

  /** Makes the host object and runs the prelude. */
  #prepareSetting(engine: Engine): boolean {
    const { host, hostValues = {}, limits, prelude } = this.#program;
    const settings = { names: Object.keys(host), values: Object.keys(hostValues), output: limits.output };
    const text = engine.context.newString(JSON.stringify(settings));
    this.#call(engine, engine.bridge.open, [text])?.dispose();
    text.dispose();
    if (this.#hasEnded()) return false;
    if (prelude !== undefined && !this.#evaluate(engine, prelude, "prelude.js")) return false;
    this.#settle(engine);
    if (!engine.grown)
      this.#services.templates.add(settingKey(this.#program), { image: engine.template(), polls: this.#meter.polls });
    return true;
  }

  /** Puts the meter into the state in which a guest finds it that starts from a template made now. */
  #settle(engine: Engine): void {
    this.#meter.pause();
    this.#meter = this.#newMeter(this.#meter.polls);
    this.#meter.begin(engine);
  }

  #newMeter(used: number): PollMeter {
    return new PollMeter(this.#program.limits.fuel, used);
  }

  /** The text of a guest's string, refused before it is copied where it is longer than the guest may send. */
  #textOf(handle: QuickJSHandle): string {
    const context = this.#context;
    this.#meter.charge(POLLS_PER_CROSSING);
    if (context.typeof(handle) !== "string") throw new TypeError("the host expects text");
    const length = context.getLength(handle) ?? 0;
    const limit = this.#program.limits.output;
    if (length > Math.max(limit, MESSAGE_ROOM)) {
      const message = `a value of ${String(length)} characters may not leave the isolate, limit ${String(limit)}`;
      this.#end("output", message);
      throw new RangeError(message);
    }
    return context.getString(handle);
  }

  #request(name: string, argsText: string): QuickJSHandle {
    const { host, limits } = this.#program;
    this.#calls += 1;
    if (this.#calls > limits.hostCalls) {
      const message = `the guest made more than ${String(limits.hostCalls)} host calls`;
      this.#end("host-calls", message);
      throw new RangeError(message);
    }
    const call = Object.hasOwn(host, name) ? host[name] : undefined;
    if (call === undefined) throw new TypeError(`the host has no function ${name}`);
    const args = parseGuestJson(argsText);
    if (!Array.isArray(args)) throw new TypeError("the host expects a list of arguments");
    let result: ReturnType<typeof call>;
    try {
      result = call(args as readonly JsonValue[]);
    } catch (error) {
      return this.#context.newString(`e${JSON.stringify(describeError(error))}`);
    }
    if (!(result instanceof Promise)) return this.#context.newString(`o${jsonText(result) ?? ""}`);
    const settled = result.then(
      (value): Settled => ({ ok: true, text: jsonText(value) }),
      (error: unknown): Settled => ({ ok: false, text: JSON.stringify(describeError(error)) }),
    );
    this.#open.push({ id: this.#calls, settled });
    return this.#context.newNumber(this.#calls);
  }

  #read(name: string): QuickJSHandle {
    const values = this.#program.hostValues ?? {};
    const read = Object.hasOwn(values, name) ? values[name] : undefined;
    if (read === undefined) throw new TypeError(`the host has no value ${name}`);
    return this.#context.newString(JSON.stringify(read()));
  }

  #print(text: string): QuickJSHandle {
    if (!this.#hasBegun) throw new TypeError("a prelude cannot print");
    const line = parseGuestJson(text);
    if (typeof line !== "string") throw new TypeError("the host expects text");
    this.#logSize += line.length + 1;
    if (this.#logSize > this.#program.limits.output) {
      this.#end("output", `the guest printed more than ${String(this.#program.limits.output)} characters`);
      throw new RangeError("too much output");
    }
    this.#log.push(line);
    return this.#context.undefined;
  }

  #finish(kind: string, textHandle: QuickJSHandle | undefined): QuickJSHandle {
    const context = this.#context;
    const none = textHandle === undefined || context.typeof(textHandle) === "undefined";
    const text = none ? undefined : this.#textOf(textHandle);
    const fault = GUEST_FAULTS.find((name) => name === kind) ?? "thrown";
    try {
      const value = text === undefined ? undefined : parseGuestJson(text);
      if (kind !== "ok") this.#end(fault, typeof value === "string" ? value : "no message");
      else this.#ending ??= { fault: undefined, message: "", ...(value === undefined ? {} : { value }) };
    } catch (error) {
      this.#end("value", describeError(error));
    }
    return context.undefined;
  }

  /**
   * Runs the prelude or the module; false where that ends the guest. A module is never compiled alone: this build of the
   * library reads an unset pointer then, and what it finds there depends on the length of paths.
   */
  #evaluate(engine: Engine, code: string, file: string): boolean {
    const type = file === GUEST_MODULE ? "module" : "global";
    const result = engine.context.evalCode(code, file, { type });
    if (result.error !== undefined) this.#report(engine, result.error);
    else result.dispose();
    return !this.#hasEnded();
  }

  #resume(engine: Engine, id: number, { ok, text }: Settled): void {
    const { context, bridge } = engine;
    const flag = ok ? context.true : context.false;
    const content = text === undefined ? context.undefined : context.newString(text);
    const number = context.newNumber(id);
    this.#call(engine, bridge.settle, [number, flag, content])?.dispose();
    number.dispose();
    content.dispose();
  }

  #call(engine: Engine, callee: QuickJSHandle, args: QuickJSHandle[]): QuickJSHandle | undefined {
    const result = engine.context.callFunction(callee, engine.context.undefined, args);
    if (result.error === undefined) return result.value;
    this.#report(engine, result.error);
    return undefined;
  }

  /** Ends the run with an error that came out of the guest, and frees it. */
  #report(engine: Engine, error: QuickJSHandle): void {
    const { context, bridge } = engine;
    if (this.#ending === undefined) context.callFunction(bridge.report, context.undefined, [error]).dispose();
    error.dispose();
    this.#end("memory", "the guest failed in a way that it could not describe");
  }

  #runJobs(engine: Engine): void {
    while (this.#ending === undefined && engine.runtime.hasPendingJob()) {
      const result = engine.runtime.executePendingJobs(JOB_BATCH);
      if (result.error !== undefined) this.#report(engine, result.error);
      else this.#meter.charge(result.value * POLLS_PER_JOB);
    }
  }
}

/** Characters of JSON that an error message may have even where the output limit is smaller. */
const MESSAGE_ROOM = 16_384;

function jsonText(value: JsonValue | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}
