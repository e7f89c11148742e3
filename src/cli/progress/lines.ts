/** Events of a run as lines that stay: the whole display where stderr is not a terminal, the history where it is. */
import { CONDITION_TABLE } from "../../experiment/conditions.ts";
import type { CandidateRecord, Confirmation, ProgressEvent } from "../../experiment/events.ts";
import type { CurvePoint, RunSummary } from "../../experiment/summary.ts";
import { grouped, interval, percent, plural, points } from "./figures.ts";
import type { ProgressState } from "./state.ts";

const STOP_REASONS = {
  length: "",
  patience: ", stopped by patience",
  perfect: ", every search task solved",
} as const;

/** The line for `event`, or undefined where it is not worth one; `state` is the one after the event. */
export function formatEvent(event: ProgressEvent, state: ProgressState): string | undefined {
  switch (event.kind) {
    case "run-start": {
      const { config, model, tasks } = event;
      const splits = Object.entries(tasks).map(([split, count]) => `${grouped(count)} ${split}`);
      const name = `${config.domain}, ${config.condition}, ${config.preset}, seed ${String(config.seed)}`;
      return `${name}: ${model.name} on ${model.device}; tasks: ${splits.join(", ")}`;
    }
    case "resumed":
      return `resumed after ${plural(event.phases, "phase")} and ${plural(event.steps, "step")}`;
    case "phase-start": {
      const what =
        event.part === "weights"
          ? plural(event.length, "training step")
          : `${plural(event.length, "round")} of candidates`;
      const { adaptive, order } = CONDITION_TABLE[state.config.condition];
      const isOpen = adaptive || (order === "fast-slow" && event.part === "harness");
      const most = isOpen ? "at most " : "";
      return `${event.part} ${String(event.cycle)}: ${most}${what}, starting from harness ${event.harness}`;
    }
    case "rsft-step": {
      const loss = event.loss === null ? "nothing learned" : `loss ${event.loss.toFixed(3)}`;
      const accepted = `accepted ${grouped(event.accepted)} of ${grouped(event.rollouts)}`;
      const length = `${event.completionLength.toFixed(0)} tokens a rollout`;
      return `  step ${String(event.step)}: reward ${percent(event.reward)}, ${accepted}, ${length}, ${loss}`;
    }
    case "candidate":
      return formatCandidate(event);
    case "search-iteration": {
      if (event.failure !== "") return `  round ${String(event.iteration)}: no candidates, ${event.failure}`;
      const best = `best ${event.best} at ${percent(event.bestReward)}`;
      if (event.iteration === 0) return `  incoming harness: ${percent(event.bestReward)}`;
      return `  round ${String(event.iteration)}: ${best}, ${String(event.evaluated)} evaluated, ${String(event.refused)} refused`;
    }
    case "phase-end": {
      const done = event.part === "weights" ? plural(event.length, "step") : plural(event.length, "round");
      const why = STOP_REASONS[event.stopped];
      const check = event.confirmation === undefined ? "" : `; ${formatConfirmation(event.confirmation)}`;
      return `${event.part} ${String(event.cycle)} done: ${done}${why}, harness ${event.harness}${check}`;
    }
    case "evaluation":
      return formatEvaluation(event.point, event.reused);
    case "rollouts":
    case "run-end":
      return undefined;
  }
}

/** The result of a run, as a few lines. */
export function formatSummary(summary: RunSummary): string[] {
  const { base, chosen, final, bestOnTest, ledger, samples } = summary;
  const row = (name: string, point: CurvePoint, note: string): string => {
    const { meanAt8, low, high } = point.test;
    return `  ${name.padEnd(13)}${interval(meanAt8, low, high).padEnd(24)}${note}`;
  };
  const gain = points(chosen.test.meanAt8 - base.test.meanAt8);
  const training = ledger.rollouts.weights + ledger.rollouts.harness;
  return [
    `Accuracy on test, mean@${String(samples)} with its bootstrap interval:`,
    row("base", base, "first harness, untrained weights"),
    row(
      "chosen",
      chosen,
      `best on validation: ${gain} points on test, harness ${chosen.harness}, step ${String(chosen.step)}`,
    ),
    row("final", final, "after the last phase"),
    row("best on test", bestOnTest, "chosen by looking at test, for comparison with the paper"),
    `Spent: ${plural(training, "rollout")} to train and search, ${grouped(ledger.rollouts.evaluation)} to evaluate; ` +
      `${grouped(ledger.tokensSampled)} tokens sampled, ${grouped(ledger.tokensTrained)} trained on` +
      (ledger.proposerTokens > 0 ? `, ${grouped(ledger.proposerTokens)} by the proposer.` : "."),
  ];
}

function formatCandidate(candidate: CandidateRecord): string {
  const { name, parent, axis, hypothesis, refusedBy, reason, result } = candidate;
  if (result === null) return `  ${name} (${axis}, from ${parent}) refused by ${refusedBy}: ${reason}`;
  const { mean, low, high } = result.gain;
  const gain = `${points(mean)} [${points(low)}, ${points(high)}]`;
  return `  ${name} (${axis}, from ${parent}) ${percent(result.reward)}, ${gain}: ${hypothesis}`;
}

function formatConfirmation({ tasks, reward, gain, searchReward, bestOf }: Confirmation): string {
  const difference = `${points(gain.mean)} [${points(gain.low)}, ${points(gain.high)}]`;
  return `on ${plural(tasks, "fresh task")} ${percent(reward)}, ${difference} (in the search ${percent(searchReward)}, best of ${String(bestOf)})`;
}

function formatEvaluation(point: CurvePoint, reused: boolean): string {
  const { validation, test } = point;
  const where = point.phase === "base" ? "base" : `after ${point.phase} ${String(point.cycle)}`;
  const scores = [
    `validation ${interval(validation.meanAt8, validation.low, validation.high)}`,
    `test ${interval(test.meanAt8, test.low, test.high)}`,
  ];
  return `${where}, ${plural(point.rollouts, "rollout")}: ${scores.join(", ")}${reused ? " (nothing changed)" : ""}`;
}
