/** The right column: what the model wrote, what the harness is, and what the page means, as tabs. */
import { h } from "../dom.ts";
import { INSPECTOR_TABS, type InspectorTab } from "../model/address.ts";
import type { App } from "../state.ts";
import { createGuide } from "./guide.ts";
import { createHarness } from "./harness.ts";
import { createWiden } from "./inspector-width.ts";
import { createTranscript } from "./transcript.ts";

const TAB_WORDS: Readonly<Record<InspectorTab, string>> = {
  transcript: "Transcript",
  harness: "Harness",
  about: "How to read this",
};

/** What the tabs hold, each made when it is first shown. */
const CONTENTS: Readonly<Record<InspectorTab, (app: App) => HTMLElement>> = {
  transcript: createTranscript,
  harness: createHarness,
  about: createGuide,
};

/** The inspector. */
export function createInspector(app: App): HTMLElement {
  const { store, actions } = app;
  const tabs = INSPECTOR_TABS.map((tab, i) =>
    h(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${tab}`,
        "aria-controls": `panel-${tab}`,
        "aria-keyshortcuts": String(i + 1),
        onclick: () => {
          actions.look({ tab });
        },
      },
      TAB_WORDS[tab],
    ),
  );
  const panels = INSPECTOR_TABS.map((tab) =>
    h("div", {
      role: "tabpanel",
      id: `panel-${tab}`,
      "aria-labelledby": `tab-${tab}`,
      class: "tab-panel",
      tabindex: 0,
    }),
  );
  const wide = createWiden();
  const list = h(
    "div",
    {
      class: "tabs",
      role: "tablist",
      "aria-label": "Inspector",
      onkeydown: (event) => {
        const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        const at = INSPECTOR_TABS.indexOf(store.get().look.tab);
        const next = INSPECTOR_TABS[(at + by + INSPECTOR_TABS.length) % INSPECTOR_TABS.length] ?? "transcript";
        actions.look({ tab: next });
        tabs[INSPECTOR_TABS.indexOf(next)]?.focus();
      },
    },
    tabs,
  );
  store.watch(
    ({ look }) => [look.tab],
    ([chosen]) => {
      INSPECTOR_TABS.forEach((tab, i) => {
        tabs[i]?.setAttribute("aria-selected", String(tab === chosen));
        tabs[i]?.setAttribute("tabindex", tab === chosen ? "0" : "-1");
        const panel = panels[i];
        if (panel === undefined) return;
        panel.hidden = tab !== chosen;
        if (tab === chosen && panel.firstChild === null) panel.append(CONTENTS[tab](app));
      });
    },
  );
  return h(
    "aside",
    { class: "inspector", "aria-label": "Inspector" },
    h("div", { class: "tab-bar" }, list, wide),
    panels,
  );
}
