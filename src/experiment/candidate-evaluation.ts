/** What one candidate of a harness phase scores, and the record of it. */
import { hashContent } from "../base/hash.ts";
import { createRng } from "../base/rng.ts";
import type { DiagnosableTrace } from "../rollout/domain.ts";
import type { RolloutTrace } from "../rollout/trace.ts";
import type { Candidate, Evaluation } from "../search/candidate.ts";
import { raceDecision } from "../search/racing.ts";
import { scoreOf, type Scored } from "../search/selection.ts";
import { bootstrapMean } from "../stats/bootstrap.ts";
import type { RunContext } from "./context.ts";
import type { CandidateRecord } from "./events.ts";
import { runRequests } from "./rollouts.ts";
import type { Phase } from "./schedule.ts";
import type { NamedHarness } from "./state.ts";

/** What a candidate meets. */
export type CandidateTrial = {
  readonly harness: NamedHarness;
  /** Rewards of the incumbent on the same rollouts; undefined for the incoming harness, which has no rival. */
  readonly rival: readonly number[] | undefined;
};

/**
 * Runs a candidate on the harness tasks, in one go, or in blocks where it races. The keys of the rollouts hold the phase,
 * but neither candidate nor iteration: all candidates of a phase are paired.
 */
export async function evaluateCandidate(
  run: RunContext,
  phase: Phase,
  { harness, rival }: CandidateTrial,
): Promise<Evaluation> {
  const { samples, racing, raceBlock } = run.config.search;
  const requests = run.parts.tasks.harness.flatMap((task) =>
    Array.from({ length: samples }, (_, sample) => ({ task, sample })),
  );
  const block = racing && rival !== undefined ? raceBlock * samples : requests.length;
  const traces: RolloutTrace[] = [];
  while (traces.length < requests.length) {
    const next = requests.slice(traces.length, traces.length + block);
    traces.push(...(await runRequests(run, next, { use: "harness", purpose: ["search", phase.index], harness })));
    if (rival === undefined) continue;
    const rewards = traces.map(({ reward }) => reward);
    if (raceDecision(rewards, rival, { block }).kind === "drop") break;
  }
  return toEvaluation(run, traces);
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

function toEvaluation(run: RunContext, traces: readonly RolloutTrace[]): Evaluation {
  const mean = (of: (trace: RolloutTrace) => number): number =>
    traces.reduce((sum, trace) => sum + of(trace), 0) / Math.max(1, traces.length);
  return {
    rewards: traces.map(({ reward }) => reward),
    meanTurns: mean(({ usage }) => usage.turns),
    meanTokens: mean(({ usage }) => usage.tokens),
    causes: countCauses(run, traces),
    traces,
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

/** The part of a trace that a diagnosis reads. */
function diagnosable({ outcome, reason, steps, returned }: RolloutTrace): DiagnosableTrace {
  const turns = steps.flatMap((step) => (step.kind === "chat" ? [{ text: step.text, finish: step.finish }] : []));
  const toolCalls = steps.flatMap((step) =>
    step.kind === "tool" ? [{ name: step.name, ok: step.ok, result: step.result }] : [],
  );
  return { outcome, reason, turns, toolCalls, returned };
}
