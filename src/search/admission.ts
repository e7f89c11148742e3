/** How proposals get into an archive: asked for, judged by the checks that need no rollout, and named. */
import { HarnessError, ProposerError, describeError } from "../base/errors.ts";
import type { Archive } from "./archive.ts";
import type { Candidate, Proposal, Proposer, SearchView } from "./candidate.ts";
import { isPromptOnlyEdit } from "./syntax/compare.ts";
import { parseHarness } from "./syntax/harness-tree.ts";

/** What a proposer gave, or why it gave nothing. */
export type Gathered = { readonly proposals: readonly Proposal[]; readonly failure: string };

/** Asks `proposer`; one that fails gives nothing and a reason. */
export async function gather(proposer: Proposer, view: SearchView): Promise<Gathered> {
  try {
    const proposals = await proposer.propose(view);
    return { proposals, failure: proposals.length === 0 ? `${proposer.name}: no proposal` : "" };
  } catch (error) {
    if (error instanceof ProposerError) return { proposals: [], failure: describeError(error) };
    throw error;
  }
}

/** What an admission needs beside the archive. */
export type Admission = {
  readonly iteration: number;
  /** Source that a candidate may differ from in prompt text only; undefined allows any change. */
  readonly promptOnlyBase: string | undefined;
};

/** Archives `proposals`, each refused at once where it breaks a check that needs no rollout. */
export function admit(proposals: readonly Proposal[], archive: Archive, rules: Admission): Candidate[] {
  return proposals.map((proposal) => {
    const objection = judge(proposal, archive, rules.promptOnlyBase);
    const candidate = archive.add(proposal, rules.iteration);
    return objection ? archive.refuse(candidate.name, objection.check, objection.reason) : candidate;
  });
}

type Objection = { readonly check: string; readonly reason: string };

/** The checks that need no rollout and no isolate. */
function judge(proposal: Proposal, archive: Archive, promptOnlyBase: string | undefined): Objection | undefined {
  try {
    parseHarness(proposal.source);
    if (promptOnlyBase !== undefined && !isPromptOnlyEdit(promptOnlyBase, proposal.source))
      return { check: "prompt-only", reason: "differs from h0 in more than prompt text" };
  } catch (error) {
    if (error instanceof HarnessError) return { check: "syntax", reason: describeError(error) };
    throw error;
  }
  const twin = archive.find(proposal.source);
  return twin === undefined ? undefined : { check: "duplicate", reason: `same program as ${twin}` };
}
