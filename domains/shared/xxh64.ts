/** XXH64 (https://github.com/Cyan4973/xxHash, specification 0.2) with seed 0, as a stream: the checksum of Zstandard frames. */

const P1 = 0x9e3779b185ebca87n;
const P2 = 0xc2b2ae3d27d4eb4fn;
const P3 = 0x165667b19e3779f9n;
const P4 = 0x85ebca77c2b2ae63n;
const P5 = 0x27d4eb2f165667c5n;

/** Bytes that the four lanes take at once. */
const STRIPE = 32;

/** A hash that bytes are added to. */
export class Xxh64 {
  #lanes: readonly [bigint, bigint, bigint, bigint] = [wrap(P1 + P2), P2, 0n, wrap(-P1)];
  readonly #tail = new Uint8Array(STRIPE);
  #length = 0;

  /** Adds `bytes` after those that were added before. */
  update(bytes: Uint8Array): void {
    const open = this.#length % STRIPE;
    this.#length += bytes.length;
    if (open + bytes.length < STRIPE) {
      this.#tail.set(bytes, open);
      return;
    }
    let start = 0;
    if (open > 0) {
      start = STRIPE - open;
      this.#tail.set(bytes.subarray(0, start), open);
      this.#mixStripes(this.#tail);
    }
    const end = start + STRIPE * Math.floor((bytes.length - start) / STRIPE);
    this.#mixStripes(bytes.subarray(start, end));
    this.#tail.set(bytes.subarray(end));
  }

  /** The hash of all that was added, an unsigned word of 64 bits. */
  digest(): bigint {
    const [a, b, c, d] = this.#lanes;
    let hash = P5;
    if (this.#length >= STRIPE) {
      hash = wrap(rotate(a, 1n) + rotate(b, 7n) + rotate(c, 12n) + rotate(d, 18n));
      for (const lane of this.#lanes) hash = wrap((hash ^ mixLane(0n, lane)) * P1 + P4);
    }
    return avalanche(this.#mixTail(wrap(hash + BigInt(this.#length))));
  }

  #mixStripes(bytes: Uint8Array): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let [a, b, c, d] = this.#lanes;
    for (let at = 0; at < bytes.length; at += STRIPE) {
      a = mixLane(a, view.getBigUint64(at, true));
      b = mixLane(b, view.getBigUint64(at + 8, true));
      c = mixLane(c, view.getBigUint64(at + 16, true));
      d = mixLane(d, view.getBigUint64(at + 24, true));
    }
    this.#lanes = [a, b, c, d];
  }

  #mixTail(start: bigint): bigint {
    const length = this.#length % STRIPE;
    const view = new DataView(this.#tail.buffer);
    let hash = start;
    let at = 0;
    for (; at + 8 <= length; at += 8)
      hash = wrap(rotate(hash ^ mixLane(0n, view.getBigUint64(at, true)), 27n) * P1 + P4);
    for (; at + 4 <= length; at += 4)
      hash = wrap(rotate(hash ^ wrap(BigInt(view.getUint32(at, true)) * P1), 23n) * P2 + P3);
    for (; at < length; at += 1) hash = wrap(rotate(hash ^ wrap(BigInt(view.getUint8(at)) * P5), 11n) * P1);
    return hash;
  }
}

function mixLane(lane: bigint, word: bigint): bigint {
  return wrap(rotate(wrap(lane + wrap(word * P2)), 31n) * P1);
}

function avalanche(hash: bigint): bigint {
  const first = wrap((hash ^ (hash >> 33n)) * P2);
  const second = wrap((first ^ (first >> 29n)) * P3);
  return second ^ (second >> 32n);
}

function rotate(word: bigint, by: bigint): bigint {
  return wrap((word << by) | (word >> (64n - by)));
}

function wrap(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}
