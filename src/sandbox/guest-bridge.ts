/** The two sides of an engine's bridge: functions of the bootstrap that the host calls, and of the host that it calls. */
import type { QuickJSContext, QuickJSHandle } from "quickjs-emscripten-core";
import { SandboxError } from "../base/errors.ts";
import { BOOTSTRAP } from "./guest-bootstrap.ts";

/** What the engine asks of the host about the guest that is in its memory. */
export type Guest = {
  /** Called every so many polls; true ends the guest. */
  readonly interrupt: () => boolean;
  /** Called when the guest is refused memory; the module may yet content itself with less. */
  readonly starve: () => void;
  /** Calls the host function of this name with a JSON list; gives a call's number, or its result as text. */
  readonly request: (name: QuickJSHandle, args: QuickJSHandle) => QuickJSHandle;
  /** The host value of this name, as JSON. */
  readonly read: (name: QuickJSHandle) => QuickJSHandle;
  /** Takes one printed line, as JSON. */
  readonly print: (text: QuickJSHandle) => QuickJSHandle;
  /** Takes the end of the guest: `ok` or a fault, and its value or message as JSON. */
  readonly finish: (kind: QuickJSHandle, text: QuickJSHandle | undefined) => QuickJSHandle;
};

/** Functions of the bootstrap; the same addresses in every image. */
export type Bridge = {
  /** `(settingsText)`: makes the host object. */
  readonly open: QuickJSHandle;
  /** `(seed0, seed1, seed2, seed3)`: lets random numbers be drawn. */
  readonly seed: QuickJSHandle;
  /** `(entry, argsText)`: calls the function that the evaluated module exports. */
  readonly start: QuickJSHandle;
  /** `(id, ok, text)`: answers a host call. */
  readonly settle: QuickJSHandle;
  /** `(error)`: calls `finish` for an error that the guest threw. */
  readonly report: QuickJSHandle;
};

/**
 * Runs the bootstrap in a fresh context; `guest` names the guest at the time of a call.
 * @throws {SandboxError} If the bootstrap fails.
 */
export function makeBridge(context: QuickJSContext, guest: () => Guest): Bridge {
  const native = context.newObject();
  const add = (name: string, run: (...args: QuickJSHandle[]) => QuickJSHandle): void => {
    context.newFunction(name, run).consume((handle) => {
      context.setProp(native, name, handle);
    });
  };
  add("request", (name, args) => guest().request(given(name), given(args)));
  add("read", (name) => guest().read(given(name)));
  add("print", (text) => guest().print(given(text)));
  add("finish", (kind, text) => guest().finish(given(kind), text));
  const factory = context.evalCode(BOOTSTRAP, "bootstrap.js");
  if (factory.error !== undefined) throw new SandboxError(`the bootstrap fails: ${shown(context, factory.error)}`);
  const made = context.callFunction(factory.value, context.undefined, [native]);
  if (made.error !== undefined) throw new SandboxError(`the bootstrap fails: ${shown(context, made.error)}`);
  const part = (name: string): QuickJSHandle => context.getProp(made.value, name);
  const bridge = {
    open: part("open"),
    seed: part("seed"),
    start: part("start"),
    settle: part("settle"),
    report: part("report"),
  };
  for (const handle of [native, factory.value, made.value]) handle.dispose();
  return bridge;
}

function given(handle: QuickJSHandle | undefined): QuickJSHandle {
  if (handle === undefined) throw new TypeError("the host expects text");
  return handle;
}

function shown(context: QuickJSContext, error: QuickJSHandle): string {
  return JSON.stringify(context.dump(error));
}
