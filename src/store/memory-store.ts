/** A `BlobStore` in memory, for tests and for runs that nobody keeps. */
import type { BlobStore } from "./blob-store.ts";

/** Returns a store over `files`, by path, which it changes; bytes are copied in and out. */
export function createMemoryStore(files: Map<string, Uint8Array> = new Map<string, Uint8Array>()): BlobStore {
  const inFolder = (folder: string): string[] => {
    const prefix = folder === "" ? "" : `${folder}/`;
    return [...files.keys()].filter((path) => path.startsWith(prefix)).sort();
  };
  return {
    read: (path) => {
      const bytes = files.get(path);
      return Promise.resolve(bytes && new Uint8Array(bytes));
    },
    write: (path, bytes) => {
      files.set(path, new Uint8Array(bytes));
      return Promise.resolve();
    },
    append: (path, bytes) => {
      files.set(path, joinBytes(files.get(path) ?? new Uint8Array(), bytes));
      return Promise.resolve();
    },
    truncate: (path, length) => {
      const bytes = files.get(path);
      if (bytes) files.set(path, bytes.slice(0, length));
      return Promise.resolve();
    },
    list: (folder) => Promise.resolve(inFolder(folder)),
    remove: (path) => {
      for (const file of [path, ...inFolder(path)]) files.delete(file);
      return Promise.resolve();
    },
  };
}

function joinBytes(head: Uint8Array, tail: Uint8Array): Uint8Array {
  const joined = new Uint8Array(head.byteLength + tail.byteLength);
  joined.set(head);
  joined.set(tail, head.byteLength);
  return joined;
}
