/**
 * One step of online rejection-sampling fine-tuning (RSFT), after the WHALE reference: B prompts with n rollouts each under
 * the current weights and harness, acceptance above a threshold, one pass of negative log-likelihood over what was
 * accepted, and the samples are dropped.
 *
 * Deviation on purpose: the loss of a mini-batch is one global token mean; the reference takes a mean of rank means.
 */
import type { Task } from "../rollout/domain.ts";
import type { RolloutTrace } from "../rollout/trace.ts";
import type { Example, StepMetrics } from "../training/example.ts";
import { selectAccepted } from "./select.ts";
import { miniBatches, toExamples } from "./to-examples.ts";

/** A rollout that a step asks for. */
export type StepRollout = { readonly task: Task; readonly sample: number };

/** What a step needs. */
export type RsftStepParts = {
  /** Runs the rollouts under the current weights and harness; traces come in the order of the requests. */
  readonly rollouts: (requests: readonly StepRollout[]) => Promise<readonly RolloutTrace[]>;
  /** One optimiser step. */
  readonly train: (examples: readonly Example[]) => Promise<StepMetrics>;
};

/** Settings of a step. */
export type RsftStepConfig = {
  /** n: rollouts a prompt. */
  readonly samples: number;
  /** Rewards strictly above are accepted. */
  readonly threshold: number;
  /** Accepted trajectories an optimiser step. */
  readonly miniBatch: number;
};

/** What a step did. Shares are in [0, 1], lengths in tokens. */
export type RsftMetrics = {
  /** Mean reward over rollouts in which anything was sampled; 0 where none was. */
  readonly reward: number;
  readonly rollouts: number;
  readonly accepted: number;
  readonly acceptRate: number;
  /** Share of prompts none of whose rollouts was accepted. */
  readonly promptsUnsolved: number;
  /** Share of prompts all of whose rollouts were accepted. */
  readonly promptsSolved: number;
  /** Mean sampled tokens a rollout. */
  readonly completionLength: number;
  /** Share of rollouts in which a token limit or the context window cut the model off. */
  readonly clipped: number;
  /** Mean negative log-likelihood over all targets, in nats; null where nothing was trained or it is not finite. */
  readonly loss: number | null;
  /** Mean over optimiser steps of the global gradient norm before clipping; null like `loss`. */
  readonly gradNorm: number | null;
  /** Optimiser steps. */
  readonly updates: number;
  /** Whether nothing was accepted, so that the weights did not change. */
  readonly skipped: boolean;
  readonly tokensSampled: number;
  /** Training targets. */
  readonly tokensTrained: number;
};

/** The outcome of a step. */
export type RsftStep = {
  readonly metrics: RsftMetrics;
  readonly traces: readonly RolloutTrace[];
  /** Those of `traces` that were learnt from, in order. */
  readonly accepted: readonly RolloutTrace[];
};

/** Runs one step on `prompts`. Rollouts are interleaved: all samples of the first prompt, then of the second, ... */
export async function rsftStep(
  prompts: readonly Task[],
  parts: RsftStepParts,
  config: RsftStepConfig,
): Promise<RsftStep> {
  const requests = prompts.flatMap((task) => Array.from({ length: config.samples }, (_, sample) => ({ task, sample })));
  const traces = await parts.rollouts(requests);
  const accepted = selectAccepted(traces, config.threshold);
  const updates: StepMetrics[] = [];
  for (const batch of miniBatches(accepted, config.miniBatch)) {
    const examples = toExamples(batch);
    if (examples.length > 0) updates.push(await parts.train(examples));
  }
  return { metrics: { ...describeRollouts(traces, config), ...describeUpdates(updates) }, traces, accepted };
}

type RolloutPart = Omit<RsftMetrics, keyof UpdatePart>;
type UpdatePart = Pick<RsftMetrics, "loss" | "gradNorm" | "updates" | "skipped" | "tokensTrained">;

function describeRollouts(traces: readonly RolloutTrace[], config: RsftStepConfig): RolloutPart {
  const spoken = traces.filter((trace) => trace.usage.tokens > 0);
  const accepts = traces.map((trace) => trace.reward > config.threshold);
  const accepted = accepts.filter(Boolean).length;
  const prompts = traces.length / config.samples;
  // Samples of one prompt are neighbours, see `rsftStep`.
  const ofPrompt = Array.from({ length: prompts }, (_, prompt) =>
    accepts.slice(prompt * config.samples, (prompt + 1) * config.samples),
  );
  return {
    reward: mean(spoken.map((trace) => trace.reward)),
    rollouts: traces.length,
    accepted,
    acceptRate: ratio(accepted, traces.length),
    promptsUnsolved: ratio(ofPrompt.filter((samples) => !samples.includes(true)).length, prompts),
    promptsSolved: ratio(ofPrompt.filter((samples) => !samples.includes(false)).length, prompts),
    completionLength: mean(traces.map((trace) => trace.usage.tokens)),
    clipped: ratio(traces.filter(isClipped).length, traces.length),
    tokensSampled: traces.reduce((sum, trace) => sum + trace.usage.tokens, 0),
  };
}

function describeUpdates(updates: readonly StepMetrics[]): UpdatePart {
  const targets = updates.reduce((sum, update) => sum + update.targets, 0);
  const skipped = updates.length === 0;
  return {
    loss: skipped ? null : finite(updates.reduce((sum, update) => sum + update.loss * update.targets, 0) / targets),
    gradNorm: skipped ? null : finite(mean(updates.map((update) => update.gradNorm))),
    updates: updates.length,
    skipped,
    tokensTrained: targets,
  };
}

/** The ledger is JSON, which has no NaN: a diverged step says null. */
function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

function isClipped(trace: RolloutTrace): boolean {
  if (trace.outcome === "limit" && trace.detail === "tokens") return true;
  return trace.steps.some((step) => step.kind === "chat" && (step.finish === "length" || step.finish === "context"));
}

function mean(values: readonly number[]): number {
  return ratio(
    values.reduce((sum, value) => sum + value, 0),
    values.length,
  );
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
