/** The port between two threads; platform folders implement it. */

/** One end of a channel; messages are structured clones and arrive in order. */
export type Channel<Sent, Received> = {
  readonly send: (message: Sent) => void;
  /** Calls `onMessage` for each message, and `onLost` when the other end has died. To be called once. */
  readonly listen: (onMessage: (message: Received) => void, onLost: (error: unknown) => void) => void;
};
