/** The page's end of the protocol: calls become promises, events go to whoever listens. */
import type { Problem } from "../protocol/lab.ts";
import type { LabEvent, LabMessage } from "../protocol/messages.ts";
import { ProblemError, type Lab } from "./port.ts";

const GONE: Problem = {
  kind: "internal",
  what: "The worker that runs the experiment has ended.",
  safe: "Everything up to the last finished step is stored.",
  next: "Reload the page to go on.",
};

type Waiting = { readonly resolve: (value: never) => void; readonly reject: (error: ProblemError) => void };

/** Starts a worker. `boot` must be called first. To change the device, close it and open another. */
export function openLab(): Lab {
  // The worker finds the engine's files by its name, since only the page knows where it is served from.
  const name = new URL("engine/", location.href).href;
  const worker = new Worker(new URL("./main.ts", import.meta.url), { type: "module", name });
  const waiting = new Map<number, Waiting>();
  const listeners = new Set<(event: LabEvent) => void>();
  let lastId = 0;
  const fail = (problem: Problem): void => {
    for (const { reject } of waiting.values()) reject(new ProblemError(problem));
    waiting.clear();
  };
  worker.addEventListener("message", ({ data }: MessageEvent<LabMessage>) => {
    if (data.kind !== "reply") {
      for (const listener of listeners) listener(data);
      return;
    }
    const call = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.ok) call?.resolve(data.value as never);
    else call?.reject(new ProblemError(data.problem));
  });
  worker.addEventListener("error", (event) => {
    const problem: Problem = { ...GONE, what: `The worker failed: ${event.message || "it could not be loaded"}.` };
    for (const listener of listeners) listener({ kind: "problem", run: "", problem });
    fail(problem);
  });
  return {
    call: (command, params) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        waiting.set(lastId, { resolve, reject });
        worker.postMessage({ id: lastId, command, params });
      }),
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => {
      worker.terminate();
      fail(GONE);
    },
  };
}
