/** A data file whose bytes are in memory, as a browser's file picker or a test hands them over. */
import type { DataFile } from "./domain.ts";

/** `bytes` as a data file called `name`. */
export function memoryFile(name: string, bytes: Uint8Array): DataFile {
  return { name, chunks: () => once(bytes) };
}

function once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]: () => {
      const rest = bytes.length === 0 ? [] : [bytes];
      return {
        next: () => {
          const value = rest.pop();
          return Promise.resolve(value === undefined ? { done: true, value: undefined } : { done: false, value });
        },
      };
    },
  };
}
