/**
 * What CodeMirror's commands and its merge view ask of a language, answered for a text without one. The harness editor
 * colours by patterns (`highlighter.ts`), so no syntax tree is ever built; the build takes this file for
 * `@codemirror/language`, `@lezer/common` and `@lezer/highlight`, which weigh 15 KB in gzip. Names and shapes are theirs.
 */
import { countColumn, Facet, type EditorState } from "@codemirror/state";

/** The language of an editor: none. */
export const language: Facet<undefined, undefined> = Facet.define({ combine: () => undefined });

/** One step of indentation. @default two spaces */
export const indentUnit: Facet<string, string> = Facet.define({ combine: ([unit = "  "]) => unit });

/** Width of `indentUnit`, in columns. */
export function getIndentUnit(state: EditorState): number {
  const unit = state.facet(indentUnit);
  return unit.startsWith("\t") ? state.tabSize * unit.length : unit.length;
}

/** White space as wide as `columns`, tabs first where the unit is made of them. */
export function indentString(state: EditorState, columns: number): string {
  const tabs = state.facet(indentUnit).startsWith("\t") ? Math.floor(columns / state.tabSize) : 0;
  return "\t".repeat(tabs) + " ".repeat(columns - tabs * state.tabSize);
}

/** Where a line would be indented by its syntax: unknown, so that a new line is indented as the one before. */
export function getIndentation(): null {
  return null;
}

/** The state in which a line is indented. */
export class IndentContext {
  readonly state: EditorState;

  constructor(state: EditorState) {
    this.state = state;
  }

  /** Indentation of the line at `position`, in columns. */
  lineIndent(position: number): number {
    const [space = ""] = /^\s*/.exec(this.state.doc.lineAt(position).text) ?? [];
    return countColumn(space, this.state.tabSize);
  }
}

const PROPERTIES = { closedBy: "closedBy", openedBy: "openedBy" } as const;
/** Properties of nodes, of which no node has any. */
export { PROPERTIES as NodeProp };

/** A node without extent or children. */
const NOTHING = {
  from: 0,
  to: 0,
  type: { prop: (): undefined => undefined },
  childAfter: (): null => null,
  childBefore: (): null => null,
} as const;

/** The tree of every text: one node that spans nothing. */
export function syntaxTree(): {
  readonly resolveInner: () => typeof NOTHING;
  readonly resolveStack: () => { readonly node: typeof NOTHING; readonly next: null };
} {
  return { resolveInner: () => NOTHING, resolveStack: () => ({ node: NOTHING, next: null }) };
}

const BRACKETS = "()[]{}";
/** Characters that are searched for the other bracket. */
const FARTHEST = 10_000;

/** A bracket and its partner. */
export type BracketMatch = {
  readonly start: { readonly from: number; readonly to: number };
  readonly end?: { readonly from: number; readonly to: number };
  readonly matched: boolean;
};

/** The partner of the bracket after `position`, or before it where `direction` is -1; null where none stands there. */
export function matchBrackets(state: EditorState, position: number, direction: 1 | -1): BracketMatch | null {
  const at = (index: number): number => BRACKETS.indexOf(state.sliceDoc(index, index + 1) || " ");
  const first = direction > 0 ? position : position - 1;
  const opens = (bracket: number): boolean => (bracket % 2 === 0) === direction > 0;
  const bracket = first < 0 ? -1 : at(first);
  if (bracket < 0 || !opens(bracket)) return null;
  const start = { from: first, to: first + 1 };
  let depth = 0;
  for (let i = 0, index = first; i < FARTHEST && index >= 0 && index < state.doc.length; i += 1, index += direction) {
    const found = at(index);
    if (found < 0) continue;
    depth += opens(found) ? 1 : -1;
    // Brackets stand in pairs: the partner of an even place is the next one.
    if (depth === 0) return { start, end: { from: index, to: index + 1 }, matched: found >> 1 === bracket >> 1 };
  }
  return { start, matched: false };
}

/** The class of a token in the colours of a language: none. */
export function highlightingFor(): null {
  return null;
}

/** Colours a tree; there is none. */
export function highlightTree(): void {
  // Nothing to colour: what is compared is coloured as the text around it.
}
