/**
 * What a guest may do, by two counts that are the same on every machine: the interpreter's polls, which are its fuel, and
 * the work of the module (`wasm-meter.ts`), which bounds what happens between two polls.
 */
import { MOST_WORK, POLLS_PER_FUEL } from "./engine-layout.ts";

/** Work that every guest may do: what one huge native operation, such as sorting a million texts, may cost. */
const BASE_WORK = 200_000_000;
/** Work for each unit of fuel; ordinary code needs less than half of it. */
const WORK_PER_FUEL = 500_000;

/** Polls left until the interpreter calls its interrupt handler. */
export type InterruptCounter = { readonly get: () => number; readonly set: (polls: number) => void };

/** The counts of an engine. */
export type Counters = { readonly counter: InterruptCounter; readonly allowance: { value: number } };

/** Counts for one guest. */
export class PollMeter {
  readonly #limit: number;
  #counters: Counters | undefined;
  #polls: number;
  /** Polls that the counter was last set to, and how many of them were left at the end of the last slice. */
  #quantum = 0;
  #left = 0;
  #work: number;

  /** `fuel` is the limit in units of 10,000 polls, `used` are polls that count as used. */
  constructor(fuel: number, used: number) {
    this.#limit = fuel * POLLS_PER_FUEL;
    this.#polls = used;
    this.#work = Math.min(MOST_WORK, BASE_WORK + fuel * WORK_PER_FUEL);
    this.#next();
  }

  /** Polls used until the end of the last slice. */
  get polls(): number {
    return this.#polls + this.#quantum - this.#left;
  }

  /** Fuel used until the end of the last slice, in whole units, at most the limit. */
  get fuel(): number {
    return Math.floor(Math.min(this.#limit, this.polls) / POLLS_PER_FUEL);
  }

  /** Whether the module stopped because it had no work left; asked before `pause`. */
  get exhausted(): boolean {
    return (this.#counters?.allowance.value ?? 0) < 0;
  }

  /** Begins a slice of guest work in an engine. */
  begin(counters: Counters): void {
    this.#counters = counters;
    counters.counter.set(this.#left);
    counters.allowance.value = this.#work;
  }

  /** Ends a slice. */
  pause(): void {
    if (this.#counters === undefined) return;
    const { counter, allowance } = this.#counters;
    this.#left = Math.min(this.#quantum, Math.max(0, counter.get()));
    this.#work = allowance.value;
    allowance.value = MOST_WORK;
    this.#counters = undefined;
  }

  /** Adds polls that the interpreter did not count. */
  charge(polls: number): void {
    this.#polls += polls;
  }

  /** Called at each interrupt; says whether all fuel is spent. */
  look(): boolean {
    this.#polls += this.#quantum;
    this.#next();
    return this.#polls >= this.#limit;
  }

  /** Lets the next poll be an interrupt. */
  lookSoon(): void {
    const counter = this.#counters?.counter;
    this.#polls += Math.max(0, this.#quantum - Math.max(0, counter?.get() ?? this.#left));
    this.#set(1);
  }

  /** Lets every poll from now on be an interrupt. */
  stop(): void {
    this.lookSoon();
    this.#quantum = 0;
  }

  /** Looks fall on every multiple of 10,000 polls, so that they repeat. */
  #next(): void {
    this.#set(POLLS_PER_FUEL - (this.#polls % POLLS_PER_FUEL));
  }

  #set(polls: number): void {
    this.#quantum = polls;
    this.#left = polls;
    this.#counters?.counter.set(polls);
  }
}
