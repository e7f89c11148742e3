/** The list of runs: show, lay over each other, rename, delete with undo, export and import. */
import type { RunListing } from "../../protocol/runs.ts";
import { h, type Child } from "../dom.ts";
import { bytes, wholePercent } from "../format.ts";
import { runTitle, splitTitle } from "../model/names.ts";
import type { App, PageState } from "../state.ts";

/** The panel with the list. */
export function createRuns(app: App): HTMLElement {
  const { store, actions } = app;
  const list = h("ul", { class: "run-list" });
  const file = h("input", {
    type: "file",
    accept: ".zip,application/zip",
    class: "visually-hidden",
    tabindex: "-1",
    "aria-label": "Zip of a run",
    onchange: () => {
      const chosen = file.files?.[0];
      if (chosen !== undefined) actions.importRun(chosen);
      file.value = "";
    },
  });
  const importButton = h(
    "button",
    {
      type: "button",
      class: "button small",
      onclick: () => {
        file.click();
      },
      title: "A zip of a run folder, from here or from the command line",
    },
    "Import",
  );
  let kept = new Map<string, HTMLElement>();
  store.watch(
    ({ runs, look, view, boot, active, status }) => [
      runs,
      look.run,
      look.compare,
      active !== "" && active === look.run && view.curve,
      boot.kind,
      status === "idle",
    ],
    () => {
      // A name that is being typed is not taken away by a redraw.
      if (list.querySelector("input[data-rename]") !== null) return;
      const drawn = itemsOf(app, kept);
      // An item that shows what it showed before keeps its focus and its open menu.
      const items = [...drawn.values()];
      if (items.length !== list.children.length || items.some((item, i) => list.children[i] !== item))
        list.replaceChildren(...items);
      kept = drawn;
    },
  );
  return h(
    "section",
    { class: "panel runs", "aria-labelledby": "runs-title" },
    h("div", { class: "panel-head" }, h("h2", { id: "runs-title" }, "Runs"), file, importButton),
    list,
  );
}

/** All that the item of a run shows. */
function lookOf(run: RunListing, { look, status }: PageState): string {
  return JSON.stringify([run, look.run === run.run, look.compare.includes(run.run), status === "idle"]);
}

/** The items of the list by all that each shows; those of `kept` that still show the same are taken from there. */
function itemsOf(app: App, kept: ReadonlyMap<string, HTMLElement>): Map<string, HTMLElement> {
  const state = app.store.get();
  const items = new Map<string, HTMLElement>();
  const put = (look: string, draw: () => HTMLElement): void => {
    items.set(look, kept.get(look) ?? draw());
  };
  put(`recorded ${String(state.look.run === "")}`, () => drawRecorded(app));
  for (const listing of state.runs) {
    const run = fresh(listing, state);
    put(lookOf(run, state), () => drawRun(run, app));
  }
  const text =
    state.runs.length > 0
      ? "Tick a run to lay its curve over the shown one."
      : state.boot.kind === "failed"
        ? "Your runs cannot be read now."
        : "Your runs appear here. They stay in this browser and survive closing the tab.";
  put(text, () => h("li", { class: state.runs.length > 0 ? "quiet hint" : "empty" }, text));
  return items;
}

/** A run as it stands now: the list is read when runs begin and end, the shown one is known by the event. */
function fresh(run: RunListing, { view, active, look }: PageState): RunListing {
  return run.run === active && run.run === look.run && view.curve.length > 0 ? { ...run, curve: view.curve } : run;
}

function drawRecorded({ store, actions }: App): HTMLElement {
  const { look } = store.get();
  const isShown = look.run === "";
  return h(
    "li",
    { class: `run-item${isShown ? " is-shown" : ""}` },
    h(
      "button",
      {
        type: "button",
        class: "run-name",
        "aria-current": isShown ? "true" : undefined,
        onclick: () => {
          actions.show("");
        },
      },
      h("b", {}, "A recorded run"),
      h("small", {}, "comes with the page"),
    ),
  );
}

const STATUS_WORDS: Readonly<Record<RunListing["status"], string>> = {
  done: "done",
  unfinished: "not finished",
  active: "under way",
  "other-tab": "open in another tab",
  damaged: "damaged",
};

function drawRun(run: RunListing, app: App): HTMLElement {
  const { look } = app.store.get();
  const isShown = look.run === run.run;
  const isOver = look.compare.includes(run.run);
  const title = runTitle(run);
  const [name, more] = splitTitle(run);
  const item = h("li", {
    class: `run-item${isShown ? " is-shown" : ""}`,
    "data-run": run.run,
    "data-status": run.status,
  });
  item.append(
    h(
      "button",
      {
        type: "button",
        class: "run-name",
        "aria-current": isShown ? "true" : undefined,
        onclick: () => {
          app.actions.show(run.run);
        },
      },
      h("b", { title }, name),
      more === "" ? null : h("small", {}, more),
      h("small", {}, describeRun(run)),
    ),
    h(
      "label",
      { class: "compare", title: isShown ? "This run is the one that is shown" : "Lay its curve over the shown one" },
      h("input", {
        type: "checkbox",
        checked: isOver,
        disabled: isShown || run.curve.length === 0,
        "aria-label": `Compare ${title}`,
        onchange: () => {
          app.actions.toggleCompare(run.run);
        },
      }),
    ),
    createMenu(run, item, app),
  );
  return item;
}

function describeRun(run: RunListing): string {
  if (run.status === "damaged") return run.problem === "" ? "damaged" : run.problem;
  const points = run.curve;
  const base = points[0];
  const best = points.reduce<(typeof points)[number] | undefined>(
    (top, point) => (top === undefined || point.validation.meanAt8 > top.validation.meanAt8 ? point : top),
    undefined,
  );
  const figures =
    base === undefined || best === undefined
      ? "not measured yet"
      : `${wholePercent(base.test.meanAt8)} → ${wholePercent(best.test.meanAt8)}`;
  return run.status === "done" ? figures : `${figures}, ${STATUS_WORDS[run.status]}`;
}

let lastMenu = 0;

function createMenu(run: RunListing, item: HTMLElement, { actions, store }: App): HTMLElement {
  lastMenu += 1;
  const id = `run-menu-${String(lastMenu)}`;
  const isBusy = run.status === "active" || run.status === "other-tab";
  const reason = run.status === "active" ? "It is under way; stop it first." : "It is open in another tab.";
  const entry = (words: Child, onPress: () => void, why = ""): HTMLElement =>
    h(
      "button",
      {
        type: "button",
        class: "menu-item",
        disabled: why !== "",
        title: why,
        onclick: () => {
          panel.hidePopover();
          onPress();
        },
      },
      words,
    );
  const panel = h(
    "div",
    { id, popover: "auto", class: "popover menu" },
    run.status === "unfinished" &&
      entry(
        "Go on with it",
        () => {
          actions.resume(run.run);
        },
        store.get().status === "idle" ? "" : "Another run is under way.",
      ),
    entry("Rename", () => {
      startRename(run, item, actions.rename);
    }),
    entry(
      "Export as zip",
      () => {
        actions.exportRun(run.run);
      },
      run.status === "other-tab" ? reason : "",
    ),
    entry(
      "Delete",
      () => {
        actions.remove(run.run);
      },
      isBusy ? reason : "",
    ),
    h(
      "p",
      { class: "quiet" },
      `${bytes(run.bytes)}, ${run.domain}, ${run.condition}, ${run.preset}, seed ${String(run.seed)}`,
    ),
  );
  return h(
    "div",
    { class: "menu-box" },
    h(
      "button",
      { type: "button", class: "button quiet more", popovertarget: id, "aria-label": `More on ${runTitle(run)}` },
      "⋯",
    ),
    panel,
  );
}

function startRename(run: RunListing, item: HTMLElement, rename: (run: string, title: string) => void): void {
  const name = item.querySelector(".run-name");
  if (name === null) return;
  let isOver = false;
  const end = (isKept: boolean): void => {
    if (isOver) return;
    isOver = true;
    const title = input.value.trim();
    input.replaceWith(name);
    if (isKept && title !== "" && title !== runTitle(run)) rename(run.run, title);
    if (name instanceof HTMLElement) name.focus();
  };
  const input = h("input", {
    type: "text",
    class: "rename",
    "data-rename": true,
    "aria-label": `New name of ${runTitle(run)}`,
    maxlength: 80,
    onkeydown: (event) => {
      if (event.key === "Enter") end(true);
      if (event.key === "Escape") end(false);
    },
    onblur: () => {
      end(true);
    },
  });
  input.value = runTitle(run);
  name.replaceWith(input);
  input.focus();
  input.select();
}
