/** The baseline of the evolve proposer: a mechanism at random, whatever failed and whatever worked. */
import { ProposerError } from "../../base/errors.ts";
import { createRng } from "../../base/rng.ts";
import type { Proposal, Proposer, SearchView } from "../candidate.ts";
import { buildMechanisms } from "../mechanisms/library.ts";
import type { EvolveOptions } from "./evolve.ts";
import { createWorkbench } from "./workbench.ts";

/** A proposer that puts one random mechanism on the incumbent for each candidate. */
export function createRandomProposer(options: EvolveOptions): Proposer {
  const { space, seed, phase = 0, examples = [], promptOnly = false } = options;
  const mechanisms = buildMechanisms(space).filter((mechanism) => mechanism.promptOnly || !promptOnly);
  const propose = (view: SearchView): Proposal[] => {
    const keys = [seed, "random", phase, view.iteration];
    const bench = createWorkbench({ view, examples, keys });
    const proposals: Proposal[] = [];
    for (const mechanism of createRng(...keys).shuffle(mechanisms)) {
      if (proposals.length >= view.count) break;
      const proposal = bench.build([mechanism]);
      if (!proposal) continue;
      bench.keep(proposal);
      proposals.push(proposal);
    }
    if (proposals.length === 0)
      throw new ProposerError("random: every mechanism with a place in the harness was tried");
    return proposals;
  };
  return {
    name: "random",
    propose: (view) =>
      new Promise((resolve) => {
        resolve(propose(view));
      }),
    tokensUsed: () => 0,
  };
}
