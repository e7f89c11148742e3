/**
 * The port for a run folder: a tree of byte files. Node implements it over a directory, a browser over its private file
 * system, tests over a map. Paths use `/` and are relative to the run.
 */

/** A tree of files. */
export type BlobStore = {
  /** The bytes at `path`, or undefined where there is nothing; a file that holds none may count as nothing. */
  readonly read: (path: string) => Promise<Uint8Array | undefined>;
  /** Replaces the file at `path` as a whole: after a crash there is the old file or the new one. */
  readonly write: (path: string, bytes: Uint8Array) => Promise<void>;
  /** Appends to the file at `path`, creating it; a crash may leave a torn tail. */
  readonly append: (path: string, bytes: Uint8Array) => Promise<void>;
  /** Cuts the file at `path` to its first `length` bytes. */
  readonly truncate: (path: string, length: number) => Promise<void>;
  /** Paths of all files under `folder`, sorted. */
  readonly list: (folder: string) => Promise<readonly string[]>;
  /** Removes the file or folder at `path`, if there is one. */
  readonly remove: (path: string) => Promise<void>;
};
