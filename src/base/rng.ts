/**
 * Seeded random streams, keyed by what they are for.
 *
 * A stream is named by a list of keys, such as `createRng(seed, "rollout", 17, "call", 2)`: who draws when never changes
 * what another stream gives. The generator is sfc32 (Doty-Humphrey, PractRand), seeded by SHA-256 of the keys.
 */
import { sha256 } from "@noble/hashes/sha2.js";
import { utf8ToBytes } from "@noble/hashes/utils.js";

/** A source of random numbers; every draw changes its state. */
export type Rng = {
  /** The next number in [0, 1), with 32 random bits. */
  readonly uniform: () => number;
  /** The next integer in [0, n). */
  readonly int: (n: number) => number;
  /** The next draw of a standard normal distribution. */
  readonly normal: () => number;
  /** One of `items`, which must not be empty. */
  readonly pick: <T>(items: readonly T[]) => T;
  /** `items` in random order, as a new array. */
  readonly shuffle: <T>(items: readonly T[]) => T[];
};

/** Returns the stream that `keys` name; equal keys give equal streams. */
export function createRng(...keys: readonly (string | number)[]): Rng {
  const digest = sha256(utf8ToBytes(JSON.stringify(keys)));
  const words = new DataView(digest.buffer, digest.byteOffset, digest.byteLength);
  let a = words.getInt32(0);
  let b = words.getInt32(4);
  let c = words.getInt32(8);
  let counter = 1;
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return sum >>> 0;
  };
  for (let i = 0; i < 12; i += 1) next();
  return rngFrom(() => next() / 4294967296);
}

function rngFrom(uniform: () => number): Rng {
  const int = (n: number): number => {
    if (!(n >= 1)) throw new RangeError(`rng.int: n must be 1 or more, got ${String(n)}`);
    return Math.floor(uniform() * n);
  };
  return {
    uniform,
    int,
    // Box-Muller; 1 - u keeps the logarithm finite.
    normal: () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
    pick: <T>(items: readonly T[]): T => items[int(items.length)] as T,
    shuffle: <T>(items: readonly T[]): T[] => {
      const out = [...items];
      for (let i = out.length - 1; i > 0; i -= 1) {
        const j = int(i + 1);
        [out[i], out[j]] = [out[j] as T, out[i] as T];
      }
      return out;
    },
  };
}
