/** Turns the progress of a run into what a page shows: events at a bearable rate, and one sentence that says what is going on. */
import { plannedRollouts, type ExperimentConfig, type ProgressEvent } from "../../src/index.ts";
import type { LabEvent, RunStatus } from "../protocol.ts";

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

type Now = Omit<Extract<LabEvent, { readonly kind: "now" }>, "kind" | "run">;
type Batch = Extract<ProgressEvent, { readonly kind: "rollouts" }>;

/** Least time between two events about rollouts, in milliseconds. */
const BREATH = 100;
/** Share of the run from which on the rest can be told. */
const ENOUGH = 0.02;

/** A narrator of one run. */
export function createNarrator(options: NarratorOptions): Narrator {
  const { run, config, send, clock } = options;
  const story = createStory(config);
  const watch = createStopwatch(clock);
  const planned = Math.max(1, plannedRollouts(config));
  let [finished, underWay, last] = [options.rollouts, 0, -Infinity];
  const shareOf = (rollouts: number): number => Math.min(1, rollouts / planned);
  const tell = (): void => {
    const share = shareOf(finished + underWay);
    const gained = share - shareOf(options.rollouts);
    const secondsLeft = gained < ENOUGH ? undefined : Math.round((watch.seconds() / gained) * (1 - share));
    const now: Now = { ...story.now(), share, secondsLeft };
    send({ kind: "now", run, ...now });
  };
  return {
    status: (status) => {
      if (status === "paused" || status === "idle") watch.stop();
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
      story.hear(event);
      send({ kind: "progress", run, event });
      tell();
    },
  };
}

type Story = { readonly hear: (event: ProgressEvent) => void; readonly now: () => Pick<Now, "sentence" | "part"> };

function createStory({ schedule, search }: ExperimentConfig): Story {
  let part: Now["part"] = "none";
  let sentence = "Getting ready.";
  let [step, round, rounds] = [0, 0, 0];
  let when = "before anything is learned";
  const hearRollouts = (event: Batch): void => {
    part = event.use;
    const soFar = `${count(event.done, event.total)} answers in, ${percent(event.reward)} right so far`;
    if (event.use === "weights")
      sentence = `Training step ${String(step + 1)} of ${String(schedule.totalSteps)}: ${soFar}.`;
    else if (event.use === "evaluation") sentence = `Measuring ${when}: ${soFar}.`;
    else if (round === 0) sentence = `Trying the current harness on the search's tasks: ${soFar}.`;
    else
      sentence = `Search round ${String(round)} of ${String(rounds)}, up to ${String(search.candidates)} new harnesses: ${soFar}.`;
  };
  const hear = (event: ProgressEvent): void => {
    switch (event.kind) {
      case "rollouts":
        hearRollouts(event);
        break;
      case "run-start":
        sentence = "Getting ready to measure the untrained model.";
        break;
      case "resumed":
        step = event.steps;
        sentence = `Going on after ${String(event.phases)} finished phases and ${String(event.steps)} training steps.`;
        break;
      case "phase-start":
        part = event.part;
        [round, rounds] = [0, event.length];
        sentence =
          event.part === "weights"
            ? `The weights' turn: ${String(event.length)} training steps with harness ${event.harness}.`
            : `The harness's turn: ${String(event.length)} rounds of new ideas, starting from ${event.harness}.`;
        break;
      case "rsft-step":
        step = event.step;
        sentence = event.skipped
          ? `Training step ${String(step)}: no answer was right, so there was nothing to learn from.`
          : `Training step ${String(step)} done: learned from ${count(event.accepted, event.rollouts)} answers, those that were right.`;
        break;
      case "candidate":
        break;
      case "search-iteration":
        round = event.iteration + 1;
        sentence = `Round ${String(event.iteration)} done: the best harness is ${event.best}, right on ${percent(event.bestReward)} of the search's tasks.`;
        break;
      case "phase-end":
        when = event.part === "weights" ? "what the training brought" : "what the new harness brought";
        break;
      case "evaluation":
        part = "evaluation";
        sentence = `Measured: ${percent(event.point.test.meanAt8)} of the test answers are right.`;
        break;
      case "run-end":
        part = "none";
        sentence = "The run is done.";
        break;
    }
  };
  return { hear, now: () => ({ sentence, part }) };
}

function count(part: number, whole: number): string {
  return `${String(part)} of ${String(whole)}`;
}

function percent(share: number): string {
  return `${String(Math.round(share * 100))} %`;
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
