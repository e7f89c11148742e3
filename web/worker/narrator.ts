/** Turns the progress of a run into what a page shows: events at a bearable rate, and one sentence that says what is going on. */
import { PRESET_TABLE, type ExperimentConfig, type ProgressEvent } from "../../src/index.ts";
import type { LabEvent, RunStatus } from "../protocol.ts";
import type { RunWatcher } from "./active-run.ts";

/** A watcher that narrates. */
export type Narrator = RunWatcher & { readonly begin: (config: ExperimentConfig) => void };

/** Least time between two events about rollouts, in milliseconds. */
const BREATH = 100;

/** A narrator of `run` that sends to `send`. */
export function createNarrator(run: string, send: (event: LabEvent) => void): Narrator {
  let config: ExperimentConfig = PRESET_TABLE.smoke;
  let last = 0;
  return {
    begin: (given) => {
      config = given;
    },
    status: (status: RunStatus) => {
      send({ kind: "status", run, status });
    },
    progress: (event: ProgressEvent) => {
      const now = performance.now();
      if (event.kind === "rollouts" && event.done < event.total && now - last < BREATH) return;
      if (event.kind === "rollouts") last = now;
      send({ kind: "progress", run, event });
      void config;
    },
    traces: () => undefined,
  };
}
