/** The keys of the page. They are silent where a key means something else: in fields, lists, trees and the editor. */
import type { Store } from "./store.ts";
import { INSPECTOR_TABS } from "./model/address.ts";
import type { Actions, PageState } from "./state.ts";

/** What a key press is about, as far as the page cares. */
export type KeyPress = {
  readonly key: string;
  readonly hasModifier: boolean;
  /** Whether the focus is where text is typed. */
  readonly isTyping: boolean;
  /** Whether the focus is on something that the space bar presses. */
  readonly isOnButton: boolean;
};

/** What a key asks for. */
export type KeyCommand =
  | { readonly kind: "run-or-pause" | "step" | "help" }
  | { readonly kind: "tab"; readonly index: number }
  | { readonly kind: "move"; readonly by: number };

/** The command of `press`; undefined where the key is not the page's. */
export function commandOf({ key, hasModifier, isTyping, isOnButton }: KeyPress): KeyCommand | undefined {
  if (hasModifier || isTyping) return undefined;
  if (key === " ") return isOnButton ? undefined : { kind: "run-or-pause" };
  if (key === "s" || key === "S") return { kind: "step" };
  if (key === "?") return { kind: "help" };
  if (key === "ArrowLeft" || key === "ArrowRight") return { kind: "move", by: key === "ArrowLeft" ? -1 : 1 };
  const index = ["1", "2", "3"].indexOf(key);
  return index < 0 ? undefined : { kind: "tab", index };
}

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
