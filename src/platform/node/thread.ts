/** Channels to and from worker threads of a Node process. */
import { parentPort, Worker } from "node:worker_threads";
import type { Channel } from "../../runtime/channel.ts";

/** A worker thread and this end of its channel. Disposing ends the thread. */
export type WorkerThread<Sent, Received> = AsyncDisposable & { readonly channel: Channel<Sent, Received> };

/** A thread has to register the loader of TypeScript by itself: what its parent registered does not hold for it. */
const BOOT = `
const { workerData } = require("node:worker_threads");
import(workerData.loader).then(({ register }) => {
  register();
  return import(workerData.module);
});`;

/** Starts `module`, a TypeScript file, in a thread of its own. */
export function startThread<Sent, Received>(module: URL): WorkerThread<Sent, Received> {
  const loader = import.meta.resolve("tsx/esm/api");
  const worker = new Worker(BOOT, { eval: true, execArgv: [], workerData: { loader, module: module.href } });
  const state = { isEnding: false };
  return {
    channel: {
      send: (message) => {
        worker.postMessage(message);
      },
      listen: (onMessage, onLost) => {
        worker.on("message", (message) => {
          onMessage(message as Received);
        });
        worker.on("error", onLost);
        worker.on("exit", (code) => {
          if (!state.isEnding) onLost(new RangeError(`exit code ${String(code)}`));
        });
      },
    },
    [Symbol.asyncDispose]: async () => {
      state.isEnding = true;
      await worker.terminate();
    },
  };
}

/**
 * The channel to the thread that started this one.
 * @throws {TypeError} If this is the process's first thread.
 */
export function parentThread<Sent, Received>(): Channel<Sent, Received> {
  const parent = parentPort;
  if (!parent) throw new TypeError("this module runs in a worker thread only");
  return {
    send: (message) => {
      parent.postMessage(message);
    },
    listen: (onMessage) => {
      parent.on("message", (message) => {
        onMessage(message as Received);
      });
    },
  };
}
