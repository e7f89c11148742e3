/**
 * The one place where the page keeps what it knows: a typed value, replaced part by part, and watchers that hear of it
 * once a frame however often it changed, so that a fast run cannot flood the main thread.
 */

/** A store of `T`. */
export type Store<T extends object> = {
  readonly get: () => T;
  /** Lays `patch` over the state; watchers of what changed hear of it in the next frame. */
  readonly set: (patch: Partial<T>) => void;
  /** Calls `draw` now, and whenever one of the values that `pick` gives has changed. Gives a function that ends it. */
  readonly watch: <P extends unknown[] | []>(pick: (state: T) => P, draw: (values: P) => void) => () => void;
};

/** Calls `work` later, such as in the next frame. */
export type Later = (work: () => void) => void;

/** A store that begins with `initial`. */
export function createStore<T extends object>(initial: T, later: Later): Store<T> {
  let state = initial;
  let isPlanned = false;
  const watchers = new Set<() => void>();
  const flush = (): void => {
    isPlanned = false;
    for (const check of [...watchers]) check();
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
      let last = pick(state);
      const check = (): void => {
        const next = pick(state);
        const isSame = next.every((value, i) => Object.is(value, last[i]));
        if (isSame) return;
        last = next;
        draw(next);
      };
      watchers.add(check);
      draw(last);
      return () => {
        watchers.delete(check);
      };
    },
  };
}
