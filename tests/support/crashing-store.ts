/** A `BlobStore` that dies at a chosen operation, as a killed process would. */
import type { BlobStore } from "../../src/store/blob-store.ts";

/** What is thrown when the store dies. */
export class Crash extends RangeError {}

/** When to die, and how far the last operation gets. */
export type CrashPlan = {
  /** The operation that is the last, counted from 0; only those that change something count. */
  readonly at: number;
  /** Share of it that is done, in [0, 1]: the torn length of an append; other operations happen from 0.5 on. */
  readonly done: number;
};

/** Wraps `store`; once it is dead, every change fails. */
export function createCrashingStore(store: BlobStore, { at, done }: CrashPlan): BlobStore {
  let operations = 0;
  const run = async (whole: () => Promise<void>, part: () => Promise<void>): Promise<void> => {
    operations += 1;
    if (operations <= at) return whole();
    if (operations === at + 1) await part();
    throw new Crash("killed");
  };
  const allOrNothing = (operation: () => Promise<void>): Promise<void> =>
    run(operation, () => (done < 0.5 ? Promise.resolve() : operation()));
  return {
    ...store,
    write: (path, bytes) => allOrNothing(() => store.write(path, bytes)),
    truncate: (path, length) => allOrNothing(() => store.truncate(path, length)),
    remove: (path) => allOrNothing(() => store.remove(path)),
    append: (path, bytes) =>
      run(
        () => store.append(path, bytes),
        () => store.append(path, bytes.subarray(0, Math.floor(bytes.length * done))),
      ),
  };
}
