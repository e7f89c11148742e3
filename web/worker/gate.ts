/** Where a run waits between two pieces of work: to be paused, stepped, stopped, or asked for something in between. */
import type { RunStatus } from "../protocol/messages.ts";
import { StoppedError } from "./problems.ts";

/** The gate of one run. */
export class Gate {
  readonly #tell: (status: RunStatus) => void;
  readonly #jobs: (() => Promise<void>)[] = [];
  #isPaused: boolean;
  /** Pieces that may still be done while paused. */
  #allowed = 0;
  #isStopped = false;
  #isWaiting = false;
  #isOver = false;
  #wake: (() => void) | undefined;
  #steps: { readonly resolve: () => void; readonly reject: (error: StoppedError) => void }[] = [];

  constructor(isPaused: boolean, tell: (status: RunStatus) => void) {
    this.#isPaused = isPaused;
    this.#tell = tell;
  }

  get status(): RunStatus {
    if (this.#isOver) return "idle";
    if (this.#isStopped) return "stopping";
    if (!this.#isPaused) return "running";
    if (this.#isWaiting) return "paused";
    return this.#steps.length > 0 ? "stepping" : "pausing";
  }

  /** To be awaited by the run before each piece of work. */
  readonly pass = async (): Promise<void> => {
    this.#endStep();
    for (;;) {
      this.checkStop();
      const job = this.#jobs.shift();
      if (job !== undefined) await job();
      else if (!this.#isPaused) return;
      else if (this.#allowed > 0) {
        this.#allowed -= 1;
        this.#tell(this.status);
        return;
      } else await this.#wait();
    }
  };

  /** @throws {StoppedError} If the run is to end at once. */
  readonly checkStop = (): void => {
    if (this.#isStopped) throw new StoppedError();
  };

  pause(): void {
    this.#isPaused = true;
    this.#tell(this.status);
  }

  play(): void {
    this.#isPaused = false;
    this.#allowed = 0;
    this.#go();
  }

  /** Lets one more piece of work through; resolves when it is done, rejects when the run is stopped in it. */
  step(): Promise<void> {
    return new Promise((resolve, reject) => {
      // What is under way in a run that plays is the step; a run that waits gets leave for one more.
      if (this.#isWaiting) this.#allowed += 1;
      this.#isPaused = true;
      this.#steps.push({ resolve, reject });
      this.#go();
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#go();
  }

  /** Does `work` between two pieces, or at once where the run waits. */
  between<T>(work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#jobs.push(() => work().then(resolve, reject));
      this.#wake?.();
    });
  }

  /** To be called when the run is over: whatever still waits is answered. What it says of that is left to who closes the run. */
  async end(): Promise<void> {
    for (let job = this.#jobs.shift(); job !== undefined; job = this.#jobs.shift()) await job();
    this.#isOver = true;
    if (this.#isStopped) for (const { reject } of this.#steps) reject(new StoppedError());
    this.#isStopped = false;
    this.#endStep();
  }

  #go(): void {
    this.#tell(this.status);
    this.#wake?.();
  }

  async #wait(): Promise<void> {
    this.#isWaiting = true;
    this.#tell(this.status);
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#isWaiting = false;
    this.#wake = undefined;
  }

  #endStep(): void {
    const waiting = this.#steps;
    this.#steps = [];
    for (const { resolve } of waiting) resolve();
  }
}
