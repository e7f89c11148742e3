/** The sentence of now: what the run is doing at this moment, in words that need no glossary. */
import type { RunEvent } from "../../../src/index.ts";
import { grouped, percent, plural, signedPoints } from "../format.ts";
import { pointName, type RunView } from "./run-view.ts";

/** One sentence (or two short ones) on `view`. */
export function describeNow(view: RunView): string {
  if (view.isComplete) return describeEnd(view);
  if (view.last === undefined) return "Nothing has run yet.";
  if (view.batch !== undefined) return describeBatch(view);
  return describeEvent(view);
}

function describeBatch(view: RunView): string {
  const { batch, phase } = view;
  if (batch === undefined) return "";
  const right = Math.round(batch.reward * batch.done);
  const soFar = `${grouped(batch.done)} of ${grouped(batch.total)} tries done, ${grouped(right)} right`;
  if (batch.use === "evaluation") return `Measuring ${measured(view)}, on tasks it never trains on: ${soFar}.`;
  if (phase?.part === "weights") {
    const step = view.steps.filter((row) => row.phase === phase.phase).length + 1;
    const name = `Training step ${String(step)} of ${String(phase.length)}`;
    if (batch.done === batch.total && right > 0)
      return `${name}: ${grouped(right)} of ${grouped(batch.total)} answers were right, learning from those.`;
    return `${name}: ${soFar}. It will learn from the right ones.`;
  }
  const round = view.rounds.filter((row) => row.phase === phase?.phase).length;
  if (round === 0) return `Scoring the present harness first, so that rewrites can be compared with it: ${soFar}.`;
  return `Trying rewritten harnesses, round ${String(round)} of ${String(phase?.length ?? round)}: ${soFar}.`;
}

/** What an evaluation under way will tell. */
function measured({ curve, phases }: RunView): string {
  if (curve.length === 0) return "where it begins";
  return phases.at(-1)?.part === "harness" ? "what the new harness brought" : "what the training brought";
}

function describeEvent(view: RunView): string {
  const event = view.last;
  switch (event?.kind) {
    case "run-start":
      return "Everything is loaded. First we measure the untrained model with the first harness.";
    case "phase-start":
      return event.part === "weights"
        ? `Now the weights: ${plural(event.length, "training step")} under harness ${event.harness}.`
        : `Now the harness: up to ${plural(event.length, "round")} of rewrites, with the weights held still.`;
    case "rsft-step":
      return describeStep(view, event);
    case "candidate":
      return event.result === null
        ? `A rewrite was refused before it ran: ${event.reason}.`
        : `A rewrite (${event.axis}) got ${percent(event.result.reward)} of its tasks right.`;
    case "search-iteration":
      if (event.failure !== "") return `No rewrite this round: ${event.failure}.`;
      if (event.iteration === 0)
        return `The present harness gets ${percent(event.bestReward)} of the search tasks right.`;
      return `Round ${String(event.iteration)} done: the best harness gets ${percent(event.bestReward)} of the search tasks right.`;
    case "phase-end":
      return event.part === "weights"
        ? `The weights have had ${plural(event.length, "step")}. Next we measure.`
        : `Harness ${event.harness} goes on. Next we measure.`;
    case "evaluation":
      return describePoint(view, event);
    case "resumed":
      return `Going on where it stopped: ${plural(event.steps, "training step")} already done.`;
    case "rollouts":
    case "run-end":
    case undefined:
      return "";
  }
}

function describeStep(view: RunView, event: Extract<RunEvent, { kind: "rsft-step" }>): string {
  const inPhase = view.steps.filter((row) => row.phase === event.phase).length;
  const of = view.phase === undefined ? "" : ` of ${String(view.phase.length)}`;
  const learned = event.skipped ? "so there was nothing to learn from" : "learning from those";
  return `Training step ${String(inPhase)}${of}: ${grouped(event.accepted)} of ${grouped(event.rollouts)} answers were right, ${learned}.`;
}

function describePoint(view: RunView, { point }: Extract<RunEvent, { kind: "evaluation" }>): string {
  const name = point.phase === "base" ? "Before any training" : upper(pointName(point));
  return `${name}: ${percent(point.test.meanAt8)} right on test. ${compareWithBase(view, point)}`.trim();
}

function describeEnd(view: RunView): string {
  const { chosen, curve } = view;
  const base = curve[0];
  if (chosen === undefined || base === undefined) return "Done.";
  const from = percent(base.test.meanAt8);
  const gain = chosen.test.meanAt8 - base.test.meanAt8;
  return `Done: from ${from} to ${percent(chosen.test.meanAt8)} on test (${signedPoints(gain)} points), with harness ${chosen.harness} and ${plural(chosen.step, "training step")}. ${compareWithBase(view, chosen)}`.trim();
}

/** Whether a point can be told from the base; overlapping intervals are said, not hidden. */
export function compareWithBase(view: Pick<RunView, "curve">, point: RunView["curve"][number]): string {
  const base = view.curve[0];
  if (base === undefined || point === base || point.phase === "base") return "";
  if (point.test.low > base.test.high) return "Above the base’s band.";
  if (point.test.high < base.test.low) return "Below the base’s band.";
  return "Not yet distinguishable from the base.";
}

function upper(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
