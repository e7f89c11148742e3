/**
 * The source of a harness: read it as a difference, or change it, check it, play it against the present one on the same
 * tasks, and hand it to the search. The editor comes in a part of its own, loaded when the tab is first opened.
 */
import type { HarnessSource } from "../../protocol.ts";
import { fill, h, setText } from "../dom.ts";
import type { App } from "../state.ts";
import { createBenchButtons } from "./bench-buttons.ts";
import type { Editor } from "../editor/editor.ts";
import { segments } from "./segments.ts";

type Against = "parent" | "first" | "none";

/** The bench under the tree. */
export function createBench(app: App): HTMLElement {
  const { store } = app;
  const box = h("div", { class: "editor-box" });
  const result = h("div", { class: "bench-result", role: "status" });
  const caption = h("p", { class: "caption" });
  let editor: Editor | undefined;
  let source: HarnessSource | undefined;
  let against: Against = "parent";
  let isEditing = false;
  let turn = 0;

  const show = (): void => {
    if (editor === undefined || source === undefined) return;
    const base = { parent: source.parent?.source, first: source.first, none: undefined }[against];
    editor.show({ text: isEditing ? editor.text() : source.source, base, isEditable: isEditing });
    const to = { parent: source.parent?.name ?? "nothing: it is the first", first: "h0", none: "" }[against];
    setText(
      caption,
      `${isEditing ? `Your copy of ${source.name}` : source.name}${to === "" ? "" : `, compared with ${to}`}`,
    );
  };
  const open = async (): Promise<void> => {
    const mine = ++turn;
    const state = store.get();
    // A change under way is not taken away, whatever the run does meanwhile.
    if (isEditing) return;
    if (state.look.tab !== "harness" || state.source === undefined || state.candidate === "") return;
    try {
      const [found, module] = await Promise.all([state.source.readHarness(state.candidate), import("../editor/editor.ts")]);
      if (mine !== turn) return;
      source = found;
      editor ??= module.createEditor(box);
      fill(result);
      buttons.update(isEditing);
      show();
    } catch (error) {
      if (mine === turn)
        fill(result, h("p", { class: "quiet" }, error instanceof Error ? error.message : String(error)));
    }
  };
  const buttons = createBenchButtons(app, {
    onEdit: () => {
      isEditing = !isEditing;
      buttons.update(isEditing);
      if (isEditing) show();
      else void open();
      if (isEditing) editor?.focus();
    },
    text: () => (isEditing ? editor?.text() : source?.source) ?? "",
    result,
  });
  store.watch(
    ({ candidate, source: from, look }) => [candidate, from, look.tab],
    () => {
      void open();
    },
  );
  store.watch(
    ({ themeTurn }) => [themeTurn],
    () => {
      editor?.retheme();
    },
  );
  const sides = createSides((value) => {
    against = value;
    show();
  });
  return h(
    "section",
    { class: "bench", "aria-label": "Source of the harness" },
    h("div", { class: "row wrap tools" }, sides),
    caption,
    box,
    buttons.element,
    result,
  );
}

function createSides(onChoose: (against: Against) => void): HTMLElement {
  return segments<Against>({
    label: "Compare with",
    choices: [
      { value: "parent", words: "against its parent" },
      { value: "first", words: "against h0" },
      { value: "none", words: "source" },
    ],
    onChoose,
  });
}
