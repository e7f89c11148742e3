/**
 * The schedules (E, I) that the WHALE paper compares, as settings of a preset.
 *
 * E is in epochs of the weight split. A run that is shorter than the paper's four epochs would have no second phase at
 * E = 0.6, so there the preset's own schedule stands for (0.6, 6), and the others keep their proportion to it.
 */
import type { ConfigOverrides, ExperimentConfig } from "./config.ts";
import { stepsOfEpochs } from "./schedule.ts";

/** E epochs of RSFT, I search iterations (the evaluation of the incoming harness counts as one). */
export type Schedule = { readonly epochs: number; readonly iterations: number };

/** The paper's ablation. */
export const PAPER_SCHEDULES: readonly Schedule[] = [
  { epochs: 0.2, iterations: 2 },
  { epochs: 0.2, iterations: 6 },
  { epochs: 0.6, iterations: 2 },
  { epochs: 0.6, iterations: 6 },
  { epochs: 1, iterations: 10 },
];

/** The schedule that the presets have. */
const USUAL: Schedule = { epochs: 0.6, iterations: 6 };
/** Epochs of the paper's shorter runs. */
const PAPER_EPOCHS = 4;
/** The evaluation of the incoming harness and one round of proposals. */
const FEWEST_ITERATIONS = 2;

/** The settings that give `config` the schedule `{ epochs, iterations }`. */
export function scheduleOverrides(config: ExperimentConfig, { epochs, iterations }: Schedule): ConfigOverrides {
  const { schedule, tasks, rsft } = config;
  const stepsPerEpoch = Math.round(tasks.weight / rsft.prompts);
  const isShort = schedule.totalSteps < PAPER_EPOCHS * stepsPerEpoch;
  const scaled = isShort ? schedule.phaseSteps / USUAL.epochs : stepsPerEpoch;
  return {
    "schedule.phaseSteps": Math.min(stepsOfEpochs(epochs, scaled), schedule.totalSteps),
    "schedule.iterations": Math.max(
      FEWEST_ITERATIONS,
      Math.round((iterations * schedule.iterations) / USUAL.iterations),
    ),
  };
}
