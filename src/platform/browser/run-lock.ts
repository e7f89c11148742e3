/** One tab at a time may write a run: a Web Lock by the run's name, which a closed or crashed tab gives back by itself. */

const PREFIX = "spyhop-run/";

/** Takes the lock of `run` and gives what releases it, or undefined where another tab holds it. */
export async function lockRun(run: string): Promise<(() => void) | undefined> {
  return new Promise((resolve, reject) => {
    const hold = (lock: Lock | null): Promise<void> | undefined => {
      if (!lock) {
        resolve(undefined);
        return undefined;
      }
      return new Promise((release) => {
        resolve(release);
      });
    };
    navigator.locks.request(PREFIX + run, { ifAvailable: true }, hold).catch(reject);
  });
}

/** Names of the runs that some tab holds, this one included. */
export async function lockedRuns(): Promise<ReadonlySet<string>> {
  const { held = [] } = await navigator.locks.query();
  const names = held.flatMap(({ name = "" }) => (name.startsWith(PREFIX) ? [name.slice(PREFIX.length)] : []));
  return new Set(names);
}
