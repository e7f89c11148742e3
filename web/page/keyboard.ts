/** The keys of the page. They are silent where a key means something else: in fields, lists, trees and the editor. */
import type { Store } from "./store.ts";
import { INSPECTOR_TABS } from "./model/address.ts";
import { commandOf, type KeyCommand } from "./model/keys.ts";
import type { Actions, PageState } from "./state.ts";

/** Listens to the keys of the page. */
export function listenToKeys(store: Store<PageState>, actions: Actions, showHelp: () => void): void {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented) return;
    const target = event.target instanceof Element ? event.target : document.body;
    const command = commandOf({
      key: event.key,
      hasModifier: event.ctrlKey || event.metaKey || event.altKey,
      isTyping:
        target.closest(
          "input:not([type=radio]):not([type=checkbox]), select, textarea, [contenteditable=true], .cm-editor, dialog",
        ) !== null,
      isOnButton: target.closest("button, a, summary, [role=button], [role=option], [role=treeitem], input") !== null,
    });
    if (command === undefined) return;
    // Arrow keys choose among radio buttons.
    if (command.kind === "move" && target.closest("input[type=radio]") !== null) return;
    event.preventDefault();
    obey(command, { store, actions, showHelp });
  });
}

type Obeyed = { readonly store: Store<PageState>; readonly actions: Actions; readonly showHelp: () => void };

function obey(command: KeyCommand, { store, actions, showHelp }: Obeyed): void {
  switch (command.kind) {
    case "run-or-pause":
      if (store.get().status === "running") actions.pause();
      else actions.run();
      return;
    case "step":
      actions.step();
      return;
    case "help":
      showHelp();
      return;
    case "tab": {
      const tab = INSPECTOR_TABS[command.index];
      if (tab !== undefined) actions.look({ tab });
      return;
    }
    case "move":
      actions.movePoint(command.by);
  }
}
