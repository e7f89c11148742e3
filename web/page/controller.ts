/** What a person can do, done: calls to the worker, what they change in the state, and what the worker says by itself. */
import type { LabEvent } from "../protocol/messages.ts";
import type { RunListing } from "../protocol/runs.ts";
import { ProblemError, type Lab } from "../worker/client.ts";
import { choiceOf, type Look } from "./model/address.ts";
import { runTitle } from "./model/names.ts";
import { advanceRun, EMPTY_RUN, viewOfRecord, type RunView } from "./model/run-view.ts";
import { sourceOfLab } from "./model/source.ts";
import { createNotices, problemOf, type NoticeActions } from "./notices.ts";
import type { Recorded } from "./recorded.ts";
import { selectedPoint, type Actions, type PageState } from "./state.ts";
import type { Store } from "./store.ts";

/** What the controller needs. */
export type ControllerParts = { readonly store: Store<PageState>; readonly lab: Lab; readonly recorded: Recorded };

/** The controller: its actions, and what starts the worker. */
export type Controller = { readonly actions: Actions; readonly boot: () => Promise<void> };

/** Wires actions, store and worker. */
export function createController(parts: ControllerParts): Controller {
  const { store, lab } = parts;
  const notices = createNotices(store);
  const live = new LiveRuns();
  const tools: Tools = { ...parts, ...notices, live };
  const shown = createShowActions(tools);
  const runs = createRunActions(tools, shown);
  lab.listen((event) => {
    hear(tools, event);
  });
  const actions: Actions = {
    ...notices,
    ...shown,
    ...runs,
    ...createListActions(tools, shown),
    ...createLookActions(tools),
  };
  return { actions, boot: () => boot(tools, shown) };
}

type ShowActions = Pick<Actions, "show" | "toggleCompare" | "replay">;
type Tools = ControllerParts & NoticeActions & { readonly live: LiveRuns };

/** Views of runs that are under way, kept whether or not they are shown. */
class LiveRuns {
  readonly #views = new Map<string, RunView>();

  get(run: string): RunView | undefined {
    return this.#views.get(run);
  }

  set(run: string, view: RunView): void {
    this.#views.set(run, view);
  }

  drop(run: string): void {
    this.#views.delete(run);
  }
}

async function boot(tools: Tools, shown: ShowActions): Promise<void> {
  const { store, lab } = tools;
  const { device } = store.get().settings;
  try {
    const wanted = device === "webgpu" || device === "wasm-threads" || device === "wasm" ? { device } : {};
    const report = await lab.call("boot", wanted as { device?: "webgpu" | "wasm-threads" | "wasm" });
    store.set({ boot: { kind: "ready", report }, storage: report.storage });
    store.set({ runs: await lab.call("listRuns", {}) });
    offerUnfinished(tools, report.unfinished);
    const { look } = store.get();
    if (look.run !== "") shown.show(look.run);
    for (const run of look.compare) await addOverlay(tools, run);
  } catch (error) {
    const problem = problemOf(error);
    store.set({ boot: { kind: "failed", problem } });
    tools.report(error);
  }
}

function offerUnfinished(tools: Tools, unfinished: readonly RunListing[]): void {
  const [first] = unfinished;
  if (first === undefined) return;
  tools.notify({
    tone: "info",
    what: `“${runTitle(first)}” was not finished.`,
    more: "Everything up to its last finished step is stored.",
    action: {
      label: "Go on with it",
      run: () => {
        void resume(tools, first.run);
      },
    },
  });
}

function createShowActions(tools: Tools): ShowActions {
  const { store, recorded, lab } = tools;
  let turn = 0;
  const show = (run: string): void => {
    const mine = ++turn;
    recorded.halt();
    setLook(tools, { run, at: undefined, compare: store.get().look.compare.filter((other) => other !== run) });
    store.set({
      overlays: store.get().overlays.filter((overlay) => overlay.run !== run),
      group: "",
      ref: "",
      candidate: "",
      groups: [],
    });
    if (run === "") {
      recorded.show();
      return;
    }
    const known = tools.live.get(run);
    store.set({ source: sourceOfLab(lab, run), recorded: "", view: known ?? EMPTY_RUN });
    void (async () => {
      try {
        if (known === undefined) {
          const record = await lab.call("readRun", { run });
          if (mine !== turn) return;
          store.set({ view: tools.live.get(run) ?? viewOfRecord(record) });
        }
        const groups = await lab.call("listGroups", { run });
        if (mine === turn) store.set({ groups });
      } catch (error) {
        if (mine !== turn) return;
        tools.report(error);
        show("");
      }
    })();
  };
  return {
    show,
    replay: () => {
      recorded.replay();
    },
    toggleCompare: (run) => {
      const { compare } = store.get().look;
      if (compare.includes(run)) {
        setLook(tools, { compare: compare.filter((other) => other !== run) });
        store.set({ overlays: store.get().overlays.filter((overlay) => overlay.run !== run) });
      } else {
        setLook(tools, { compare: [...compare, run] });
        void addOverlay(tools, run);
      }
    },
  };
}

async function addOverlay({ store }: Tools, run: string): Promise<void> {
  const listing = store.get().runs.find((known) => known.run === run);
  if (listing === undefined || listing.curve.length === 0) return Promise.resolve();
  const others = store.get().overlays.filter((overlay) => overlay.run !== run);
  store.set({ overlays: [...others, { run, title: runTitle(listing), curve: listing.curve }] });
}

type RunActions = Pick<Actions, "run" | "pause" | "step" | "stop" | "resume">;

function createRunActions(tools: Tools, shown: ShowActions): RunActions {
  const { store, lab, report } = tools;
  const attempt = (work: () => Promise<unknown>): void => {
    work().catch(report);
  };
  const start = async (isPaused: boolean): Promise<void> => {
    store.set({ status: isPaused ? "stepping" : "running", now: undefined });
    try {
      void keepStorage(tools);
      const listing = await lab.call("startRun", { choice: choiceOf(store.get().settings), isPaused });
      // A short run may have ended before the answer to its start has come.
      if (store.get().status === "idle") shown.show(listing.run);
      else follow(tools, listing.run, shown);
    } catch (error) {
      store.set({ status: "idle" });
      report(error);
    }
  };
  return {
    run: () => {
      const { status, boot } = store.get();
      if (boot.kind !== "ready") return;
      if (status === "paused" || status === "pausing") attempt(() => lab.call("play", {}));
      else if (status === "idle") void start(false);
    },
    pause: () => {
      if (store.get().status === "running") attempt(() => lab.call("pause", {}));
    },
    step: () => {
      const { status, boot } = store.get();
      if (boot.kind !== "ready" || status === "stepping" || status === "stopping") return;
      attempt(async () => {
        if (status === "idle") await start(true);
        await lab.call("step", {});
      });
    },
    stop: () => {
      const { status } = store.get();
      if (status !== "idle" && status !== "stopping") attempt(() => lab.call("stop", {}));
    },
    resume: (run) => {
      void resume(tools, run);
    },
  };
}

/** Asks the browser to keep what runs store; only a page can, and only what was asked for by hand is granted. */
async function keepStorage({ store, lab, report }: Tools): Promise<void> {
  try {
    if (store.get().storage?.isPersistent === true) return;
    if (await navigator.storage.persist()) store.set({ storage: await lab.call("readStorage", {}) });
  } catch (error) {
    report(error);
  }
}

/** Shows a run that has just been started, from its first event on. */
function follow(tools: Tools, run: string, shown: ShowActions): void {
  if (tools.live.get(run) === undefined) tools.live.set(run, EMPTY_RUN);
  tools.store.set({ active: run });
  shown.show(run);
}

async function resume(tools: Tools, run: string): Promise<void> {
  const { store, lab, report, live } = tools;
  try {
    // Read first: the events that come after are laid over what the folder holds.
    live.set(run, viewOfRecord(await lab.call("readRun", { run })));
    await lab.call("resumeRun", { run });
    store.set({ active: run });
    setLook(tools, { run, at: undefined });
    store.set({
      source: sourceOfLab(lab, run),
      recorded: "",
      view: live.get(run) ?? EMPTY_RUN,
      groups: await lab.call("listGroups", { run }),
    });
  } catch (error) {
    live.drop(run);
    report(error);
  }
}

type ListActions = Pick<Actions, "rename" | "remove" | "exportRun" | "importRun">;

function createListActions(tools: Tools, shown: ShowActions): ListActions {
  const { store, lab, report, notify } = tools;
  const refresh = async (): Promise<void> => {
    store.set({ runs: await lab.call("listRuns", {}), storage: await lab.call("readStorage", {}) });
  };
  return {
    rename: (run, title) => {
      lab.call("renameRun", { run, title }).then(refresh).catch(report);
    },
    remove: (run) => {
      const listing = store.get().runs.find((known) => known.run === run);
      const title = listing === undefined ? run : runTitle(listing);
      const undo = (): void => {
        lab.call("restoreRun", { run }).then(refresh).catch(report);
      };
      lab
        .call("deleteRun", { run })
        .then(async () => {
          if (store.get().look.run === run) shown.show("");
          await refresh();
          notify({ tone: "info", what: `“${title}” is deleted.`, more: "", action: { label: "Undo", run: undo } });
        })
        .catch(report);
    },
    exportRun: (run) => {
      lab
        .call("exportRun", { run })
        .then(({ fileName, bytes }) => {
          download(fileName, bytes);
        })
        .catch(report);
    },
    importRun: (file) => {
      file
        .arrayBuffer()
        .then((buffer) => lab.call("importRun", { fileName: file.name, bytes: new Uint8Array(buffer) }))
        .then(async (listing) => {
          await refresh();
          shown.show(listing.run);
        })
        .catch(report);
    },
  };
}

function download(fileName: string, bytes: Uint8Array): void {
  const url = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type: "application/zip" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = fileName;
  link.click();
  setTimeout(() => {
    URL.revokeObjectURL(url);
  }, 10_000);
}

type LookActions = Omit<Actions, keyof NoticeActions | keyof ShowActions | keyof RunActions | keyof ListActions>;

function createLookActions(tools: Tools): LookActions {
  const { store } = tools;
  const openPoint = (): void => {
    const state = store.get();
    const at = selectedPoint(state);
    const point = at === undefined ? undefined : state.view.curve[at];
    const found =
      point &&
      state.groups.findLast(
        ({ use, split, step, harness }) =>
          use === "evaluation" && split === "test" && step === point.step && harness === point.harness,
      );
    // A state that was measured before is not measured again, so its point has no rollouts of its own.
    const opened = found ?? (point && state.group === "" ? state.groups.at(-1) : undefined);
    if (opened !== undefined && opened.group !== state.group) store.set({ group: opened.group, ref: "" });
    // Before the first point there is the harness that every run begins with.
    if (point !== undefined || state.candidate === "") store.set({ candidate: point?.harness ?? "h0" });
  };
  const selectPoint = (index: number | undefined): void => {
    setLook(tools, { at: index });
    openPoint();
  };
  // What is shown beside the curve follows the newest point until one is chosen.
  store.watch(
    ({ groups, view }) => [groups, view.curve],
    () => {
      const { look, group } = store.get();
      if (look.at === undefined || group === "") openPoint();
      else if (store.get().candidate === "") store.set({ candidate: "h0" });
    },
  );
  return {
    choose: (change) => {
      store.set({ settings: { ...store.get().settings, ...change } });
    },
    override: (path, value) => {
      const { settings } = store.get();
      const others = Object.fromEntries(Object.entries(settings.overrides).filter(([known]) => known !== path));
      store.set({ settings: { ...settings, overrides: value === undefined ? others : { ...others, [path]: value } } });
    },
    look: (change) => {
      setLook(tools, change);
    },
    selectPoint,
    movePoint: (by) => {
      const state = store.get();
      const at = selectedPoint(state);
      if (at === undefined) return;
      const next = Math.max(0, Math.min(state.view.curve.length - 1, at + by));
      selectPoint(next);
    },
    selectStep: (step) => {
      const found = store.get().groups.find((group) => group.use === "weights" && group.step === step);
      if (found === undefined) return;
      setLook(tools, { tab: "transcript" });
      store.set({ group: found.group, ref: "" });
    },
    openGroup: (group) => {
      store.set({ group, ref: "" });
    },
    openRollout: (ref) => {
      store.set({ ref });
    },
    openCandidate: (name) => {
      store.set({ candidate: name });
    },
  };
}

function setLook({ store }: Pick<Tools, "store">, change: Partial<Look>): void {
  store.set({ look: { ...store.get().look, ...change } });
}

/** Takes what the worker says by itself. */
function hear(tools: Tools, event: LabEvent): void {
  const { store, live } = tools;
  switch (event.kind) {
    case "booting":
      if (store.get().boot.kind === "starting")
        store.set({ boot: { kind: "starting", share: event.share, what: event.what } });
      return;
    case "progress": {
      const view = advanceRun(live.get(event.run) ?? EMPTY_RUN, event.event);
      live.set(event.run, view);
      if (store.get().look.run === event.run) store.set({ view });
      return;
    }
    case "now":
      if (store.get().active === event.run) store.set({ now: event });
      return;
    case "status":
      store.set({ status: event.status, active: event.status === "idle" ? "" : event.run });
      return;
    case "runs":
      store.set({ runs: event.runs });
      return;
    case "group": {
      if (store.get().look.run !== event.run) return;
      const others = store.get().groups.filter(({ group }) => group !== event.group.group);
      store.set({ groups: [...others, event.group] });
      return;
    }
    case "storage":
      store.set({ storage: event.storage });
      return;
    case "problem":
      tools.report(new ProblemError(event.problem));
      return;
    case "done":
      store.set({ active: "", status: "idle" });
      live.drop(event.run);
      if (store.get().look.run === event.run) refreshShown(tools, event.run);
  }
}

/** Reads a run that has ended from its folder, so that what is shown is what was stored. */
function refreshShown({ store, lab, report }: Tools, run: string): void {
  lab
    .call("readRun", { run })
    .then((record) => {
      if (store.get().look.run === run) store.set({ view: { ...viewOfRecord(record), last: store.get().view.last } });
    })
    .catch(report);
}
