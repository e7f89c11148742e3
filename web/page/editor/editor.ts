/** CodeMirror 6 with its merge view in one column: a difference that can be read, or a source that can be changed. */
import { unifiedMergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { minimalSetup } from "codemirror";
import { highlighter } from "./highlighter.ts";

/** What the editor shows. */
export type EditorContent = {
  readonly text: string;
  /** What `text` is compared with; undefined shows the plain source. */
  readonly base: string | undefined;
  readonly isEditable: boolean;
};

/** The editor. */
export type Editor = {
  readonly show: (content: EditorContent) => void;
  readonly text: () => string;
  readonly focus: () => void;
  /** Draws anew with the colours of the present theme. */
  readonly retheme: () => void;
};

const THEME = EditorView.theme({
  "&": { backgroundColor: "var(--surface)", color: "var(--ink)", fontSize: "13px", maxHeight: "440px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-gutters": { backgroundColor: "var(--surface-soft)", color: "var(--ink-soft)", borderColor: "var(--line-soft)" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--surface-soft)" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused": { outline: "2px solid var(--focus)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground, ::selection": { backgroundColor: "var(--selection)" },
  ".cm-deletedChunk": { backgroundColor: "var(--removed)", paddingLeft: "6px", color: "var(--ink-soft)" },
  ".cm-deletedLine, .cm-deletedLine del": { textDecoration: "line-through", textDecorationColor: "var(--ink-soft)" },
  ".cm-deletedChunk .cm-deletedText, .cm-deletedText": { background: "none", textDecorationThickness: "2px" },
  "&.cm-merge-b .cm-changedLine, .cm-changedLine, .cm-insertedLine": { backgroundColor: "var(--added)" },
  "&.cm-merge-b .cm-changedText, .cm-changedText": { background: "var(--added-strong)" },
  "&.cm-merge-b .cm-changedLineGutter, .cm-changedLineGutter, .cm-inlineChangedLineGutter": {
    background: "var(--ink)",
  },
  ".cm-deletedLineGutter": { background: "var(--line)" },
  ".cm-collapsedLines:before, .cm-collapsedLines:after": { content: "'…'" },
  ".code-comment": { color: "var(--ink-soft)", fontStyle: "italic" },
  ".code-text": { color: "var(--code-text)" },
  // On the ground of a changed word only the full ink keeps its contrast.
  ".cm-changedText .code-comment, .cm-changedText .code-text": { color: "var(--ink)" },
  ".code-word": { fontWeight: "650" },
  ".cm-collapsedLines": { backgroundColor: "var(--surface-soft)", color: "var(--ink-soft)", backgroundImage: "none" },
  ".cm-changeGutter": { width: "3px" },
});

/** An editor in `box` that shows `first`. */
export function createEditor(box: HTMLElement, first: EditorContent): Editor {
  let content = first;
  const view = new EditorView({ parent: box, state: stateOf(content) });
  const show = (next: EditorContent): void => {
    content = next;
    view.setState(stateOf(next));
  };
  return {
    show,
    text: () => view.state.doc.toString(),
    focus: () => {
      view.focus();
    },
    retheme: () => {
      show({ ...content, text: view.state.doc.toString() });
    },
  };
}

function stateOf({ text, base, isEditable }: EditorContent): EditorState {
  const label = isEditable ? "Your harness" : "Source of the harness, read only";
  const extensions: Extension[] = [
    minimalSetup,
    lineNumbers(),
    highlighter,
    THEME,
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": label, ...(isEditable ? {} : { tabindex: "0" }) }),
    EditorState.readOnly.of(!isEditable),
    EditorView.editable.of(isEditable),
    // Escape leaves the editor, so that Tab moves on for those who work with the keyboard alone.
    keymap.of([
      {
        key: "Escape",
        run: (view) => {
          view.contentDOM.blur();
          return true;
        },
      },
    ]),
  ];
  if (base !== undefined)
    extensions.push(
      unifiedMergeView({
        original: base,
        mergeControls: false,
        highlightChanges: true,
        gutter: true,
        collapseUnchanged: { margin: 3, minSize: 6 },
      }),
    );
  return EditorState.create({ doc: text, extensions });
}
