/**
 * Which tasks a stream has already given, in fixed memory: an open-addressing table (Knuth, The Art of Computer
 * Programming 3, section 6.4) over 52 bits of their ids. Among a million different tasks two share those with a chance of
 * about 1e-4. A full table keeps what it holds and takes no more.
 */

/** The table. */
export class SeenTasks {
  readonly #most: number;
  readonly #slots: number;
  readonly #keys: Float64Array;
  readonly #golds: Uint32Array;
  readonly #flags: Uint8Array;
  #count = 0;
  #isFull = false;

  /** Remembers `most` tasks, in 26 bytes each at most. @default 2,097,152 */
  constructor(most: number = 2 ** 21) {
    this.#most = most;
    this.#slots = 2 ** Math.ceil(Math.log2(2 * most));
    this.#keys = new Float64Array(this.#slots);
    this.#golds = new Uint32Array(this.#slots);
    this.#flags = new Uint8Array(this.#slots);
  }

  /** Whether a task came for which there was no room. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** The place of the task with `id` (64 hex digits), undefined where it was not remembered. */
  find(id: string): number | undefined {
    const slot = this.#slotOf(id);
    return this.#keys[slot] === 0 ? undefined : slot;
  }

  /** Remembers a task that was not seen, with the hash of its answer (hex) and `flags` in [0, 255]. */
  add(id: string, goldHash: string, flags: number): void {
    if (this.#count >= this.#most) {
      this.#isFull = true;
      return;
    }
    this.#count += 1;
    const slot = this.#slotOf(id);
    this.#keys[slot] = keyOf(id);
    this.#golds[slot] = shortGold(goldHash);
    this.#flags[slot] = flags;
  }

  /** Whether the task at `place` came with the answer of this hash. */
  hasGold(place: number, goldHash: string): boolean {
    return this.#golds[place] === shortGold(goldHash);
  }

  /** The flags of the task at `place`. */
  flags(place: number): number {
    return this.#flags[place] ?? 0;
  }

  /** Replaces the flags of the task at `place`. */
  setFlags(place: number, flags: number): void {
    this.#flags[place] = flags;
  }

  #slotOf(id: string): number {
    const key = keyOf(id);
    let slot = parseInt(id.slice(13, 21), 16) % this.#slots;
    while (this.#keys[slot] !== 0 && this.#keys[slot] !== key) slot = (slot + 1) % this.#slots;
    return slot;
  }
}

/** 0 marks a free slot. */
function keyOf(id: string): number {
  return parseInt(id.slice(0, 13), 16) + 1;
}

function shortGold(goldHash: string): number {
  return parseInt(goldHash.slice(0, 8), 16);
}
