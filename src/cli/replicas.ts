/** Threads that decode beside the first one. */
import type { ReplicaWorkers } from "../experiment/model-policy.ts";
import { openRemoteReplica, type ReplicaAnswer, type ReplicaOrder } from "../generation/remote-replica.ts";
import { startThread, type WorkerThread } from "../platform/node/thread.ts";

/** Workers that decode, each in a thread of its own. Disposing ends the threads. */
export function openReplicaWorkers(count: number): ReplicaWorkers & AsyncDisposable {
  const threads: WorkerThread<ReplicaOrder, ReplicaAnswer>[] = [];
  return {
    count,
    start: async (setup) => {
      const thread = startThread<ReplicaOrder, ReplicaAnswer>(new URL("replica-worker.ts", import.meta.url));
      threads.push(thread);
      return openRemoteReplica(thread.channel, setup);
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(threads.map((thread) => thread[Symbol.asyncDispose]()));
    },
  };
}
