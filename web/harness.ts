/** What the tests find on `window`: the lab, the service worker, and the blob store behind a worker of its own. */
import type { Problem } from "./protocol/lab.ts";
import type { LabCommand, LabCommands, LabEvent } from "./protocol/messages.ts";
import { registerOffline } from "./service-worker-register.ts";
import { openLab } from "./worker/client.ts";
import { ProblemError, type Lab } from "./worker/port.ts";
import type { StoreCall } from "./worker/store-call.ts";

type Answer = { readonly value?: unknown; readonly problem?: Problem };

let lab: Lab | undefined;
let events: LabEvent[] = [];

/** Calls the lab, and opens it first where it is not; a problem is a value, since errors lose their fields on the way. */
async function call<C extends LabCommand>(command: C, params: LabCommands[C]["params"]): Promise<Answer> {
  if (!lab) {
    lab = openLab();
    lab.listen((event) => events.push(event));
  }
  try {
    return { value: await lab.call(command, params) };
  } catch (error) {
    if (error instanceof ProblemError) return { problem: error.problem };
    throw error;
  }
}

/** Events since the last call. */
function takeEvents(): LabEvent[] {
  const taken = events;
  events = [];
  return taken;
}

function closeLab(): void {
  lab?.close();
  lab = undefined;
}

let store: Worker | undefined;
let calls = 0;

function callStore(given: Omit<StoreCall, "id">): Promise<unknown> {
  store ??= new Worker(new URL("./worker/store-harness.ts", import.meta.url), { type: "module" });
  const worker = store;
  calls += 1;
  const id = calls;
  return new Promise((resolve) => {
    worker.addEventListener("message", function listen({ data }: MessageEvent<{ readonly id: number }>) {
      if (data.id !== id) return;
      worker.removeEventListener("message", listen);
      resolve(data);
    });
    worker.postMessage({ id, ...given });
  });
}

Object.assign(globalThis, { call, takeEvents, closeLab, callStore, registerOffline });
