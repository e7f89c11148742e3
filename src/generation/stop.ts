/**
 * Watches sampled ids for stop texts. Tokens may split a character, so ids are held back until they decode without a
 * replacement character at the end (a character has at most four bytes, hence at most four held tokens).
 */

/** Longest UTF-8 character, in bytes and so in byte-level tokens. */
const MOST_HELD = 4;

/** Looks for stop texts in one completion. */
export type StopWatcher = {
  /** Takes the next id; whether a stop text has now appeared. */
  readonly push: (id: number) => boolean;
};

/** Returns a watcher for `stop`; empty texts are ignored. */
export function createStopWatcher(
  stop: readonly string[],
  decode: (ids: readonly number[]) => string,
): StopWatcher | undefined {
  const texts = stop.filter((text) => text !== "");
  if (texts.length === 0) return undefined;
  const longest = texts.reduce((most, text) => Math.max(most, text.length), 0);
  let settled = "";
  let held: number[] = [];
  return {
    push: (id) => {
      held.push(id);
      const text = decode(held);
      const window = settled + text;
      if (!text.endsWith("\u{FFFD}") || held.length >= MOST_HELD) {
        // Only what a stop text could still begin in is needed later.
        settled = window.slice(Math.max(0, window.length - longest + 1));
        held = [];
      }
      return texts.some((wanted) => window.includes(wanted));
    },
  };
}
