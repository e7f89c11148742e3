/** Rollouts of one run: who asks says what for, and under which harness; keys, limits and progress come from here. */
import { hashContent } from "../base/hash.ts";
import type { Completer } from "../generation/completer.ts";
import type { Domain, RolloutLimits, Task } from "../rollout/domain.ts";
import { runRollouts } from "../rollout/pool.ts";
import { TRACE_VERSION, type RolloutTrace } from "../rollout/trace.ts";
import type { ExperimentConfig } from "./config.ts";
import type { ExperimentParts, RunContext } from "./context.ts";
import { formatTraces, selectKept, tracePath, type TraceHeader } from "./kept-traces.ts";
import type { RolloutUse } from "./ledger.ts";
import type { NamedHarness } from "./state.ts";

/** One rollout wanted. */
export type WantedRollout = { readonly task: Task; readonly sample: number };

/** Rollouts under one harness. */
export type RolloutBatch = {
  readonly harness: NamedHarness;
  /** Keys between the run's seed and the task: equal purposes meet equal random streams, whatever the harness. */
  readonly purpose: readonly (string | number)[];
  readonly wanted: readonly WantedRollout[];
};

/** All samples of the first of `tasks`, then of the second, ... */
export function wantSamples(tasks: readonly Task[], samples: number): WantedRollout[] {
  return tasks.flatMap((task) => Array.from({ length: samples }, (_, sample) => ({ task, sample })));
}

/**
 * Runs one batch in equal shares under each of `harnesses`, in turn over what is wanted: where their number divides the
 * samples of a task, each task is played as often under each. Traces come in the order of `wanted`.
 */
export async function runShared(
  run: RunContext,
  use: RolloutUse,
  { harnesses, purpose, wanted }: Omit<RolloutBatch, "harness"> & { readonly harnesses: readonly NamedHarness[] },
): Promise<RolloutTrace[]> {
  const share = (index: number): WantedRollout[] => wanted.filter((_, i) => i % harnesses.length === index);
  const batches = harnesses.map((harness, index) => ({ harness, purpose, wanted: share(index) }));
  const results = await runBatches(run, use, batches);
  return wanted.map((_, i) => results[i % harnesses.length]?.[Math.floor(i / harnesses.length)] as RolloutTrace);
}

/** Runs several batches side by side and keeps their traces; they come in their order, batch by batch. */
export async function runBatches(
  run: RunContext,
  use: RolloutUse,
  batches: readonly RolloutBatch[],
): Promise<RolloutTrace[][]> {
  const results = await playBatches(run, use, batches);
  for (const [i, batch] of batches.entries()) await keepTraces(run, { use, batch, traces: results[i] ?? [] });
  return results;
}

/** What rollouts are played with; a run has more. */
export type RolloutHost = {
  readonly config: ExperimentConfig;
  readonly parts: Pick<ExperimentParts, "domain" | "codec" | "sandbox" | "policy" | "progress">;
};

/** Runs several batches side by side and keeps nothing; traces come in their order, batch by batch. */
export async function playBatches(
  run: RolloutHost,
  use: RolloutUse,
  batches: readonly RolloutBatch[],
): Promise<RolloutTrace[][]> {
  const { domain, codec, sandbox, policy, progress } = run.parts;
  const shared = { domain, codec, sandbox, limits: effectiveLimits(run.config, domain) };
  const requests = batches.flatMap(({ harness, purpose, wanted }, index) => {
    const coded = { source: harness.source, hash: hashContent(harness.source) };
    const completer = separate(policy.completer(), String(index));
    return wanted.map(({ task, sample }) => ({
      ...shared,
      task,
      harness: coded,
      completer,
      key: [run.config.seed, ...purpose, task.id, sample].join("/"),
    }));
  });
  let [done, reward] = [0, 0];
  const traces = await runRollouts(requests, {
    concurrency: run.config.rollout.concurrency,
    onTrace: (trace) => {
      done += 1;
      reward += trace.reward;
      progress({ kind: "rollouts", use, done, total: requests.length, reward: reward / done });
    },
  });
  let start = 0;
  return batches.map(({ wanted }) => traces.slice(start, (start += wanted.length)));
}

type PlayedBatch = {
  readonly use: RolloutUse;
  readonly batch: RolloutBatch;
  readonly traces: readonly RolloutTrace[];
};

async function keepTraces(run: RunContext, { use, batch, traces }: PlayedBatch): Promise<void> {
  const { config, parts } = run;
  const { progress, step, curve } = run.state();
  const isLearnt = (trace: RolloutTrace): boolean => use === "weights" && trace.reward > config.rsft.threshold;
  const kept = selectKept(traces, config.rollout.traces, isLearnt);
  const header: TraceHeader = {
    schema: TRACE_VERSION,
    phase: use === "evaluation" && curve.length === 0 ? 0 : progress.phases + 1,
    use,
    purpose: batch.purpose.join("-"),
    harness: batch.harness.name,
    step: use === "weights" ? step + 1 : step,
    first: run.numberRollouts(traces.length),
    rollouts: traces.length,
    kept: kept.length,
    reward: traces.reduce((sum, { reward }) => sum + reward, 0) / Math.max(1, traces.length),
  };
  await parts.store.writeBlob(tracePath(header), await formatTraces({ header, traces: kept }));
}

/** The domain's limits, or those that the settings put in their place. */
export function effectiveLimits(config: ExperimentConfig, domain: Domain): RolloutLimits {
  const of = (name: keyof RolloutLimits): number => config.limits[name] || domain.limits[name];
  return {
    tokens: of("tokens"),
    turns: of("turns"),
    toolCalls: of("toolCalls"),
    fuel: of("fuel"),
    memory: of("memory"),
  };
}

/**
 * `completer` with conversations of its own. Paired rollouts share their key, and so their random streams, but they are
 * different conversations and must not take each other's caches.
 */
function separate(completer: Completer, name: string): Completer {
  return {
    complete: (request) => completer.complete({ ...request, conversation: `${name}/${request.conversation}` }),
    release: (conversation) => {
      completer.release(`${name}/${conversation}`);
    },
  };
}
