/**
 * Colours of a harness's source: comments, texts, keywords. A harness is a page of plain JavaScript, so a pattern for each
 * line does; a whole parser would weigh more than the rest of the page.
 */
import {
  Decoration,
  MatchDecorator,
  ViewPlugin,
  type DecorationSet,
  type EditorView,
  type ViewUpdate,
} from "@codemirror/view";

const WORDS =
  "async|await|break|case|catch|class|const|continue|default|do|else|export|finally|for|from|function|if|import|in|let|new|of|return|switch|throw|try|typeof|var|while";

const PATTERN = new RegExp(
  [
    String.raw`(?<comment>\/\/.*|\/\*.*?\*\/)`,
    String.raw`(?<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\x60(?:[^\x60\\]|\\.)*\x60)`,
    String.raw`(?<word>\b(?:${WORDS})\b)`,
  ].join("|"),
  "g",
);

const decorator = new MatchDecorator({
  regexp: PATTERN,
  decoration: (match) => {
    const kind = Object.entries(match.groups ?? {}).find(([, text]) => Boolean(text))?.[0] ?? "text";
    return Decoration.mark({ class: `code-${kind}` });
  },
});

class Colours {
  decorations: DecorationSet;

  constructor(view: EditorView) {
    this.decorations = decorator.createDeco(view);
  }

  update(update: ViewUpdate): void {
    this.decorations = decorator.updateDeco(update, this.decorations);
  }
}

/** The extension that colours what is in view. */
export const highlighter = ViewPlugin.fromClass(Colours, { decorations: ({ decorations }) => decorations });
