/** One tab at a time may write a run: a Web Lock by the run's name, which a closed or crashed tab gives back by itself. */

const PREFIX = "spyhop-run/";

/**
 * Takes the lock of `run` and gives what releases it, or undefined where another tab holds it. Who asks for the lock once
 * the release has resolved finds it free; the browser takes a moment for that.
 */
export async function lockRun(run: string): Promise<(() => Promise<void>) | undefined> {
  return new Promise((resolve, reject) => {
    const hold = (lock: Lock | null): Promise<void> | undefined => {
      if (!lock) {
        resolve(undefined);
        return undefined;
      }
      return new Promise((letGo) => {
        resolve(async () => {
          letGo();
          await released;
        });
      });
    };
    const released = navigator.locks.request(PREFIX + run, { ifAvailable: true }, hold);
    released.catch(reject);
  });
}

/** Names of the runs that some tab holds, this one included. */
export async function lockedRuns(): Promise<ReadonlySet<string>> {
  const { held = [] } = await navigator.locks.query();
  const names = held.flatMap(({ name = "" }) => (name.startsWith(PREFIX) ? [name.slice(PREFIX.length)] : []));
  return new Set(names);
}
