/** The reported harness as a line diff against the first one, with words marked inside changed lines. */
import { diffLines, diffWordsWithSpace } from "diff";
import { html, type Html } from "./html.ts";
import type { RunRecord } from "./run-record.ts";

/** Unchanged lines shown on each side of a change. */
const CONTEXT_LINES = 3;

/** One line of a diff; `parts` mark what differs inside it. */
export type DiffLine = {
  readonly kind: "same" | "removed" | "added" | "gap";
  readonly oldNumber: number | undefined;
  readonly newNumber: number | undefined;
  readonly parts: readonly { readonly text: string; readonly isChanged: boolean }[];
};

/** The diff of two texts, line by line; long unchanged stretches become one `gap`. */
export function diffTexts(before: string, after: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let oldNumber = 1;
  let newNumber = 1;
  const blocks = diffLines(before, after);
  for (let i = 0; i < blocks.length; i += 1) {
    const block = blocks[i];
    if (block === undefined) continue;
    const next = blocks[i + 1];
    const texts = splitLines(block.value);
    if (block.removed && next?.added === true) {
      const added = splitLines(next.value);
      const marked = markWords(texts, added);
      for (const parts of marked.removed)
        lines.push({ kind: "removed", oldNumber: oldNumber++, newNumber: undefined, parts });
      for (const parts of marked.added)
        lines.push({ kind: "added", oldNumber: undefined, newNumber: newNumber++, parts });
      i += 1;
      continue;
    }
    const kind = block.added ? "added" : block.removed ? "removed" : "same";
    for (const text of texts)
      lines.push({
        kind,
        oldNumber: kind === "added" ? undefined : oldNumber++,
        newNumber: kind === "removed" ? undefined : newNumber++,
        parts: [{ text, isChanged: false }],
      });
  }
  return foldContext(lines);
}

/** The section that shows how the harness changed. */
export function drawHarness({ harness }: RunRecord): Html {
  if (harness.before === harness.after)
    return html`<p>The reported harness is the first one, unchanged.</p>
      <details>
        <summary>Show it</summary>
        <pre class="source">${harness.after}</pre>
      </details>`;
  const lines = diffTexts(harness.before, harness.after);
  const count = (kind: DiffLine["kind"]): string => countLines(lines.filter((line) => line.kind === kind).length);
  return html`<p>
      <code>h0</code> to <code>${harness.name}</code>: <span class="plus">${count("added")} added</span>,
      <span class="minus">${count("removed")} removed</span>.
    </p>
    <div class="diff" role="table" aria-label="Harness diff">${lines.map(drawLine)}</div>
    <details>
      <summary>The whole harness <code>${harness.name}</code></summary>
      <pre class="source">${harness.after}</pre>
    </details>`;
}

const SIGNS: Readonly<Record<DiffLine["kind"], string>> = { same: " ", removed: "−", added: "+", gap: "⋯" };

function drawLine(line: DiffLine): Html {
  return html`<div class="diff-line ${line.kind}" role="row">
    <span class="number">${line.oldNumber ?? ""}</span><span class="number">${line.newNumber ?? ""}</span
    ><span class="sign">${SIGNS[line.kind]}</span
    ><code>${line.parts.map((part) => (part.isChanged ? html`<mark>${part.text}</mark>` : part.text))}</code>
  </div>`;
}

type LineParts = DiffLine["parts"];

/** Pairs removed and added lines in order and marks the words that differ; lines without a partner stay plain. */
function markWords(removed: readonly string[], added: readonly string[]): { removed: LineParts[]; added: LineParts[] } {
  const plain = (text: string): LineParts => [{ text, isChanged: false }];
  const out = { removed: removed.map(plain), added: added.map(plain) };
  for (let i = 0; i < Math.min(removed.length, added.length); i += 1) {
    const words = diffWordsWithSpace(removed[i] ?? "", added[i] ?? "");
    const shared = words
      .filter((word) => !word.added && !word.removed)
      .reduce((sum, word) => sum + word.value.trim().length, 0);
    // Lines with little in common read better whole than as a patchwork.
    if (shared * 2 < Math.min(removed[i]?.trim().length ?? 0, added[i]?.trim().length ?? 0)) continue;
    out.removed[i] = words.filter((word) => !word.added).map((word) => ({ text: word.value, isChanged: word.removed }));
    out.added[i] = words.filter((word) => !word.removed).map((word) => ({ text: word.value, isChanged: word.added }));
  }
  return out;
}

function foldContext(lines: readonly DiffLine[]): DiffLine[] {
  const isNear = lines.map((_, i) =>
    lines.slice(Math.max(0, i - CONTEXT_LINES), i + CONTEXT_LINES + 1).some((line) => line.kind !== "same"),
  );
  const out: DiffLine[] = [];
  let hidden = 0;
  const closeGap = (): void => {
    if (hidden > 0) {
      const text = countLines(hidden, "unchanged ");
      out.push({ kind: "gap", oldNumber: undefined, newNumber: undefined, parts: [{ text, isChanged: false }] });
    }
    hidden = 0;
  };
  lines.forEach((line, i) => {
    if (isNear[i] !== true) {
      hidden += 1;
      return;
    }
    closeGap();
    out.push(line);
  });
  closeGap();
  return out;
}

function countLines(count: number, what = ""): string {
  return `${String(count)} ${what}${count === 1 ? "line" : "lines"}`;
}

function splitLines(text: string): string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
