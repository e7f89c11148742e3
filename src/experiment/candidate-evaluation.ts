/** What one candidate of a harness phase scores, and the record of it. */
import { hashContent } from "../base/hash.ts";
import { createRng } from "../base/rng.ts";
import type { RolloutTrace } from "../rollout/trace.ts";
import type { Candidate, Evaluation } from "../search/candidate.ts";
import { scoreOf, type Scored } from "../search/selection.ts";
import { bootstrapMean } from "../stats/bootstrap.ts";
import type { RunContext } from "./context.ts";
import type { CandidateRecord } from "./events.ts";
import { runRequests } from "./rollouts.ts";
import type { Phase } from "./schedule.ts";
import type { NamedHarness } from "./state.ts";

/**
 * Runs `harness` on the harness tasks. The keys of the rollouts hold the phase, but neither candidate nor iteration: all
 * candidates of a phase are paired.
 */
export async function evaluateCandidate(
  run: RunContext,
  phase: Phase,
  harness: NamedHarness,
): Promise<{ readonly evaluation: Evaluation; readonly traces: readonly RolloutTrace[] }> {
  const { samples } = run.config.search;
  const requests = run.parts.tasks.harness.flatMap((task) =>
    Array.from({ length: samples }, (_, sample) => ({ task, sample })),
  );
  const traces = await runRequests(run, requests, { use: "harness", purpose: ["search", phase.index], harness });
  const causes = countCauses(run, traces);
  const mean = (of: (trace: RolloutTrace) => number): number =>
    traces.reduce((sum, trace) => sum + of(trace), 0) / Math.max(1, traces.length);
  const evaluation = {
    rewards: traces.map(({ reward }) => reward),
    meanTurns: mean(({ usage }) => usage.turns),
    meanTokens: mean(({ usage }) => usage.tokens),
    causes,
    traces,
  };
  return { evaluation, traces };
}

/** The record of `candidate`, with its paired gain over the `incumbent` of its round. */
export function describeCandidate(
  run: RunContext,
  phase: Phase,
  { candidate, incumbent }: { readonly candidate: Candidate; readonly incumbent: Scored },
): CandidateRecord {
  const { name, iteration, parent, axis, hypothesis, mechanisms, source, status } = candidate;
  const about = { name, iteration, parent, axis, hypothesis, mechanisms, sourceHash: hashContent(source) };
  if (status.kind !== "evaluated") {
    const [refusedBy, reason] = status.kind === "refused" ? [status.check, status.reason] : ["", ""];
    return { ...about, refusedBy, reason, result: null };
  }
  const { evaluation } = status;
  const rivals = incumbent.status.evaluation.rewards;
  const differences = evaluation.rewards.map((reward, i) => reward - (rivals[i] as number));
  const rng = createRng(run.config.seed, "gain", phase.index, name);
  return {
    ...about,
    refusedBy: "",
    reason: "",
    result: {
      reward: scoreOf({ ...candidate, status }),
      turns: evaluation.meanTurns,
      tokens: evaluation.meanTokens,
      gain: bootstrapMean(differences, rng, run.config.evaluation),
      causes: evaluation.causes,
    },
  };
}

function countCauses(run: RunContext, traces: readonly RolloutTrace[]): Readonly<Record<string, number>> {
  const causes: Record<string, number> = {};
  for (const trace of traces) {
    if (trace.reward > 0.5) continue;
    const cause = run.parts.domain.diagnose(diagnosable(trace));
    causes[cause] = (causes[cause] ?? 0) + 1;
  }
  return causes;
}
