/**
 * Watches sampled ids for stop texts. Tokens may split a character, so ids are held back until they decode without a
 * replacement character at the end. A policy that writes broken bytes without end would be held back for ever: past a
 * limit only the last three ids are, since that is what may still lack the last byte of a character.
 */

/** Most ids held back. */
const MOST_HELD = 32;
/** Longest beginning of a UTF-8 character, in bytes and so in tokens. */
const LONGEST_BEGINNING = 3;

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
      const window = settled + decode(held);
      const whole = !window.endsWith("\u{FFFD}");
      if (whole || held.length >= MOST_HELD) {
        const sure = whole ? window : settled + decode(held.slice(0, -LONGEST_BEGINNING));
        // Only what a stop text could still begin in is needed later.
        settled = sure.slice(Math.max(0, sure.length - longest + 1));
        held = whole ? [] : held.slice(-LONGEST_BEGINNING);
      }
      return texts.some((wanted) => window.includes(wanted));
    },
  };
}
