/** A runtime whose sessions ask before each run whether to go on, so that a run can be ended within one pass of the model. */
import type { Runtime, Session } from "../../src/index.ts";

/** `runtime` with `check` before each run of its sessions; what it throws fails that run. */
export function interruptible(runtime: Runtime, check: () => void): Runtime {
  return {
    ...runtime,
    createSession: async (model, options) => guard(await runtime.createSession(model, options), check),
  };
}

function guard(session: Session, check: () => void): Session {
  return {
    inputNames: session.inputNames,
    outputNames: session.outputNames,
    run: async (feeds, fetches) => {
      check();
      return session.run(feeds, fetches);
    },
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}
