/** What a person can do, done: calls to the worker, what they change in the state, and what the worker says by itself. */
import type { LabEvent } from "../protocol/messages.ts";
import type { RunListing } from "../protocol/runs.ts";
import { ProblemError } from "../worker/port.ts";
import { createLookActions } from "./look-actions.ts";
import { choiceOf } from "./model/address.ts";
import { runTitle } from "./model/names.ts";
import { advanceRun, EMPTY_RUN, viewOfRecord } from "./model/run-view.ts";
import { sourceOfLab } from "./model/source.ts";
import { createNotices, problemOf } from "./notices.ts";
import type { Actions } from "./state.ts";
import { setLook, type ControllerParts, type ShowActions, type Tools } from "./tools.ts";

/** The controller: its actions, and what starts the worker. */
export type Controller = { readonly actions: Actions; readonly boot: () => Promise<void> };

/** Wires actions, store and worker. */
export function createController(parts: ControllerParts): Controller {
  const { store, lab } = parts;
  const notices = createNotices(store);
  const tools: Tools = { ...parts, ...notices, live: new Map() };
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

async function boot(tools: Tools, shown: ShowActions): Promise<void> {
  const { store, lab } = tools;
  const { device } = store.get().settings;
  try {
    const wanted = device === "webgpu" || device === "wasm-threads" || device === "wasm" ? { device } : {};
    const report = await lab.call("boot", wanted as { device?: "webgpu" | "wasm-threads" | "wasm" });
    store.set({ boot: { kind: "ready", report }, storage: report.storage });
    store.set({ runs: await lab.call("listRuns", {}) });
    offerUnfinished(tools, report.unfinished, shown);
    const { look } = store.get();
    if (look.run !== "") shown.show(look.run);
    for (const run of look.compare) await addOverlay(tools, run);
  } catch (error) {
    const problem = problemOf(error);
    store.set({ boot: { kind: "failed", problem } });
    tools.report(error);
  }
}

function offerUnfinished(tools: Tools, unfinished: readonly RunListing[], shown: ShowActions): void {
  const [first] = unfinished;
  if (first === undefined) return;
  tools.notify({
    tone: "info",
    what: `“${runTitle(first)}” was not finished.`,
    more: "Everything up to its last finished step is stored.",
    action: {
      label: "Go on with it",
      run: () => {
        void resume(tools, first.run, shown);
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
  /** Whether a run was started. */
  const start = async (isPaused: boolean): Promise<boolean> => {
    store.set({ status: isPaused ? "stepping" : "running", now: undefined });
    try {
      void keepStorage(tools);
      const listing = await lab.call("startRun", { choice: choiceOf(store.get().settings), isPaused });
      follow(tools, listing.run, shown);
      return true;
    } catch (error) {
      store.set({ status: "idle" });
      report(error);
      return false;
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
        if (status !== "idle" || (await start(true))) await lab.call("step", {});
      });
    },
    stop: () => {
      const { status } = store.get();
      if (status !== "idle" && status !== "stopping") attempt(() => lab.call("stop", {}));
    },
    resume: (run) => {
      void resume(tools, run, shown);
    },
  };
}

/** Asks the browser to keep what runs store; only a page can, and only what was asked for by hand is granted. */
async function keepStorage({ store, lab, report, browser }: Tools): Promise<void> {
  try {
    if (store.get().storage?.isPersistent === true) return;
    if (await browser.persist()) store.set({ storage: await lab.call("readStorage", {}) });
  } catch (error) {
    report(error);
  }
}

/** Shows a run that has just been started or gone on with. A short one may have ended before the answer to that came. */
function follow({ store, live }: Tools, run: string, shown: ShowActions): void {
  if (store.get().status !== "idle") {
    if (live.get(run) === undefined) live.set(run, EMPTY_RUN);
    store.set({ active: run });
  }
  shown.show(run);
}

async function resume(tools: Tools, run: string, shown: ShowActions): Promise<void> {
  const { lab, report, live } = tools;
  try {
    // Read first: the events that come after are laid over what the folder holds.
    live.set(run, viewOfRecord(await lab.call("readRun", { run })));
    await lab.call("resumeRun", { run });
    follow(tools, run, shown);
  } catch (error) {
    live.delete(run);
    report(error);
  }
}

type ListActions = Pick<Actions, "rename" | "remove" | "exportRun" | "importRun">;

function createListActions(tools: Tools, shown: ShowActions): ListActions {
  const { store, lab, report, notify, browser } = tools;
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
          browser.save(fileName, bytes);
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
      live.delete(event.run);
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
