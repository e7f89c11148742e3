/**
 * What a candidate must pass before rollouts of the policy are spent on it: static rules, a smoke rollout, provenance and
 * the null model. None of them asks the policy, so they cost the ledger nothing.
 */
import { checkHarness } from "../rollout/check.ts";
import { searchTasks } from "./confirm.ts";
import type { RunContext } from "./context.ts";
import { effectiveLimits } from "./rollouts.ts";

/** The first check that refused a candidate. */
export type Refusal = { readonly check: string; readonly reason: string };

/** Checks a candidate on harness tasks; undefined where it may be evaluated. */
export async function checkCandidate(run: RunContext, source: string): Promise<Refusal | undefined> {
  const { domain, codec, sandbox } = run.parts;
  const judgement = await checkHarness({
    domain,
    source,
    codec,
    sandbox,
    tasks: searchTasks(run),
    seed: run.config.seed,
    limits: effectiveLimits(run.config, run.parts.domain),
  });
  const failed = judgement.checks.find(({ ok }) => !ok);
  return failed === undefined ? undefined : { check: failed.name, reason: failed.detail };
}
