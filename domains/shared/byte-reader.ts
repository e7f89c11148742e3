/** Bytes by count out of chunks of any size, for formats whose parts say how long they are. */

/** `parts` as one array. */
export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.length;
  }
  return whole;
}

/** A reader over chunks; whoever stops before their end calls `close`. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #held: Uint8Array = new Uint8Array(0);

  /** Nothing of `chunks` is read yet. */
  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** The next `count` bytes, or those that are left, without taking them. */
  async peek(count: number): Promise<Uint8Array> {
    while (this.#held.length < count) {
      const next = await this.#chunks.next();
      if (next.done === true) break;
      this.#held = this.#held.length === 0 ? next.value : concat([this.#held, next.value]);
    }
    return this.#held.subarray(0, count);
  }

  /**
   * The next `count` bytes.
   * @throws {RangeError} If there are fewer.
   */
  async take(count: number): Promise<Uint8Array> {
    const taken = await this.peek(count);
    if (taken.length < count) throw new RangeError("unexpected end of file");
    this.#held = this.#held.subarray(count);
    return taken;
  }

  /**
   * Passes over `count` bytes.
   * @throws {RangeError} If there are fewer.
   */
  async skip(count: number): Promise<void> {
    for (let left = count; left > 0;) {
      await this.peek(1);
      const part = Math.min(left, Math.max(1, this.#held.length));
      await this.take(part);
      left -= part;
    }
  }

  /** All that is left, in chunks. */
  async *rest(): AsyncGenerator<Uint8Array> {
    while ((await this.peek(1)).length > 0) {
      const chunk = this.#held;
      this.#held = new Uint8Array(0);
      yield chunk;
    }
  }

  /** Ends the chunks, read to their end or not. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}
