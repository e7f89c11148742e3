/**
 * One guest program in one QuickJS runtime, from creation to disposal.
 *
 * The guest is never trusted: every text that leaves it is measured before it is copied, and every ending is decided here.
 * Host calls are a promise bridge: the guest's slice of work ends, the host awaits the oldest open call, settles it in the
 * guest and runs the guest's jobs again. Calls are settled in the order they were made, so that a guest sees the same
 * order in every run.
 */
import type { QuickJSContext, QuickJSHandle, QuickJSRuntime } from "quickjs-emscripten-core";
import { DefaultIntrinsics } from "quickjs-emscripten-core";
import type { Clock } from "../base/clock.ts";
import { describeError } from "../base/errors.ts";
import type { JsonValue } from "../base/json.ts";
import { createRng } from "../base/rng.ts";
import type { Engine } from "./engine.ts";
import { BOOTSTRAP, MAX_ARRAY_LENGTH } from "./guest-bootstrap.ts";
import { parseGuestJson } from "./guest-json.ts";
import { GUEST_FAULTS, type GuestFault, type GuestOutcome, type GuestProgram } from "./isolate.ts";
import { PollMeter } from "./poll-meter.ts";

/** Promise jobs run between two looks at the limits. */
const JOB_BATCH = 256;
/** Polls that a promise job costs, since a job need not poll. */
const POLLS_PER_JOB = 5;
/** Polls that a crossing to the host costs, which takes as long as so many of them. */
const POLLS_PER_CROSSING = 50;
/** Guest objects that are measured for one unit of fuel. */
const OBJECTS_PER_MEASURE = 20_000;

type Ending = { readonly fault: GuestFault | undefined; readonly message: string; readonly value?: JsonValue };
type Settled = { readonly ok: boolean; readonly text: string | undefined };
type OpenCall = { readonly id: number; readonly settled: Promise<Settled> };
type Bridge = { readonly start: QuickJSHandle; readonly settle: QuickJSHandle; readonly report: QuickJSHandle };

/** A program in its isolate. Call `run` once, then dispose. */
export class IsolateRun implements Disposable {
  readonly #program: GuestProgram;
  readonly #engine: Engine;
  readonly #meter: PollMeter;
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  readonly #handles: QuickJSHandle[] = [];
  readonly #open: OpenCall[] = [];
  readonly #log: string[] = [];
  #bridge: Bridge | undefined;
  #logSize = 0;
  #calls = 0;
  #ending: Ending | undefined;
  #damaged = false;

  /** Makes the isolate; nothing runs yet. */
  constructor(engine: Engine, program: GuestProgram, clock: Clock) {
    this.#program = program;
    this.#engine = engine;
    this.#runtime = engine.module.newRuntime({
      memoryLimitBytes: program.limits.memory,
      maxStackSizeBytes: program.limits.stack,
      interruptHandler: () => this.#interrupt(),
      moduleLoader: (name) => ({ error: new TypeError(`imports are not available, asked for "${name}"`) }),
    });
    this.#context = this.#runtime.newContext({ intrinsics: { ...DefaultIntrinsics, Proxy: false } });
    this.#runtime.context = this.#context; // or the library makes one more for its measurements
    this.#meter = new PollMeter(engine.counterOf(this.#context), program.limits.fuel, clock);
  }

  /** Whether the engine failed an assertion or lost its stack, so that no new isolate should be made in it. */
  get damaged(): boolean {
    return this.#damaged;
  }

  /** Runs the program to its end. */
  async run(): Promise<GuestOutcome> {
    this.#slice(() => {
      this.#begin();
    });
    while (this.#ending === undefined) {
      const call = this.#open.shift();
      if (call === undefined) {
        this.#end("deadlock", "the guest waits for a promise that nobody will settle");
        break;
      }
      const settled = await call.settled;
      this.#slice(() => {
        this.#resume(call.id, settled);
      });
    }
    return this.#outcome(this.#ending);
  }

  /** Frees the isolate, however it ended. */
  [Symbol.dispose](): void {
    try {
      for (const handle of this.#handles) handle.dispose();
      this.#context.dispose();
      this.#runtime.dispose();
    } catch {
      // A guest that ran out of memory in a promise job leaves objects behind, and QuickJS asserts that there are none.
      this.#damaged = true;
    }
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
    this.#ending ??= { fault, message };
    this.#meter.stop();
  }

  #interrupt(): boolean {
    if (this.#ending !== undefined) {
      this.#meter.stop(); // QuickJS has just set its counter to 10,000 again
      return true;
    }
    const reading = this.#meter.look();
    if (reading === "spent") this.#end("fuel", `the guest used all of its ${String(this.#program.limits.fuel)} fuel`);
    if (reading === "slow") this.#end("fuel", "the guest spent seconds in a few slow operations");
    if (reading === "measure") this.#measure();
    return this.#hasEnded();
  }

  /** Ends the guest where its heap is larger than it may be. */
  #measure(): void {
    const used = this.#runtime.computeMemoryUsage();
    const read = (name: string): number =>
      this.#context.getProp(used, name).consume((handle) => this.#context.getNumber(handle));
    const bytes = read("memory_used_size");
    this.#meter.measureAfter(1 + Math.floor(read("memory_used_count") / OBJECTS_PER_MEASURE));
    used.dispose();
    const { memory } = this.#program.limits;
    if (bytes > memory) this.#end("memory", `the guest's heap grew beyond ${String(memory)} bytes`);
  }

  /** Runs guest code and then the guest's jobs, turning whatever the engine throws into an ending. */
  #slice(work: () => void): void {
    const before = this.#engine.memoryBytes();
    this.#meter.begin();
    try {
      work();
      this.#runJobs();
      if (this.#ending === undefined && this.#engine.memoryBytes() > before) this.#measure();
    } catch (error) {
      this.#damaged = true;
      // V8 throws RangeError when its own stack ends before the guest's does.
      this.#end(error instanceof RangeError ? "stack" : "memory", `the engine stopped: ${describeError(error)}`);
    }
  }

  #begin(): void {
    const program = this.#program;
    const bridge = (this.#bridge = this.#bootstrap());
    if (bridge === undefined) return;
    if (program.prelude !== undefined) this.#evaluate(program.prelude, "prelude.js", "global")?.dispose();
    if (this.#hasEnded()) return;
    const module = this.#evaluate(program.source, "harness.js", "module");
    if (module === undefined) return;
    const context = this.#context;
    const entry = program.entry === undefined ? context.undefined : context.newString(program.entry);
    const args = context.newString(JSON.stringify(program.args));
    this.#call(bridge.start, [module, entry, args])?.dispose();
    for (const handle of [module, entry, args]) handle.dispose();
  }

  #bootstrap(): Bridge | undefined {
    const { limits, host, hostValues = {}, seed } = this.#program;
    const context = this.#context;
    const rng = createRng("guest", seed);
    const settings = JSON.stringify({
      seed: [0, 1, 2, 3].map(() => rng.int(2 ** 32) | 0),
      names: Object.keys(host),
      values: Object.keys(hostValues),
      maxOutput: limits.output,
      maxArray: MAX_ARRAY_LENGTH,
    });
    const factory = this.#evaluate(BOOTSTRAP, "bootstrap.js", "global");
    if (factory === undefined) return undefined;
    const native = this.#nativeFunctions();
    const text = context.newString(settings);
    const made = this.#call(factory, [native, text]);
    for (const handle of [factory, native, text]) handle.dispose();
    if (made === undefined) return undefined;
    const part = (name: string): QuickJSHandle => this.#keep(context.getProp(made, name));
    const bridge = { start: part("start"), settle: part("settle"), report: part("report") };
    made.dispose();
    return bridge;
  }

  #keep(handle: QuickJSHandle): QuickJSHandle {
    this.#handles.push(handle);
    return handle;
  }

  #nativeFunctions(): QuickJSHandle {
    const context = this.#context;
    const native = context.newObject();
    const add = (name: string, run: (...args: QuickJSHandle[]) => QuickJSHandle): void => {
      context.newFunction(name, run).consume((handle) => {
        context.setProp(native, name, handle);
      });
    };
    add("request", (name, args) => this.#request(this.#textOf(name), this.#textOf(args)));
    add("read", (name) => this.#read(this.#textOf(name)));
    add("print", (text) => this.#print(this.#textOf(text)));
    add("finish", (kind, text) => this.#finish(this.#textOf(kind), text));
    return native;
  }

  /** The text of a guest's string, refused before it is copied where it is longer than the guest may send. */
  #textOf(handle: QuickJSHandle | undefined): string {
    const context = this.#context;
    this.#meter.charge(POLLS_PER_CROSSING);
    if (handle === undefined || context.typeof(handle) !== "string") throw new TypeError("the host expects text");
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

  #evaluate(code: string, file: string, type: "global" | "module"): QuickJSHandle | undefined {
    const result = this.#context.evalCode(code, file, { type });
    if (result.error === undefined) return result.value;
    this.#report(result.error);
    const { fault, message } = this.#ending ?? {};
    if (fault === "syntax" && !this.#failsToCompile(code, type))
      this.#ending = { fault: "thrown", message: message ?? "" };
    return undefined;
  }

  /** Tells a source that does not parse from one that throws a SyntaxError when it runs. */
  #failsToCompile(code: string, type: "global" | "module"): boolean {
    const result = this.#context.evalCode(code, "compile.js", { type, compileOnly: true });
    const failed = result.error !== undefined;
    result.dispose();
    return failed;
  }

  #resume(id: number, { ok, text }: Settled): void {
    const context = this.#context;
    if (this.#bridge === undefined) return;
    const flag = ok ? context.true : context.false;
    const content = text === undefined ? context.undefined : context.newString(text);
    const number = context.newNumber(id);
    this.#call(this.#bridge.settle, [number, flag, content])?.dispose();
    number.dispose();
    content.dispose();
  }

  #call(callee: QuickJSHandle, args: QuickJSHandle[]): QuickJSHandle | undefined {
    const result = this.#context.callFunction(callee, this.#context.undefined, args);
    if (result.error === undefined) return result.value;
    this.#report(result.error);
    return undefined;
  }

  /** Ends the run with an error that came out of the guest, and frees it. */
  #report(error: QuickJSHandle): void {
    const context = this.#context;
    if (this.#bridge !== undefined && this.#ending === undefined)
      context.callFunction(this.#bridge.report, context.undefined, [error]).dispose();
    error.dispose();
    this.#end("memory", "the guest failed in a way that it could not describe");
  }

  #runJobs(): void {
    while (this.#ending === undefined && this.#runtime.hasPendingJob()) {
      const result = this.#runtime.executePendingJobs(JOB_BATCH);
      if (result.error !== undefined) this.#report(result.error);
      else this.#meter.charge(result.value * POLLS_PER_JOB);
    }
  }
}

/** Characters of JSON that an error message may have even where the output limit is smaller. */
const MESSAGE_ROOM = 16_384;

function jsonText(value: JsonValue | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}
