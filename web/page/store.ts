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
  let hasChanged = false;
  const watchers = new Set<(seen: T) => void>();
  const plan = (): void => {
    hasChanged = true;
    if (isPlanned) return;
    isPlanned = true;
    later(flush);
  };
  const flush = (): void => {
    hasChanged = false;
    walk([...watchers], state);
  };
  /** All watchers of a round see the same state: what stands last in it never shows more than what stands before. */
  const walk = (round: readonly ((seen: T) => void)[], seen: T): void => {
    const end = clock() + SLICE_MS;
    let next = 0;
    try {
      for (; next < round.length && clock() < end; next += 1) {
        const check = round[next];
        // One that ended meanwhile hears nothing more.
        if (check && watchers.has(check)) check(seen);
      }
    } catch (error) {
      // What one cannot draw keeps the others of this round from it, but of no round after it.
      next = round.length;
      throw error;
    } finally {
      if (next < round.length)
        breathe(() => {
          walk(round.slice(next), seen);
        });
      else endRound();
    }
  };
  const endRound = (): void => {
    isPlanned = false;
    if (hasChanged) plan();
  };
  return {
    get: () => state,
    set: (patch) => {
      state = { ...state, ...patch };
      plan();
    },
    watch: (pick, draw) => {
      let last: unknown[] | undefined;
      const check = (seen: T): void => {
        const next = pick(seen);
        if (next === undefined || (last && next.every((value, i) => Object.is(value, last?.[i])))) return;
        last = next;
        draw(next);
      };
      watchers.add(check);
      check(state);
      return () => {
        watchers.delete(check);
      };
    },
  };
}
