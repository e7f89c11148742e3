/**
 * Fuel: counts the interpreter's polls exactly, and decides when it is next interrupted.
 *
 * The count does not depend on time. How often the count is looked at does: where polls are slow (each a multiplication
 * of huge numbers, say) the next look comes after fewer of them, so that the backstop can act. The backstop ends a guest
 * by the clock only where its polls are far slower than any machine makes ordinary code.
 */
import type { Clock } from "../base/clock.ts";
import { POLLS_PER_FUEL, type InterruptCounter } from "./engine.ts";

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

/** What the meter found at a look. */
export type MeterReading = "go" | "measure" | "spent" | "slow";

/** Counts the polls of one isolate. */
export class PollMeter {
  readonly #counter: InterruptCounter;
  readonly #limit: number;
  readonly #clock: Clock;
  #polls = 0;
  #quantum = 0;
  #time = 0;
  #since = 0;
  #nextMeasure = POLLS_PER_FUEL;

  /** `fuel` is the limit in units of 10,000 polls. */
  constructor(counter: InterruptCounter, fuel: number, clock: Clock) {
    this.#counter = counter;
    this.#limit = fuel * POLLS_PER_FUEL;
    this.#clock = clock;
    this.#next(MOST_POLLS);
  }

  /** Fuel used so far, in whole units, at most the limit. */
  get fuel(): number {
    const open = Math.max(0, this.#quantum - Math.max(0, this.#counter.get()));
    return Math.floor(Math.min(this.#limit, this.#polls + open) / POLLS_PER_FUEL);
  }

  /** Starts the clock of a slice of guest work. */
  begin(): void {
    this.#since = this.#clock();
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
    return this.#polls >= this.#nextMeasure ? "measure" : "go";
  }

  /** Asks for the next "measure" after `units` of fuel. */
  measureAfter(units: number): void {
    this.#nextMeasure = (Math.floor(this.#polls / POLLS_PER_FUEL) + units) * POLLS_PER_FUEL;
  }

  /** Lets every poll from now on be an interrupt. */
  stop(): void {
    this.#quantum = 0;
    this.#counter.set(1);
  }

  /** Looks fall on every multiple of 10,000 polls, whatever the clock said, so that measurements repeat. */
  #next(wished: number): void {
    const toMultiple = POLLS_PER_FUEL - (this.#polls % POLLS_PER_FUEL);
    this.#quantum = Math.max(1, Math.min(wished, toMultiple));
    this.#counter.set(this.#quantum);
  }
}
