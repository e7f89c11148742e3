/** What the page knows: the type of its one store, and where it begins. */
import type { CurvePoint } from "../../src/index.ts";
import type { BootReport, Problem, StorageState } from "../protocol/lab.ts";
import type { RunStatus } from "../protocol/messages.ts";
import type { RolloutGroup } from "../protocol/rollouts.ts";
import type { RunListing } from "../protocol/runs.ts";
import type { Lab } from "../worker/port.ts";
import { FIRST_LOOK, FIRST_SETTINGS, type Look, type Settings } from "./model/address.ts";
import type { Listing } from "./model/reading.ts";
import { EMPTY_RUN, type RunView } from "./model/run-view.ts";
import type { RunSource } from "./model/source.ts";
import type { Store } from "./store.ts";

/** How far the worker has come. */
export type BootState =
  | { readonly kind: "starting"; readonly share: number; readonly what: string }
  | { readonly kind: "ready"; readonly report: BootReport }
  | { readonly kind: "failed"; readonly problem: Problem };

/** A message that stays until it is closed or undone. */
export type Notice = {
  readonly id: number;
  readonly tone: "problem" | "info";
  readonly what: string;
  /** What is safe and what to do next; empty where the first line says it all. */
  readonly more: string;
  readonly action: { readonly label: string; readonly run: () => void } | undefined;
};

/** A run laid over the shown one. */
export type Overlay = { readonly run: string; readonly title: string; readonly curve: readonly CurvePoint[] };

/** How far the run under way has come. */
export type Now = {
  readonly share: number;
  readonly secondsLeft: number | undefined;
};

/** The state of the page. */
export type PageState = {
  readonly settings: Settings;
  readonly look: Look;
  readonly boot: BootState;
  readonly runs: readonly RunListing[];
  /** The run that the worker works on; empty where there is none. */
  readonly active: string;
  readonly status: RunStatus;
  readonly now: Now | undefined;
  readonly storage: StorageState | undefined;
  /** The run that is shown. */
  readonly view: RunView;
  readonly source: RunSource | undefined;
  /** What the recorded run is; empty where a real one is shown. */
  readonly recorded: string;
  readonly isReplaying: boolean;
  readonly groups: readonly RolloutGroup[];
  /** Group and rollout in the transcript tab. */
  readonly group: string;
  readonly ref: string;
  /** How far the list of that group has come. */
  readonly listing: Listing;
  /** Harness in the harness tab. */
  readonly candidate: string;
  readonly overlays: readonly Overlay[];
  readonly notices: readonly Notice[];
  readonly isOnline: boolean;
  /** Counts changes of theme, so that what is drawn by hand is drawn again. */
  readonly themeTurn: number;
};

/** Where the page begins. */
export const FIRST_STATE: PageState = {
  settings: FIRST_SETTINGS,
  look: FIRST_LOOK,
  boot: { kind: "starting", share: 0, what: "Starting" },
  runs: [],
  active: "",
  status: "idle",
  now: undefined,
  storage: undefined,
  view: EMPTY_RUN,
  source: undefined,
  recorded: "",
  isReplaying: false,
  groups: [],
  group: "",
  ref: "",
  listing: { kind: "none" },
  candidate: "",
  overlays: [],
  notices: [],
  isOnline: true,
  themeTurn: 0,
};

/** What every panel gets. */
export type App = {
  readonly store: Store<PageState>;
  readonly lab: Lab;
  readonly actions: Actions;
};

/** What a person can do; panels call these, and nothing else changes a run. */
export type Actions = {
  readonly run: () => void;
  readonly pause: () => void;
  readonly step: () => void;
  readonly stop: () => void;
  readonly resume: (run: string) => void;
  /** Shows a run; empty shows the recorded one. */
  readonly show: (run: string) => void;
  readonly toggleCompare: (run: string) => void;
  readonly rename: (run: string, title: string) => void;
  readonly remove: (run: string) => void;
  readonly exportRun: (run: string) => void;
  readonly importRun: (file: File) => void;
  readonly choose: (change: Partial<Settings>) => void;
  readonly override: (path: string, value: string | undefined) => void;
  readonly look: (change: Partial<Look>) => void;
  /** Selects a point of the curve; undefined follows the newest. */
  readonly selectPoint: (index: number | undefined) => void;
  /** Selects the point that many later (or earlier) than the present one. */
  readonly movePoint: (by: number) => void;
  /** Opens the rollouts of training step `step`. */
  readonly selectStep: (step: number) => void;
  readonly openGroup: (group: string) => void;
  readonly openRollout: (ref: string) => void;
  readonly openCandidate: (name: string) => void;
  readonly replay: () => void;
  /** Tells a problem where it can be seen. */
  readonly report: (error: unknown) => void;
  readonly notify: (notice: Omit<Notice, "id">) => void;
  readonly dismiss: (id: number) => void;
};

/** Index of the point that the page looks at: the one selected, or the newest. */
export function selectedPoint({ view, look }: Pick<PageState, "view" | "look">): number | undefined {
  const last = view.curve.length - 1;
  if (last < 0) return undefined;
  return look.at === undefined ? last : Math.min(look.at, last);
}
