/** Time is handed in, so that a test can hold it still and a ledger never depends on it. */

/** Milliseconds since some fixed moment, never decreasing. */
export type Clock = () => number;

/** A clock that stands still, for tests and replays. */
export const STILL_CLOCK: Clock = () => 0;
