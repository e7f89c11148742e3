/** Makes proposals from mechanisms for one view: applied to a parent, checked to be new, named and reasoned. */
import { createRng } from "../../base/rng.ts";
import type { RolloutTrace } from "../../rollout/trace.ts";
import type { Candidate, Proposal, SearchView } from "../candidate.ts";
import { applyMechanism, type Mechanism } from "../mechanisms/mechanism.ts";
import { isScored } from "../selection.ts";
import { normaliseSource, normaliseTree } from "../syntax/compare.ts";
import { parseHarness } from "../syntax/harness-tree.ts";

/** What a workbench is made from. */
export type WorkbenchOptions = {
  readonly view: SearchView;
  /** Accepted rollouts of training tasks. */
  readonly examples: readonly RolloutTrace[];
  /** Keys of the random stream of this iteration. */
  readonly keys: readonly (string | number)[];
};

/** Where proposals are made. */
export type Workbench = {
  /** The candidate to build on. */
  readonly parent: Candidate;
  /** The parent with `mechanisms` applied in turn, or undefined where one has no place or the result is not new. */
  readonly build: (mechanisms: readonly Mechanism[]) => Proposal | undefined;
  /** Whether no archived candidate and no proposal kept so far is the same program. */
  readonly isNew: (source: string) => boolean;
  /** Marks a proposal as made, so that no later one repeats it. */
  readonly keep: (proposal: Proposal) => void;
};

/** Sets up a workbench on the incumbent of `view`. */
export function createWorkbench({ view, examples, keys }: WorkbenchOptions): Workbench {
  const parent = view.candidates.find(({ name }) => name === view.incumbent);
  if (!parent) throw new RangeError(`proposer: the view has no candidate named ${view.incumbent}`);
  const parsed = view.candidates.filter(({ status }) => status.kind !== "refused" || status.check !== "syntax");
  const tree = parseHarness(parent.source);
  const known = new Set(parsed.map(({ source }) => normaliseSource(source)));
  const shown = examples.length > 0 ? examples : view.candidates.filter(isScored).flatMap(solvedTraces);
  const isNew = (source: string): boolean => !known.has(normaliseSource(source));
  const build = (mechanisms: readonly Mechanism[]): Proposal | undefined => {
    const [first] = mechanisms;
    let harness = tree;
    for (const mechanism of mechanisms) {
      // Each mechanism has a stream of its own, so that what one draws never moves another.
      const random = createRng(...keys, "apply", mechanism.name);
      const edited = applyMechanism(mechanism, harness, { random, examples: shown });
      if (!edited) return undefined;
      harness = edited;
    }
    if (!first || known.has(normaliseTree(harness))) return undefined;
    const axis = [...new Set(mechanisms.map((mechanism) => mechanism.axis))].join(" + ");
    const hypothesis = mechanisms.map((mechanism) => mechanism.hypothesis).join(" Together: ");
    return {
      source: harness.source,
      parent: parent.name,
      axis,
      hypothesis,
      mechanisms: mechanisms.map(({ name }) => name),
    };
  };
  return { parent, build, isNew, keep: ({ source }) => void known.add(normaliseSource(source)) };
}

/** The tasks of a search are training tasks too: rollouts solved on them may serve as examples where none are given. */
function solvedTraces(candidate: Candidate): readonly RolloutTrace[] {
  return isScored(candidate) ? candidate.status.evaluation.traces.filter(({ reward }) => reward > 0.5) : [];
}
