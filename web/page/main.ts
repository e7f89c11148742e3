/** The page, put together: state, worker, panels, address, theme, keys. */
import "uplot/dist/uPlot.min.css";
import "../styles/page.css";
import { registerOffline } from "../service-worker-register.ts";
import { openLab } from "../worker/client.ts";
import { browserTools } from "./browser-tools.ts";
import { createController } from "./controller.ts";
import { h } from "./dom.ts";
import { listenToKeys } from "./keyboard.ts";
import { readAddress, writeAddress, type Theme } from "./model/address.ts";
import { DOMAIN_NAMES } from "./model/names.ts";
import { createCentre } from "./panels/centre.ts";
import { drawKeys } from "./panels/guide.ts";
import { createInspector } from "./panels/inspector.ts";
import { createNotices } from "./panels/notices.ts";
import { createRuns } from "./panels/runs.ts";
import { createSchedule } from "./panels/schedule.ts";
import { createTopBar } from "./panels/top-bar.ts";
import { createRecorded } from "./recorded.ts";
import { FIRST_STATE, type App, type PageState } from "./state.ts";
import { nextFrame, nextTask } from "./frames.ts";
import { createStore, type Store } from "./store.ts";
import recordedUrl from "./recorded-run.json?url";

function start(): void {
  const { settings, look, problems } = readAddress(location.search, Object.keys(DOMAIN_NAMES));
  const lab = openLab();
  const store = createStore<PageState>(
    { ...FIRST_STATE, settings, look, isOnline: navigator.onLine },
    { later: nextFrame, breathe: nextTask, clock: () => performance.now() },
  );
  const recorded = createRecorded(store, {
    url: recordedUrl,
    isStill: () => matchMedia("(prefers-reduced-motion: reduce)").matches,
    report: (error) => {
      actions.report(error);
    },
  });
  const { actions, boot } = createController({ store, lab, recorded, browser: browserTools });
  const app: App = { store, lab, actions };
  watchTheme(store);
  // The address comes last in a round: what it says stands on the page by then.
  build(app).then(() => {
    watchAddress(store);
  }, actions.report);
  watchDevice(store);
  for (const what of problems)
    actions.notify({
      tone: "problem",
      what: `The address says something that is not known: ${what}.`,
      more: "The rest of it is used.",
      action: undefined,
    });
  if (look.run === "") recorded.show();
  void boot().then(registerOffline);
  addEventListener("online", () => {
    store.set({ isOnline: true });
  });
  addEventListener("offline", () => {
    store.set({ isOnline: false });
  });
  addEventListener("error", (event) => {
    actions.report(event.error ?? event.message);
  });
  addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    actions.report(event.reason);
  });
}

/** The parts of the page, each built in a task of its own: the frame first, then the curve, then what stands beside it. */
async function build(app: App): Promise<void> {
  const help = createHelp();
  const left = h("nav", { class: "left", "aria-label": "Runs and settings" });
  const columns = h("div", { class: "columns" }, left);
  const root = document.querySelector("#page");
  root?.replaceChildren(
    h("a", { class: "skip", href: "#centre" }, "Skip to the curve"),
    createTopBar(app),
    columns,
    createNotices(app),
    help,
  );
  listenToKeys(app.store, app.actions, () => {
    help.showModal();
  });
  const parts: readonly (() => void)[] = [
    () => {
      columns.append(createCentre(app));
    },
    () => {
      columns.append(createInspector(app));
    },
    () => {
      left.append(createRuns(app));
    },
    () => {
      left.append(createSchedule(app));
    },
  ];
  for (const part of parts) {
    await new Promise<void>(nextTask);
    part();
  }
}

function createHelp(): HTMLDialogElement {
  const dialog: HTMLDialogElement = h(
    "dialog",
    { class: "help", "aria-labelledby": "help-title" },
    h("h2", { id: "help-title" }, "Keys"),
    drawKeys(),
    h(
      "button",
      {
        type: "button",
        class: "button",
        autofocus: true,
        onclick: () => {
          dialog.close();
        },
      },
      "Close",
    ),
  );
  return dialog;
}

/** The theme is an attribute of the root; `system` follows the machine, also when it changes in the evening. */
function watchTheme(store: Store<PageState>): void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const apply = (theme: Theme): void => {
    const isDark = theme === "dark" || (theme === "system" && dark.matches);
    document.documentElement.dataset["theme"] = isDark ? "dark" : "light";
    store.set({ themeTurn: store.get().themeTurn + 1 });
  };
  store.watch(
    ({ look }) => [look.theme],
    ([theme]) => {
      apply(theme);
    },
  );
  dark.addEventListener("change", () => {
    apply(store.get().look.theme);
  });
}

function watchAddress(store: Store<PageState>): void {
  store.watch(
    ({ settings, look }) => [settings, look],
    ([settings, look]) => {
      const query = writeAddress(settings, look);
      if (query !== location.search) history.replaceState(null, "", query + location.hash);
    },
  );
}

/** Another device needs another worker; a page that loads anew is the plainest way to one. */
function watchDevice(store: Store<PageState>): void {
  const first = store.get().settings.device;
  store.watch(
    ({ settings }) => [settings.device],
    ([device]) => {
      if (device === first) return;
      setTimeout(() => {
        location.reload();
      }, 300);
    },
  );
}

// In a task of its own, after the one in which the script was read.
nextTask(start);
