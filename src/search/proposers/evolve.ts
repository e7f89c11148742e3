/**
 * The offline proposer: reads why rollouts failed, picks mechanisms that address the commonest causes, and writes code
 * (search.md, "How it decides").
 *
 * An axis is drawn first and a mechanism within it second, both by Thompson sampling on their records, weighted by the
 * share of failures that the mechanism addresses; so an axis of forty phrases has no forty tickets. All but the last
 * candidate of an iteration carry one mechanism. The last is, in turn: a harness that was good under former weights, a
 * recombination of what beat its parent, or two mechanisms that may need each other. What it proposes depends on the
 * view, the seed and the memory handed in, and on nothing else, so a resumed run goes on identically.
 */
import { ProposerError } from "../../base/errors.ts";
import { createRng, type Rng } from "../../base/rng.ts";
import type { RolloutTrace } from "../../rollout/trace.ts";
import type { Candidate, Proposal, Proposer, SearchView } from "../candidate.ts";
import { buildMechanisms } from "../mechanisms/library.ts";
import type { Mechanism, SearchSpace } from "../mechanisms/mechanism.ts";
import { isScored, type Scored } from "../selection.ts";
import { isPromptOnlyEdit } from "../syntax/compare.ts";
import { addCredits, creditMechanisms, drawBeta, NO_CREDIT, confidenceBetter, type Credits } from "./credit.ts";
import { EMPTY_MEMORY, type EvolveMemory } from "./memory.ts";
import { createWorkbench, type Workbench } from "./workbench.ts";

/** What `createEvolveProposer` needs. */
export type EvolveOptions = {
  readonly space: SearchSpace;
  readonly seed: number;
  /** Harness phases before this one. @default 0 */
  readonly phase?: number;
  /** What earlier phases left. @default EMPTY_MEMORY */
  readonly memory?: EvolveMemory;
  /** Accepted rollouts of training tasks, for worked examples. @default those solved in the search itself */
  readonly examples?: readonly RolloutTrace[];
  /** Changes prompt text only (the FST baseline). @default false */
  readonly promptOnly?: boolean;
};

/** Weight that a mechanism has beside the share of failures that it addresses, so that none is never tried. */
const BASE_WEIGHT = 0.15;

/** What is left of the weight of a mechanism that was tried in this phase and did not help. */
const SPENT_FACTOR = 0.3;
/** Confidence in a child, above its parent, from which on its mechanisms are worth combining. */
const WORTH_COMBINING = 0.3;

/** The default proposer, for one harness phase. */
export function createEvolveProposer(options: EvolveOptions): Proposer {
  const { space, seed, phase = 0, memory = EMPTY_MEMORY, examples = [], promptOnly = false } = options;
  const mechanisms = buildMechanisms(space).filter((mechanism) => mechanism.promptOnly || !promptOnly);
  const byName = new Map(mechanisms.map((mechanism) => [mechanism.name, mechanism]));
  const propose = (view: SearchView): Proposal[] => {
    const keys = [seed, "evolve", phase, view.iteration];
    const bench = createWorkbench({ view, examples, keys });
    const credits = creditMechanisms(view.candidates, memory.credits);
    const round: Round = { view, bench, random: createRng(...keys), credits, mechanisms, byName, memory, promptOnly };
    const proposals: Proposal[] = [];
    const keep = (proposal: Proposal | undefined): void => {
      if (!proposal || proposals.length >= view.count) return;
      bench.keep(proposal);
      proposals.push(proposal);
    };
    // With one candidate an iteration, every third is a combination.
    const combines = view.count > 1 || view.iteration % 3 === 0;
    const singles = combines ? view.count - 1 : view.count;
    const used = new Set<string>();
    for (let i = 0; i < singles; i += 1) keep(proposeSingle(round, used));
    if (combines) keep(retryFormer(round) ?? recombine(round) ?? proposePair(round));
    while (proposals.length < view.count) {
      const before = proposals.length;
      keep(proposeSingle(round, new Set()));
      if (proposals.length === before) break;
    }
    if (proposals.length === 0)
      throw new ProposerError("evolve: every mechanism with a place in the harness was tried");
    return proposals;
  };
  return {
    name: "evolve",
    propose: (view) =>
      new Promise((resolve) => {
        resolve(propose(view));
      }),
    tokensUsed: () => 0,
  };
}

/** What one call of `propose` works with. */
type Round = {
  readonly view: SearchView;
  readonly bench: Workbench;
  readonly random: Rng;
  readonly credits: Credits;
  readonly mechanisms: readonly Mechanism[];
  readonly byName: ReadonlyMap<string, Mechanism>;
  readonly memory: EvolveMemory;
  readonly promptOnly: boolean;
};

/** The best draw whose edit is possible and new; marks its axis as used and avoids those that are. */
function proposeSingle(round: Round, used: Set<string>): Proposal | undefined {
  const ranked = rank(round);
  const ordered = [...ranked.filter(({ axis }) => !used.has(axis)), ...ranked.filter(({ axis }) => used.has(axis))];
  for (const mechanism of ordered) {
    const proposal = round.bench.build([mechanism]);
    if (!proposal) continue;
    used.add(mechanism.axis);
    return proposal;
  }
  return undefined;
}

/** Under new weights: the best harness of earlier phases that has not been tried in this one. */
function retryFormer({ view, bench, memory, promptOnly }: Round): Proposal | undefined {
  const fits = (source: string): boolean => !promptOnly || isPromptOnlyEdit(bench.parent.source, source);
  const former = memory.former.find(({ source }) => bench.isNew(source) && fits(source));
  if (!former) return undefined;
  const { source, axis, mechanisms } = former;
  const hypothesis = `It lost under earlier weights; with these it may win: ${former.hypothesis}`;
  return { source, parent: view.incumbent, axis, hypothesis, mechanisms };
}

/** Mechanisms of the children that probably beat their parents, put on the incumbent: two axes together where possible. */
function recombine({ view, bench, byName }: Round): Proposal | undefined {
  const scored = view.candidates.filter(isScored);
  const winners = scored
    .map((candidate) => ({ candidate, chance: chanceOver(candidate, scored) }))
    .filter(({ candidate, chance }) => chance > WORTH_COMBINING && !isAncestor(candidate.name, view))
    .sort((a, b) => b.chance - a.chance);
  const sets = winners.map(({ candidate }) => candidate.mechanisms.flatMap((name) => byName.get(name) ?? []));
  for (const [i, first] of sets.entries())
    for (const second of sets.slice(i + 1)) {
      if (first[0]?.axis === second[0]?.axis) continue;
      const proposal = bench.build([...first, ...second]);
      if (proposal) return proposal;
    }
  for (const set of sets) {
    const proposal = bench.build(set);
    if (proposal) return proposal;
  }
  return undefined;
}

/** Two mechanisms of different axes, which may only help together. */
function proposePair(round: Round): Proposal | undefined {
  let tried = 0;
  for (const a of rank(round)) {
    if (!round.bench.build([a])) continue;
    for (const b of rank(round)) {
      const proposal = a.axis === b.axis ? undefined : round.bench.build([a, b]);
      if (proposal) return proposal;
    }
    tried += 1;
    if (tried >= 3) break;
  }
  return undefined;
}

/** All mechanisms, by axis and then within it, each level ordered by Thompson draws times the failures addressed. */
function rank({ view, bench, random, credits, mechanisms }: Round): Mechanism[] {
  const causes = isScored(bench.parent) ? bench.parent.status.evaluation.causes : {};
  const failures = Math.max(
    1,
    Object.values(causes).reduce((a, b) => a + b, 0),
  );
  const axes = new Map<string, { readonly mechanism: Mechanism; readonly weight: number; readonly value: number }[]>();
  const tried = new Set(view.candidates.flatMap((candidate) => candidate.mechanisms));
  for (const mechanism of mechanisms) {
    const addressed = mechanism.addresses.reduce((sum, cause) => sum + (causes[cause] ?? 0), 0) / failures;
    // The mean over its causes: a claim to address everything is worth less than one about the cause that matters.
    const claim = addressed / Math.max(1, mechanism.addresses.length);
    const record = credits[mechanism.name] ?? NO_CREDIT;
    const isSpent = tried.has(mechanism.name) && record.wins < record.losses;
    const weight = (BASE_WEIGHT + claim) * (isSpent ? SPENT_FACTOR : 1);
    const value = weight * drawBeta(record, random);
    const members = axes.get(mechanism.axis) ?? [];
    members.push({ mechanism, weight, value });
    axes.set(mechanism.axis, members);
  }
  return [...axes.values()]
    .map((members) => {
      const record = addCredits(members.map(({ mechanism }) => credits[mechanism.name] ?? NO_CREDIT));
      const weight = Math.max(...members.map((member) => member.weight));
      return { members: members.sort((a, b) => b.value - a.value), value: weight * drawBeta(record, random) };
    })
    .sort((a, b) => b.value - a.value)
    .flatMap(({ members }) => members.map(({ mechanism }) => mechanism));
}

function chanceOver(candidate: Scored, scored: readonly Scored[]): number {
  const parent = scored.find(({ name }) => name === candidate.parent);
  if (!parent) return 0;
  return confidenceBetter(candidate.status.evaluation.rewards, parent.status.evaluation.rewards);
}

/** Whether `name` is the incumbent or one it descends from. */
function isAncestor(name: string, view: SearchView): boolean {
  let at: Candidate | undefined = view.candidates.find((candidate) => candidate.name === view.incumbent);
  while (at && at.name !== name) {
    const { parent } = at;
    at = view.candidates.find((candidate) => candidate.name === parent);
  }
  return at !== undefined;
}
