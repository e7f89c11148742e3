/** One weight phase: RSFT steps under a frozen harness until the length, or patience, ends it. */
import type { RolloutTrace } from "../rollout/trace.ts";
import { rsftStep, type RsftMetrics } from "../rsft/step.ts";
import { saveAccepted, saveCheckpoint } from "./checkpoints.ts";
import type { RunContext } from "./context.ts";
import { chargeRollouts, chargeTraining, spentRollouts, type Ledger } from "./ledger.ts";
import { promptBatch } from "./prompt-stream.ts";
import { runShared } from "./rollouts.ts";
import type { Phase } from "./schedule.ts";
import { playedHarnesses, type Stage } from "./state.ts";
import { FRESH_WEIGHT_PATIENCE, observeReward } from "./weight-patience.ts";

/** A phase that trains weights. */
export type WeightsPhase = Extract<Phase, { readonly kind: "weights" }>;

/** Runs `phase`, or what is left of it. Each step ends with a checkpoint and a mark. */
export async function runWeightsPhase(run: RunContext, phase: WeightsPhase): Promise<void> {
  let stage: Stage = run.state().stage ?? startPhase(run, phase);
  while (stage.kind === "weights") {
    await run.parts.gate?.();
    const state = run.state();
    const step = state.step + 1;
    const { metrics, accepted, ledger } = await trainStep(run, step);
    const spent = spentRollouts(ledger);
    run.emit({ kind: "rsft-step", phase: phase.index, cycle: phase.cycle, step, spent, ...metrics });

    const taken = stage.taken + 1;
    const observed = observeReward(stage.patience, metrics.reward, run.config.adaptive.weights);
    const outOfPatience = run.condition.adaptive && observed.stop;
    const ended = outOfPatience || taken >= phase.steps;
    if (ended)
      run.emit({
        kind: "phase-end",
        phase: phase.index,
        cycle: phase.cycle,
        part: "weights",
        length: taken,
        stopped: taken >= phase.steps ? "length" : "patience",
        harness: state.harness.name,
        step,
        spent,
      });
    stage = ended ? { kind: "evaluation" } : { kind: "weights", taken, patience: observed.state };

    if (!metrics.skipped) {
      const about = { step, phase: phase.index, cycle: phase.cycle, harness: state.harness.name };
      await saveCheckpoint(run.parts.store, run.parts.policy, about);
      await saveAccepted(run.parts.store, step, accepted);
    }
    await run.commit({ ...state, stage, step, checkpoint: metrics.skipped ? state.checkpoint : step, ledger });
  }
}

function startPhase(run: RunContext, phase: WeightsPhase): Stage {
  const { step, harness, ledger } = run.state();
  run.emit({
    kind: "phase-start",
    phase: phase.index,
    cycle: phase.cycle,
    part: "weights",
    length: phase.steps,
    harness: harness.name,
    step,
    spent: spentRollouts(ledger),
  });
  return { kind: "weights", taken: 0, patience: FRESH_WEIGHT_PATIENCE };
}

type StepResult = {
  readonly metrics: RsftMetrics;
  readonly accepted: readonly RolloutTrace[];
  readonly ledger: Ledger;
};

async function trainStep(run: RunContext, step: number): Promise<StepResult> {
  const { config, parts } = run;
  let { ledger } = run.state();
  const prompts = promptBatch(parts.tasks.weight, step, { seed: config.seed, size: config.rsft.prompts });
  const harnesses = playedHarnesses(run.state());
  const { metrics, traces, accepted } = await rsftStep(
    prompts,
    {
      rollouts: (wanted) =>
        run.timed("rsft rollouts", () => runShared(run, "weights", { harnesses, purpose: ["weights", step], wanted })),
      train: (examples) => run.timed("rsft update", () => parts.policy.trainStep(examples)),
    },
    config.rsft,
  );
  ledger = chargeTraining(chargeRollouts(ledger, "weights", traces), metrics.tokensTrained);
  return { metrics, accepted, ledger };
}
