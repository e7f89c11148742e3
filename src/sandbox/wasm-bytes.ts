/** Reading and writing of the WebAssembly binary format's bytes, with its LEB128 numbers. */
import { SandboxError } from "../base/errors.ts";

/** Reads from the front of some bytes. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  /** Begins at the first byte. */
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Index of the next byte. */
  get at(): number {
    return this.#at;
  }

  /** Whether all has been read. */
  get done(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /**
   * The next byte.
   * @throws {SandboxError} If there is none.
   */
  byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new SandboxError("the QuickJS module ends too early");
    this.#at += 1;
    return byte;
  }

  /** The next `length` bytes. */
  take(length: number): Uint8Array {
    const start = this.#at;
    this.#at += length;
    if (this.#at > this.#bytes.length) throw new SandboxError("the QuickJS module ends too early");
    return this.#bytes.subarray(start, this.#at);
  }

  /** All bytes that are left. */
  rest(): Uint8Array {
    return this.take(this.#bytes.length - this.#at);
  }

  /** An unsigned number of at most 32 bits. */
  u32(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.byte();
      value += (byte % 128) * factor;
      if (byte < 128) return value;
    }
  }

  /** Passes a number of any kind. */
  skipLeb(): void {
    while (this.byte() >= 128);
  }
}

/** Collects bytes. */
export class ByteWriter {
  #bytes = new Uint8Array(1024);
  #length = 0;

  /** Adds one byte. */
  byte(byte: number): void {
    this.copy([byte]);
  }

  /** Adds `bytes`. */
  copy(bytes: ArrayLike<number>): void {
    const length = this.#length + bytes.length;
    if (length > this.#bytes.length) {
      const grown = new Uint8Array(2 * length);
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
    this.#bytes.set(bytes, this.#length);
    this.#length = length;
  }

  /** Adds `bytes` after their number. */
  block(bytes: Uint8Array): void {
    let size = bytes.length;
    for (; size >= 128; size = Math.floor(size / 128)) this.byte((size % 128) + 128);
    this.byte(size);
    this.copy(bytes);
  }

  /** What has been collected. */
  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }
}
