/**
 * The one place where the page keeps what it knows: a typed value, replaced part by part, and watchers that hear of it
 * once a frame however often it changed, so that a fast run cannot flood the main thread. Watchers that draw for long are
 * spread over several tasks, so that a key or a click never waits for all of them.
 */

/** A store of `T`. */
export type Store<T extends object> = {
  readonly get: () => T;
  /** Lays `patch` over the state; watchers of what changed hear of it in the next frame. */
  readonly set: (patch: Partial<T>) => void;
  /**
   * Calls `draw` now, and whenever one of the values that `pick` gives has changed; where it gives `undefined`, as for what
   * is not in view, nothing is drawn until it gives values again. Gives a function that ends it.
   */
  readonly watch: <P extends unknown[] | []>(
    pick: (state: T) => P | undefined,
    draw: (values: P) => void,
  ) => () => void;
};

/** Calls `work` later, such as in the next frame. */
export type Later = (work: () => void) => void;

/** When watchers are called. */
export type Pace = {
  /** Plans a round of watchers. */
  readonly later: Later;
  /** Lets the browser do something else before the round goes on. */
  readonly breathe: Later;
  /** Milliseconds from any start. */
  readonly clock: () => number;
};

/** Milliseconds of drawing after which a round lets the browser breathe. */
const SLICE_MS = 4;

/** A store that begins with `initial`. */
export function createStore<T extends object>(initial: T, { later, breathe, clock }: Pace): Store<T> {
  let state = initial;
  let isPlanned = false;
  const watchers = new Set<() => void>();
  const flush = (): void => {
    isPlanned = false;
    walk([...watchers]);
  };
  const walk = (round: readonly (() => void)[]): void => {
    const end = clock() + SLICE_MS;
    for (const [i, check] of round.entries()) {
      if (clock() >= end) {
        breathe(() => {
          walk(round.slice(i));
        });
        return;
      }
      // One that ended meanwhile hears nothing more.
      if (watchers.has(check)) check();
    }
  };
  return {
    get: () => state,
    set: (patch) => {
      state = { ...state, ...patch };
      if (isPlanned) return;
      isPlanned = true;
      later(flush);
    },
    watch: (pick, draw) => {
      let last: unknown[] | undefined;
      const check = (): void => {
        const next = pick(state);
        if (next === undefined || (last && next.every((value, i) => Object.is(value, last?.[i])))) return;
        last = next;
        draw(next);
      };
      watchers.add(check);
      check();
      return () => {
        watchers.delete(check);
      };
    },
  };
}
