/** What one candidate of a harness phase scores, and the record of it. */
import { hashContent } from "../base/hash.ts";
import { createRng } from "../base/rng.ts";
import type { Domain } from "../rollout/domain.ts";
import { redactTrace } from "../rollout/redact.ts";
import type { RolloutTrace } from "../rollout/trace.ts";
import type { Candidate, Evaluation } from "../search/candidate.ts";
import { raceDecision } from "../search/racing.ts";
import { scoreOf, type Scored } from "../search/selection.ts";
import { bootstrapMean } from "../stats/bootstrap.ts";
import { searchTasks } from "./confirm.ts";
import type { RunContext } from "./context.ts";
import type { CandidateRecord } from "./events.ts";
import { runBatches, wantSamples } from "./rollouts.ts";
import type { Phase } from "./schedule.ts";
import type { NamedHarness } from "./state.ts";

/** What one candidate scored in `traces`, with why the others failed. */
export function toEvaluation(domain: Domain, traces: readonly RolloutTrace[]): Evaluation {
  const mean = (of: (trace: RolloutTrace) => number): number =>
    traces.reduce((sum, trace) => sum + of(trace), 0) / Math.max(1, traces.length);
  return {
    rewards: traces.map(({ reward }) => reward),
    meanTurns: mean(({ usage }) => usage.turns),
    meanTokens: mean(({ usage }) => usage.tokens),
    causes: countCauses(domain, traces),
    traces,
  };
}

/**
 * Runs `harnesses` side by side on the harness tasks, in one go, or in blocks where they race against `rival`, the rewards
 * of the incumbent on the same rollouts (undefined for the incoming harness). The keys of the rollouts hold the phase, but
 * neither candidate nor iteration: all candidates of a phase are paired.
 */
export async function evaluateCandidates(
  run: RunContext,
  phase: Phase,
  { harnesses, rival }: { readonly harnesses: readonly NamedHarness[]; readonly rival: readonly number[] | undefined },
): Promise<Evaluation[]> {
  const { samples, racing, raceBlock } = run.config.search;
  const all = wantSamples(searchTasks(run), samples);
  const block = racing && rival !== undefined ? raceBlock * samples : all.length;
  const runners = harnesses.map((harness) => ({ harness, traces: [] as RolloutTrace[], isOut: false }));
  for (let start = 0; start < all.length; start += block) {
    const wanted = all.slice(start, start + block);
    const racers = runners.filter(({ isOut }) => !isOut);
    const batches = racers.map(({ harness }) => ({ harness, purpose: ["search", phase.index], wanted }));
    const results = await runBatches(run, "harness", batches);
    for (const [i, racer] of racers.entries()) {
      racer.traces.push(...(results[i] ?? []));
      racer.isOut = rival !== undefined && isOut(racer.traces, rival, block);
    }
  }
  return runners.map(({ traces }) => toEvaluation(run.parts.domain, traces));
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

function isOut(traces: readonly RolloutTrace[], rival: readonly number[], block: number): boolean {
  const rewards = traces.map(({ reward }) => reward);
  return raceDecision(rewards, rival, { block }).kind === "drop";
}

function countCauses(domain: Domain, traces: readonly RolloutTrace[]): Readonly<Record<string, number>> {
  const causes: Record<string, number> = {};
  for (const trace of traces) {
    if (trace.reward > 0.5) continue;
    const cause = domain.diagnose(redactTrace(trace));
    causes[cause] = (causes[cause] ?? 0) + 1;
  }
  return causes;
}
