/** One point of the curve: weights and harness as they are now, on validation and on test. */
import { evaluate, type EvaluationResult } from "../evaluation/evaluate.ts";
import type { Task } from "../rollout/domain.ts";
import type { RolloutTrace } from "../rollout/trace.ts";
import { slimTrace } from "../search/archive.ts";
import type { JsonObject } from "../base/json.ts";
import { completePhase } from "../store/phase-manifest.ts";
import { phaseFolder } from "../store/run-store.ts";
import type { RunContext } from "./context.ts";
import { chargeRollouts, spentRollouts, type Ledger } from "./ledger.ts";
import { runShared } from "./rollouts.ts";
import type { Phase } from "./schedule.ts";
import { playedHarnesses } from "./state.ts";
import type { Accuracy, CurvePoint } from "./summary.ts";

/** Rollouts of an evaluation whose transcripts are kept: the first sample of this many test tasks. */
const KEPT_TRANSCRIPTS = 8;

/**
 * Evaluates after `phase`, or the base where there is none, and completes the phase. Where neither weights nor harness
 * changed since the last point, its figures stand: the streams are the same, so the rollouts would be too.
 */
export async function evaluatePoint(run: RunContext, phase: Phase | undefined): Promise<void> {
  const state = run.state();
  const index = phase?.index ?? 0;
  const last = state.curve.at(-1);
  const played = playedHarnesses(state).map(({ name }) => name);
  const now = { checkpoint: state.checkpoint, harness: played.join("+") };
  const reused = state.evaluated?.checkpoint === now.checkpoint && state.evaluated.harness === now.harness;
  const where = {
    rollouts: spentRollouts(state.ledger),
    cycle: phase?.cycle ?? 0,
    phase: phase?.kind ?? "base",
    step: state.step,
    harness: state.harness.name,
    ...(state.population.length > 0 && { population: played }),
  } as const;
  const measured =
    reused && last !== undefined
      ? { validation: last.validation, test: last.test, ledger: state.ledger }
      : await run.timed("evaluation", () => measure(run, index));
  const point: CurvePoint = { ...where, validation: measured.validation, test: measured.test };
  run.emit({ kind: "evaluation", index, reused, point });
  if (phase !== undefined)
    await completePhase(run.parts.store, phaseFolder(index, phase.kind), {
      index,
      cycle: phase.cycle,
      kind: phase.kind,
      ...now,
      step: state.step,
    });
  await run.commit({
    ...state,
    progress: { phases: index, steps: state.step },
    stage: null,
    evaluated: now,
    ledger: measured.ledger,
    curve: [...state.curve, point],
  });
}

/** Where the scores by task and some transcripts of evaluation `index` (phases completed before it) stand. */
export function evaluationPath(index: number): string {
  return `evaluations/${String(index).padStart(3, "0")}.json`;
}

async function measure(
  run: RunContext,
  index: number,
): Promise<{ validation: Accuracy; test: Accuracy; ledger: Ledger }> {
  const { tasks, store } = run.parts;
  const { harness, step, ledger } = run.state();
  const validation = await evaluateSplit(run, "validation", tasks.validation);
  const test = await evaluateSplit(run, "test", tasks.test);
  const { samples } = run.config.evaluation;
  const transcripts = test.traces.filter((_, i) => i % samples === 0).slice(0, KEPT_TRANSCRIPTS);
  await store.writeJson(evaluationPath(index), {
    schema: 1,
    index,
    step,
    harness: harness.name,
    validation: validation.scores,
    test: test.scores,
    transcripts: transcripts.map(transcript),
  });
  const spent = chargeRollouts(ledger, "evaluation", [...validation.traces, ...test.traces]);
  return { validation: accuracy(validation), test: accuracy(test), ledger: spent };
}

function evaluateSplit(
  run: RunContext,
  split: "validation" | "test",
  tasks: readonly Task[],
): Promise<EvaluationResult> {
  const harnesses = playedHarnesses(run.state());
  const { evaluation, seed } = run.config;
  return evaluate(tasks, {
    ...evaluation,
    seed,
    rollouts: (wanted) => runShared(run, "evaluation", { harnesses, purpose: [split], wanted }),
  });
}

function accuracy({ mean, low, high }: EvaluationResult): Accuracy {
  return { meanAt8: mean, low, high };
}

/** A trace for people: what was said and done, without token ids, but with its task. */
function transcript(trace: RolloutTrace): JsonObject {
  return { ...slimTrace(trace), task: trace.task };
}
