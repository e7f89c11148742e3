/**
 * Fuel: counts the interpreter's polls exactly, and decides when it is next interrupted.
 *
 * The count does not depend on time. How often the count is looked at does: where polls are slow (each a multiplication
 * of huge numbers, say) the next look comes after fewer of them, so that the backstop can act. The backstop ends a guest
 * by the clock only where its polls are far slower than any machine makes ordinary code.
 */
import type { Clock } from "../base/clock.ts";
import { POLLS_PER_FUEL } from "./engine-layout.ts";

/** Wished time between two looks, in milliseconds. */
const LOOK_EVERY = 20;
/** Most polls between two looks: a look costs as much as a few polls, and this many slow operations still end in time. */
const MOST_POLLS = 32;
/** The backstop: so long in all, in milliseconds ... */
const BACKSTOP_TIME = 5000;
/** ... of which one look counts at most this much, since the process itself may have been held up ... */
const MOST_TIME = 2000;
/** ... at so much a poll, in milliseconds; ordinary polls take a hundredth of it. */
const BACKSTOP_POLL_TIME = 0.02;

/** Polls left until the interpreter calls its interrupt handler. */
export type InterruptCounter = { readonly get: () => number; readonly set: (polls: number) => void };

/** What the meter found at a look. */
export type MeterReading = "go" | "measure" | "spent" | "slow";

/** Counts the polls of one isolate. */
export class PollMeter {
  readonly #limit: number;
  readonly #clock: Clock;
  #counter: InterruptCounter | undefined;
  #polls: number;
  #quantum = 0;
  #left = 0;
  #time = 0;
  #since = 0;
  #nextMeasure = POLLS_PER_FUEL;

  /** `fuel` is the limit in units of 10,000 polls, `used` are polls that count as used. */
  constructor(fuel: number, clock: Clock, used: number) {
    this.#limit = fuel * POLLS_PER_FUEL;
    this.#clock = clock;
    this.#polls = used;
    this.#next(MOST_POLLS);
  }

  /** Polls used until the end of the last slice. */
  get polls(): number {
    return this.#polls + this.#quantum - this.#left;
  }

  /** Fuel used until the end of the last slice, in whole units, at most the limit. */
  get fuel(): number {
    return Math.floor(Math.min(this.#limit, this.polls) / POLLS_PER_FUEL);
  }

  /** Begins a slice of guest work, in the engine that `counter` belongs to. */
  begin(counter: InterruptCounter): void {
    this.#counter = counter;
    this.#since = this.#clock();
    counter.set(this.#left);
  }

  /** Ends a slice. */
  pause(): void {
    this.#left = Math.min(this.#quantum, Math.max(0, this.#counter?.get() ?? 0));
    this.#counter = undefined;
  }

  /** Adds polls that the interpreter did not count. */
  charge(polls: number): void {
    this.#polls += polls;
  }

  /** Called at each interrupt; says what to do now. */
  look(): MeterReading {
    const now = this.#clock();
    const took = now - this.#since;
    this.#since = now;
    this.#time += Math.min(took, MOST_TIME);
    this.#polls += this.#quantum;
    this.#next(took > LOOK_EVERY ? Math.floor((this.#quantum * LOOK_EVERY) / took) : MOST_POLLS);
    if (this.#polls >= this.#limit) return "spent";
    if (this.#time > BACKSTOP_TIME && this.#time > this.#polls * BACKSTOP_POLL_TIME) return "slow";
    if (this.#polls < this.#nextMeasure) return "go";
    this.#nextMeasure = (Math.floor(this.#polls / POLLS_PER_FUEL) + 1) * POLLS_PER_FUEL;
    return "measure";
  }

  /** Lets the next poll be an interrupt. */
  lookSoon(): void {
    this.#polls += Math.max(0, this.#quantum - Math.max(0, this.#counter?.get() ?? this.#left));
    this.#quantum = 1;
    this.#counter?.set(1);
  }

  /** Lets every poll from now on be an interrupt. */
  stop(): void {
    this.lookSoon();
    this.#quantum = 0;
    this.#counter?.set(1);
  }

  /** Looks fall on every multiple of 10,000 polls, whatever the clock said, so that measurements repeat. */
  #next(wished: number): void {
    const toMultiple = POLLS_PER_FUEL - (this.#polls % POLLS_PER_FUEL);
    this.#quantum = Math.max(1, Math.min(wished, toMultiple));
    this.#left = this.#quantum;
    this.#counter?.set(this.#quantum);
  }
}
