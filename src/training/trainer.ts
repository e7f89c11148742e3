/** Trains one adapter: gradient of the global token mean, clip, AdamW. */
import { adamStep, clipNorm, createAdamState, globalNorm, type AdamState } from "./adamw.ts";
import type { Example, OptimizerConfig, StepMetrics, Trainer } from "./example.ts";
import type { GradientMachine } from "./gradient.ts";

/** What an adapter trainer owns and changes in place. */
export type TrainedState = { readonly values: Float32Array; readonly adam: AdamState };

/** A fresh state around `values` [P], which the trainer will change in place. */
export function createTrainedState(values: Float32Array): TrainedState {
  return { values, adam: createAdamState(values.length) };
}

/** A trainer of `state` through `machine`. */
export function createTrainer(machine: GradientMachine, state: TrainedState, optimizer: OptimizerConfig): Trainer {
  return {
    step: async (examples: readonly Example[]): Promise<StepMetrics> => {
      const { loss, gradient, targets, positions } = await machine.lossGradient(state.values, examples);
      const gradNorm = globalNorm(gradient);
      // A step whose gradient is not finite would destroy the adapter for good (reference: the step is skipped).
      if (Number.isFinite(gradNorm)) {
        clipNorm(gradient, gradNorm, optimizer.clip);
        adamStep(state.values, gradient, { state: state.adam, config: optimizer });
      }
      return { loss, gradNorm, targets, positions };
    },
  };
}
