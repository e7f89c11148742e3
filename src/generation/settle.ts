/**
 * Waiting until every promise that can go on has gone on, without a timer.
 *
 * The engine must know that all rollouts which an earlier completion woke have asked for their next tokens, or the
 * batches would depend on chance. Promise callbacks all run before the next macrotask, so one macrotask is enough.
 * What waits for something slower (a worker, a socket) simply comes with a later batch.
 */

/** Resolves once all pending promise callbacks have run. */
export type Settle = () => Promise<void>;

/** What a host may offer for this; named here because no two hosts' types agree. */
type HostTasks = {
  readonly setImmediate?: (callback: () => void) => unknown;
  readonly MessageChannel: new () => {
    readonly port1: { onmessage: (() => void) | null };
    readonly port2: { readonly postMessage: (message: number) => void };
  };
};

/** Returns the fastest macrotask of this host: `setImmediate` in Node, a message channel elsewhere. */
export function createSettle(): Settle {
  const host = globalThis as unknown as HostTasks;
  const { setImmediate } = host;
  if (setImmediate !== undefined)
    return () =>
      new Promise((resolve) => {
        setImmediate(resolve);
      });
  const waiting: (() => void)[] = [];
  const channel = new host.MessageChannel();
  channel.port1.onmessage = () => waiting.shift()?.();
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      channel.port2.postMessage(0);
    });
}
