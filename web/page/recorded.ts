/** The run that comes with the page: loaded after the first paint, and shown as it went, quietly, from its first event. */
import type { RunEvent } from "../../src/index.ts";
import { advanceRun, EMPTY_RUN, viewOf } from "./model/run-view.ts";
import { sourceOfRecording, type Recording, type RunSource } from "./model/source.ts";
import type { PageState } from "./state.ts";
import type { Store } from "./store.ts";

/** Milliseconds of the whole replay, about. */
const REPLAY_MS = 14_000;

/** The recorded run. */
export type Recorded = {
  /** Loads it where that is not done, and shows it. */
  readonly show: () => void;
  /** Shows it from its start, event by event. */
  readonly replay: () => void;
  /** Ends a replay that is going on. */
  readonly halt: () => void;
};

/** What a recorded run needs. */
export type RecordedOptions = {
  readonly url: string;
  /** Whether motion is unwanted, so that the end is shown at once. */
  readonly isStill: () => boolean;
  readonly report: (error: unknown) => void;
};

/** A recorded run that is shown in `store`. */
export function createRecorded(store: Store<PageState>, { url, isStill, report }: RecordedOptions): Recorded {
  let loaded: { readonly recording: Recording; readonly source: RunSource } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hasPlayed = false;
  const halt = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (store.get().isReplaying) store.set({ isReplaying: false });
  };
  const load = async (): Promise<NonNullable<typeof loaded>> => {
    if (loaded !== undefined) return loaded;
    const response = await fetch(url);
    if (!response.ok)
      throw new TypeError(`The recorded run could not be loaded (${String(response.status)}). Run your own instead.`);
    const recording = (await response.json()) as Recording;
    loaded = { recording, source: sourceOfRecording(recording) };
    return loaded;
  };
  const open = async (isPlayed: boolean): Promise<void> => {
    const { recording, source } = await load();
    if (store.get().look.run !== "") return;
    halt();
    store.set({ source, recorded: recording.about, groups: await source.listGroups(), overlays: store.get().overlays });
    if (isPlayed && !isStill()) play(recording.events);
    else store.set({ view: viewOf(recording.events) });
  };
  const play = (events: readonly RunEvent[]): void => {
    const beat = REPLAY_MS / Math.max(1, events.length);
    // The base is known from the start: a picture with nothing in it would say nothing.
    let done = 1 + events.findIndex(({ kind }) => kind === "evaluation");
    let view = viewOf(events.slice(0, done));
    store.set({ view, isReplaying: true });
    const next = (): void => {
      const event = events[done];
      if (event === undefined || store.get().look.run !== "") {
        halt();
        return;
      }
      view = advanceRun(view, event);
      done += 1;
      store.set({ view });
      timer = setTimeout(next, event.kind === "candidate" ? beat / 3 : event.kind === "evaluation" ? 2 * beat : beat);
    };
    timer = setTimeout(next, beat);
  };
  return {
    show: () => {
      const isFirst = !hasPlayed && store.get().look.at === undefined;
      hasPlayed = true;
      open(isFirst).catch(report);
    },
    replay: () => {
      store.set({ look: { ...store.get().look, at: undefined }, view: EMPTY_RUN });
      open(true).catch(report);
    },
    halt,
  };
}
