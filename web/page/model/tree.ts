/** The candidates of a run as a tree: who was made from whom, the first harness at the root. */
import type { CandidateRow } from "../../protocol/runs.ts";
import { adoptedHarnesses, type RunView } from "./run-view.ts";

/** A harness in the tree. */
export type TreeNode = {
  readonly name: string;
  readonly depth: number;
  /** Undefined for the first harness. */
  readonly row: CandidateRow | undefined;
  /** Whether a phase took it over. */
  readonly isAdopted: boolean;
};

/** All harnesses of `view`, parents before their children, siblings in the order in which they were proposed. */
export function harnessTree(view: Pick<RunView, "candidates" | "curve" | "phases">): TreeNode[] {
  const adopted = new Set(adoptedHarnesses(view));
  const children = new Map<string, CandidateRow[]>();
  const names = new Set(view.candidates.map(({ name }) => name));
  for (const row of view.candidates) {
    // A parent that the run no longer knows hangs at the root, so that no candidate is lost.
    const parent = names.has(row.parent) && row.parent !== row.name ? row.parent : "h0";
    children.set(parent, [...(children.get(parent) ?? []), row]);
  }
  const nodes: TreeNode[] = [{ name: "h0", depth: 0, row: undefined, isAdopted: adopted.has("h0") }];
  const visit = (parent: string, depth: number): void => {
    for (const row of children.get(parent) ?? []) {
      nodes.push({ name: row.name, depth, row, isAdopted: adopted.has(row.name) });
      visit(row.name, depth + 1);
    }
  };
  visit("h0", 1);
  return nodes;
}
