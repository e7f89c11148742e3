/** The one run that this worker has under way: start, go on, control, and what is told of it. */
import type { ExperimentConfig, Ledger } from "../../src/index.ts";
import type { LabEvent } from "../protocol/messages.ts";
import type { RunListing } from "../protocol/runs.ts";
import { openActiveRun, type ActiveRun } from "./active-run.ts";
import type { Booted } from "./boot.ts";
import type { Gate } from "./gate.ts";
import { createNarrator, type Narrator } from "./narrator.ts";
import { busy, toProblem } from "./problems.ts";
import { RolloutReader } from "./rollouts.ts";
import { listShelf, newRunName, openRunFolder, readListing, readStorage, writeAbout } from "./shelf.ts";

/** Runs one run at a time. */
export class LabRunner {
  readonly rollouts: RolloutReader;
  readonly #booted: Booted;
  readonly #send: (event: LabEvent) => void;
  #active: ActiveRun | undefined;
  /** Ends when the model is free; one user at a time. */
  #model: Promise<void> = Promise.resolve();
  #isTaken = false;

  constructor(booted: Booted, send: (event: LabEvent) => void) {
    this.#booted = booted;
    this.#send = send;
    this.rollouts = new RolloutReader(booted.codec);
  }

  get active(): ActiveRun | undefined {
    return this.#active;
  }

  /** Makes a run of `config` and starts it. */
  async start(
    config: ExperimentConfig,
    { title, isPaused }: { readonly title: string; readonly isPaused: boolean },
  ): Promise<RunListing> {
    this.#refuseSecond();
    const now = new Date();
    const run = await newRunName(config, now);
    return this.#open(run, { config, isPaused, about: { title, createdAt: now.toISOString(), isDeleted: false } });
  }

  /** Goes on with a run. */
  async resume(run: string, isPaused: boolean): Promise<RunListing> {
    this.#refuseSecond();
    await readListing(run, undefined);
    return this.#open(run, { config: undefined, isPaused, about: undefined });
  }

  /** Uses the gate of the run under way. */
  async control(use: (gate: Gate) => Promise<void> | void): Promise<null> {
    if (!this.#active) throw busy("No run is going on.", "Start a run, or go on with one.");
    await use(this.#active.gate);
    return null;
  }

  /** Ends the run under way, as a kill would. */
  async stop(): Promise<null> {
    const active = this.#active;
    active?.gate.stop();
    await active?.ended.catch(() => undefined);
    return null;
  }

  /** Uses the device for something else than a run, when it is free. */
  async withModel<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#model;
    const own = before.then(work);
    this.#model = own.then(
      () => undefined,
      () => undefined,
    );
    return own;
  }

  /** Sends the list of runs. */
  async tellRuns(): Promise<void> {
    this.#send({ kind: "runs", runs: await listShelf(this.#active?.run) });
    this.#send({ kind: "storage", storage: await readStorage() });
  }

  #refuseSecond(): void {
    if (this.#isTaken) throw busy("Another run is going on.", "Stop it first; it can be resumed later.");
  }

  async #open(run: string, options: OpenOptions): Promise<RunListing> {
    const { config, isPaused, about } = options;
    this.#isTaken = true;
    try {
      await this.#model;
      if (about) await writeAbout(run, about);
      let narrator: Narrator | undefined;
      const { runtime } = this.#booted.device;
      this.#active = await openActiveRun({
        ...{ run, config, isPaused, runtime },
        watch: (opened, ledger) => {
          const rollouts = ledger ? countRollouts(ledger) : 0;
          const clock = (): number => performance.now();
          narrator = createNarrator({ run, config: opened, rollouts, send: this.#send, clock });
          return { ...narrator, traces: (path, bytes) => void this.#tellGroup(run, opened, { path, bytes }) };
        },
      });
      narrator?.status(this.#active.gate.status);
      void this.#follow(this.#active);
      const listing = await readListing(run, run);
      // The list is as long as there are runs, and each read of it waits for the run's next pause: the answer does not.
      this.tellRuns().catch((error: unknown) => {
        this.#send({ kind: "problem", run, problem: toProblem(error) });
      });
      return listing;
    } catch (error) {
      if (!this.#active) this.#isTaken = false;
      throw error;
    }
  }

  async #follow(active: ActiveRun): Promise<void> {
    const { run } = active;
    const outcome = await active.ended.then(
      (summary): LabEvent => ({ kind: "done", run, summary }),
      (error: unknown): LabEvent => ({ kind: "problem", run, problem: toProblem(error) }),
    );
    this.#active = undefined;
    this.#isTaken = false;
    // Only now can another run begin.
    this.#send({ kind: "status", run, status: "idle" });
    if (outcome.kind !== "problem" || outcome.problem.kind !== "stopped") this.#send(outcome);
    await this.tellRuns();
  }

  async #tellGroup(
    run: string,
    config: ExperimentConfig,
    { path, bytes }: { readonly path: string; readonly bytes: Uint8Array },
  ): Promise<void> {
    const source = { run, folder: openRunFolder(run), config };
    this.#send({ kind: "group", run, group: await this.rollouts.describe(source, path, bytes) });
  }
}

type OpenOptions = {
  readonly config: ExperimentConfig | undefined;
  readonly isPaused: boolean;
  readonly about: Parameters<typeof writeAbout>[1] | undefined;
};

function countRollouts({ rollouts }: Ledger): number {
  return rollouts.weights + rollouts.harness + rollouts.evaluation;
}
