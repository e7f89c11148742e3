/**
 * The source of a harness: read it as a difference, or change it, check it, play it against the present one on the same
 * tasks, and hand it to the search. The editor comes in a part of its own, loaded when the tab is first opened.
 */
import type { HarnessSource } from "../../protocol/runs.ts";
import { fill, h, setText } from "../dom.ts";
import type { App } from "../state.ts";
import { createBenchButtons } from "./bench-buttons.ts";
import type { createEditor, Editor } from "../editor/editor.ts";
import { nextTask } from "../frames.ts";
import { problemOf } from "../notices.ts";
import { segments } from "./segments.ts";

type Against = "parent" | "first" | "none";

/** The bench under the tree. */
export function createBench(app: App): HTMLElement {
  const { store } = app;
  const box = h("div", { class: "editor-box" });
  const result = h("div", { class: "bench-result", role: "status" });
  const caption = h("p", { class: "caption" });
  let editor: Editor | undefined;
  let make: typeof createEditor | undefined;
  let source: HarnessSource | undefined;
  let against: Against = "parent";
  let isEditing = false;
  let turn = 0;

  const show = (): void => {
    if (make === undefined || source === undefined) return;
    const base = { parent: source.parent?.source, first: source.first, none: undefined }[against];
    const content = { text: (isEditing ? editor?.text() : undefined) ?? source.source, base, isEditable: isEditing };
    if (editor === undefined) editor = make(box, content);
    else editor.show(content);
    setText(caption, captionOf(source, against, isEditing));
  };
  const open = async (): Promise<void> => {
    const mine = ++turn;
    const state = store.get();
    // A change under way is not taken away, whatever the run does meanwhile.
    if (isEditing) return;
    if (state.look.tab !== "harness" || state.source === undefined || state.candidate === "") return;
    if (editor === undefined) setText(caption, `Opening the source of ${state.candidate} …`);
    try {
      const [found, module] = await Promise.all([
        state.source.readHarness(state.candidate),
        import("../editor/editor.ts"),
      ]);
      // The script of the editor was read in the task that has just ended; the editor is made in one of its own.
      await new Promise<void>(nextTask);
      if (mine !== turn) return;
      source = found;
      make = module.createEditor;
      fill(result);
      buttons.update(isEditing);
      show();
    } catch (error) {
      if (mine !== turn) return;
      if (editor === undefined) setText(caption, "");
      fill(result, h("p", { class: "quiet" }, `This source could not be opened: ${problemOf(error).what}`));
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

function captionOf({ name, parent }: HarnessSource, against: Against, isEditing: boolean): string {
  const to = { parent: parent?.name ?? "nothing: it is the first", first: "h0", none: "" }[against];
  return `${isEditing ? `Your copy of ${name}` : name}${to === "" ? "" : `, compared with ${to}`}`;
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
