/**
 * The experiment, top to bottom: base evaluation, then phases that train weights or search a harness, an evaluation after
 * each, and the summary. Every condition takes this path; `schedule.ts` says which phase comes next.
 *
 * A run may be killed anywhere. Handed the same store again it goes on from the last mark and ends with the same bytes.
 */
import { hashContent, hashJson } from "../base/hash.ts";
import { SPLITS } from "../rollout/domain.ts";
import { loadCheckpoint, saveCheckpoint } from "./checkpoints.ts";
import type { ExperimentConfig } from "./config.ts";
import { createContext, saveHarness, type ExperimentParts, type RunContext } from "./context.ts";
import { evaluatePoint } from "./evaluate-point.ts";
import { EVENT_SCHEMA } from "./events.ts";
import { runFastPhase } from "./fast-phase.ts";
import { runHarnessPhase } from "./harness-phase.ts";
import { nextPhase } from "./schedule.ts";
import { freshState, readState, type RunInputs } from "./state.ts";
import { summarize, type RunSummary } from "./summary.ts";
import { runWeightsPhase } from "./weights-phase.ts";

/**
 * Runs the experiment in `parts.store`, or what is left of it, and returns its summary.
 * @throws {LabError} If the store, the model or the sandbox fails; nothing is lost then but the work since the last mark.
 */
export async function runExperiment(config: ExperimentConfig, parts: ExperimentParts): Promise<RunSummary> {
  const finished = parts.store.summary();
  if (finished !== undefined) return finished as RunSummary;

  const run = await openRun(config, parts);
  if (run.state().curve.length === 0) await evaluatePoint(run, undefined);
  for (;;) {
    const phase = nextPhase(run.plan, run.state().progress);
    if (phase === undefined) break;
    if (phase.kind === "weights") await runWeightsPhase(run, phase);
    else if (run.condition.order === "fast-slow") await runFastPhase(run, phase);
    else await runHarnessPhase(run, phase);
    await evaluatePoint(run, phase);
  }

  const summary = summarize(config, parts.policy.describe(), run.state());
  run.emit({ kind: "run-end", summary });
  await parts.store.finish(summary);
  return summary;
}

async function openRun(config: ExperimentConfig, parts: ExperimentParts): Promise<RunContext> {
  const { store, policy, domain, progress } = parts;
  const inputs: RunInputs = {
    model: policy.describe().hash,
    tasks: hashJson(SPLITS.map((split) => parts.tasks[split].map(({ id }) => id))),
    harness: hashContent(domain.seedHarness),
  };
  const mark = store.lastMark();
  if (mark !== undefined) {
    const state = readState(mark, inputs);
    await loadCheckpoint(store, policy, state.checkpoint);
    progress({ kind: "resumed", ...state.progress, steps: state.step });
    return createContext(config, parts, state);
  }
  const state = freshState(domain.seedHarness, inputs);
  const run = createContext(config, parts, state);
  await saveHarness(store, state.harness);
  await saveCheckpoint(store, policy, { step: 0, phase: 0, cycle: 0, harness: state.harness.name });
  run.emit({
    kind: "run-start",
    schema: EVENT_SCHEMA,
    config,
    model: policy.describe(),
    tasks: Object.fromEntries(SPLITS.map((split) => [split, parts.tasks[split].length])),
    tasksHash: inputs.tasks,
    harnessHash: inputs.harness,
  });
  await run.commit(state);
  return run;
}
