/** Turns the errors of the origin-private file system into one clear line that says what is safe and what to do. */
import { describeError, StoreError } from "../../base/errors.ts";

/** What happened to the storage, for whoever reacts to it; `other` is anything else. */
export type StorageTrouble = "full" | "gone" | "refused" | "other";

const LINES: Readonly<Record<Exclude<StorageTrouble, "other">, string>> = {
  full: "the browser's storage is full; delete or export a run, then go on: all up to the last step is kept",
  gone: "the browser has removed this run's files; import an exported copy, or start a new run",
  refused: "the browser refuses to store files here; leave private browsing or allow storage for this site",
};

const TROUBLE: Readonly<Record<string, StorageTrouble>> = {
  QuotaExceededError: "full",
  // What Chromium says where it ends a write that passes the quota before it has been given all bytes.
  AbortError: "full",
  NotFoundError: "gone",
  InvalidStateError: "gone",
  SecurityError: "refused",
  NotAllowedError: "refused",
};

/** Marks an error as storage that was evicted while a run used it. */
export class EvictedError extends TypeError {
  override readonly name = "NotFoundError";
}

/** What `error`, or the error behind it, says of the storage. */
export function storageTrouble(error: unknown): StorageTrouble {
  for (let at = error; at instanceof Error; at = at.cause) {
    const known = TROUBLE[at.name];
    if (known !== undefined) return known;
  }
  return "other";
}

/** A `StoreError` for `error`, met while using the file or folder at `path`. */
export function toStoreError(error: unknown, path: string): StoreError {
  const trouble = storageTrouble(error);
  return new StoreError(`${path}: ${trouble === "other" ? describeError(error) : LINES[trouble]}`, { cause: error });
}
