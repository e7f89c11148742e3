/** Turns the progress of a run into what a page shows: events at a bearable rate, how much is done, how long the rest takes. */
import { plannedRollouts, type ExperimentConfig, type ProgressEvent } from "../../src/index.ts";
import type { LabEvent, RunStatus } from "../protocol/messages.ts";

/** Tells of one run. */
export type Narrator = {
  readonly status: (status: RunStatus) => void;
  readonly progress: (event: ProgressEvent) => void;
};

/** What a narrator starts from. */
export type NarratorOptions = {
  readonly run: string;
  readonly config: ExperimentConfig;
  /** Rollouts that the run has made before. */
  readonly rollouts: number;
  readonly send: (event: LabEvent) => void;
  /** Milliseconds. */
  readonly clock: () => number;
};

/** Least time between two events about rollouts, in milliseconds. */
const BREATH = 100;
/** Share of the run from which on the rest can be told. */
const ENOUGH = 0.02;

/** A narrator of one run. */
export function createNarrator(options: NarratorOptions): Narrator {
  const { run, config, send, clock } = options;
  const watch = createStopwatch(clock);
  const planned = Math.max(1, plannedRollouts(config));
  let [finished, underWay, last] = [options.rollouts, 0, -Infinity];
  const shareOf = (rollouts: number): number => Math.min(1, rollouts / planned);
  const tell = (): void => {
    const share = shareOf(finished + underWay);
    const gained = share - shareOf(options.rollouts);
    const secondsLeft = gained < ENOUGH ? undefined : Math.round((watch.seconds() / gained) * (1 - share));
    send({ kind: "now", run, share, secondsLeft });
  };
  return {
    status: (status) => {
      if (status === "paused") watch.stop();
      else watch.start();
      send({ kind: "status", run, status });
    },
    progress: (event) => {
      if (event.kind === "rollouts") {
        const isLast = event.done >= event.total;
        underWay = isLast ? 0 : event.done;
        if (isLast) finished += event.total;
        if (!isLast && clock() - last < BREATH) return;
        last = clock();
      }
      send({ kind: "progress", run, event });
      tell();
    },
  };
}

type Stopwatch = { readonly start: () => void; readonly stop: () => void; readonly seconds: () => number };

/** Seconds of work, without the pauses; it runs from the start. */
function createStopwatch(clock: () => number): Stopwatch {
  let total = 0;
  let since: number | undefined = clock();
  return {
    start: () => {
      since ??= clock();
    },
    stop: () => {
      if (since !== undefined) total += clock() - since;
      since = undefined;
    },
    seconds: () => (total + (since === undefined ? 0 : clock() - since)) / 1000,
  };
}
