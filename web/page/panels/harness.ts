/** The harness tab: the tree of candidates, the chosen one with its figures and its source, and the bench to write your own. */
import type { CandidateRow } from "../../protocol/runs.ts";
import { fill, h } from "../dom.ts";
import { percent, signedPoints } from "../format.ts";
import { adoptedHarnesses } from "../model/run-view.ts";
import { harnessTree, type TreeNode } from "../model/tree.ts";
import type { App } from "../state.ts";
import { createBench } from "./bench.ts";
import { term } from "./term.ts";

/** The harness tab. */
export function createHarness(app: App): HTMLElement {
  const { store } = app;
  const tree = h("div", { class: "tree", role: "tree", "aria-label": "Harnesses" });
  const facts = h("div", { class: "candidate-facts" });
  const bench = createBench(app);
  store.watch(
    ({ view, candidate, look }) =>
      look.tab === "harness" ? [view.candidates, adoptedHarnesses(view).join(), view.harness, candidate] : undefined,
    () => {
      drawTree(app, tree);
      const { view, candidate } = store.get();
      fill(
        facts,
        drawFacts(
          view.candidates.find(({ name }) => name === candidate),
          candidate,
        ),
      );
    },
  );
  tree.addEventListener("keydown", (event) => {
    moveInTree(tree, event);
  });
  return h(
    "div",
    { class: "harness" },
    h(
      "p",
      { class: "lead" },
      "The ",
      term(
        "harness",
        "The program around the model: it words the question, runs the tools, reads the answer. Here it is one JavaScript module.",
      ),
      " is rewritten while the weights rest. Each rewrite plays the same tasks with the same luck as the one that it wants to replace.",
    ),
    tree,
    facts,
    bench,
  );
}

function drawTree({ store, actions }: App, tree: HTMLElement): void {
  const hadFocus = tree.contains(document.activeElement);
  const { view, candidate } = store.get();
  const nodes = harnessTree(view);
  const scale = gainScale(view.candidates);
  fill(
    tree,
    nodes.map((node) =>
      drawNode(node, {
        scale,
        inUse: view.harness,
        isChosen: node.name === candidate,
        onChoose: actions.openCandidate,
      }),
    ),
  );
  if (hadFocus) tree.querySelector<HTMLElement>("[tabindex='0']")?.focus();
}

type NodeOptions = {
  readonly scale: number;
  /** Name of the harness that the run uses now. */
  readonly inUse: string;
  readonly isChosen: boolean;
  readonly onChoose: (name: string) => void;
};

function drawNode(node: TreeNode, { scale, inUse, isChosen, onChoose }: NodeOptions): HTMLElement {
  const { row, name, depth } = node;
  const fate = fateOf(node, inUse);
  return h(
    "div",
    {
      class: `tree-row ${fate.kind}${isChosen ? " is-chosen" : ""}`,
      role: "treeitem",
      "aria-level": depth + 1,
      "aria-selected": String(isChosen),
      tabindex: isChosen ? 0 : -1,
      style: `--depth:${String(depth)}`,
      title: row?.hypothesis ?? "The first harness, weak on purpose",
      onclick: () => {
        onChoose(name);
      },
      "data-name": name,
    },
    h("code", { class: "tree-name" }, name),
    h("span", { class: "tree-axis" }, row === undefined ? "first harness" : row.isByHand ? "by hand" : row.axis),
    row?.gain === undefined ? h("span", { class: "gain-none" }) : drawGain(row.gain, scale),
    h("span", { class: `fate ${fate.kind}`, title: fate.hint }, fate.words),
  );
}

type Fate = { readonly kind: string; readonly words: string; readonly hint: string };

function fateOf({ row, name, isAdopted }: TreeNode, inUse: string): Fate {
  if (isAdopted && name === inUse) return { kind: "adopted", words: "in use", hint: "The run works with it now." };
  if (isAdopted) return { kind: "accepted", words: "was in use", hint: "A later harness took its place." };
  if (row === undefined) return { kind: "first", words: "", hint: "" };
  if (row.refusedBy !== "")
    return { kind: "refused", words: "refused", hint: `The check “${row.refusedBy}” refused it: ${row.reason}` };
  return row.isAccepted
    ? { kind: "accepted", words: "led", hint: "It was the best at the end of its round; a later one overtook it." }
    : { kind: "beaten", words: "not better", hint: "It did not beat the best harness of its round." };
}

/** End of the scale of differences: the same for all rows, so that they can be compared. */
function gainScale(candidates: readonly CandidateRow[]): number {
  const most = candidates.flatMap(({ gain }) => (gain === undefined ? [] : [Math.abs(gain.low), Math.abs(gain.high)]));
  return Math.max(0.1, ...most);
}

/** Difference to the harness to beat, as a dot with its interval around a zero line. */
function drawGain({ mean, low, high }: NonNullable<CandidateRow["gain"]>, scale: number): HTMLElement {
  const at = (value: number): string => `${(50 + 50 * Math.max(-1, Math.min(1, value / scale))).toFixed(1)}%`;
  const words = `${signedPoints(mean)} points [${signedPoints(low)}, ${signedPoints(high)}] against the harness to beat`;
  const bar = h("i", { class: "gain-bar" });
  bar.style.left = at(low);
  bar.style.right = `calc(100% - ${at(high)})`;
  const dot = h("i", { class: "gain-dot" });
  dot.style.left = at(mean);
  return h("span", { class: "gain", role: "img", "aria-label": words, title: words }, bar, dot);
}

function drawFacts(row: CandidateRow | undefined, name: string): (HTMLElement | null)[] {
  if (row === undefined)
    return [
      name === ""
        ? null
        : h(
            "p",
            { class: "hypothesis" },
            h("b", {}, name),
            " is the harness that every run begins with. It is weak on purpose.",
          ),
    ];
  const causes = Object.entries(row.causes).sort(([, a], [, b]) => b - a);
  return [
    h("p", { class: "hypothesis" }, h("b", {}, row.name), ` from ${row.parent}: ${row.hypothesis}`),
    row.refusedBy === ""
      ? h(
          "p",
          { class: "score" },
          row.score === undefined ? "" : `${percent(row.score)} of the search tasks right`,
          row.gain === undefined
            ? ""
            : `, ${signedPoints(row.gain.mean)} points [${signedPoints(row.gain.low)}, ${signedPoints(row.gain.high)}] against the one to beat. ${judge(row.gain)}`,
        )
      : h("p", { class: "refusal" }, h("b", {}, `Refused by the check “${row.refusedBy}”: `), row.reason),
    causes.length === 0
      ? null
      : h(
          "p",
          { class: "causes" },
          "Why tries failed: ",
          causes.map(([cause, count], i) => `${i === 0 ? "" : ", "}${cause} ${String(count)}`),
          ".",
        ),
  ];
}

function judge({ low, high }: NonNullable<CandidateRow["gain"]>): string {
  if (low > 0) return "The interval is above zero.";
  if (high < 0) return "The interval is below zero.";
  return "That could be chance.";
}

function moveInTree(tree: HTMLElement, event: KeyboardEvent): void {
  const rows = [...tree.querySelectorAll<HTMLElement>("[role='treeitem']")];
  const at = rows.findIndex((row) => row === document.activeElement);
  const moves: Readonly<Record<string, number>> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 };
  const next = event.key === "Enter" || event.key === " " ? at : moves[event.key];
  if (next === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  const row = rows[Math.max(0, Math.min(rows.length - 1, next))];
  row?.focus();
  row?.click();
}
