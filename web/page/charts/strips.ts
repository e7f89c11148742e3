/** The three low curves under the accuracy: what was accepted and its reward, how long answers were, how many were cut off. */
import type { StepPoint } from "../../protocol/runs.ts";
import { wholePercent } from "../format.ts";
import { nearestStep, stripData } from "../model/geometry.ts";
import { createChart, type Chart, type ChartInput } from "./frame.ts";

/** The strips, in the order of the page. */
export const STRIPS = ["accepted", "length", "clipped"] as const;
/** One of `STRIPS`. */
export type StripName = (typeof STRIPS)[number];

/** What a person does on a strip. */
export type StripHandlers = {
  readonly onHover: (index: number | undefined) => void;
  /** Picks the step nearest to the pointer. */
  readonly onPick: (step: StepPoint) => void;
};

const HEIGHT = 52;

/** The strip `name` in `element`. */
export function createStrip(
  element: HTMLElement,
  name: StripName,
  { input, onHover, onPick }: StripHandlers & { readonly input: () => ChartInput },
): Chart {
  const pick = VALUES[name];
  return createChart(element, input, {
    height: HEIGHT,
    hasXLabels: false,
    tickSpace: 24,
    tick: name === "length" ? (value) => String(value) : wholePercent,
    series: (palette) => [
      {
        stroke: () => palette().weightsText,
        width: 1.5,
        spanGaps: false,
        points: { show: true, size: 5, fill: () => palette().weights, stroke: () => palette().weights },
      },
      // Under a verifier that says right or wrong the mean reward lies on the accepted share.
      ...(name === "accepted"
        ? [{ stroke: () => palette().soft, width: 1, dash: [3, 3], spanGaps: false, points: { show: false } }]
        : []),
    ],
    data: ({ view }) => {
      const [xs, ys] = stripData(view.steps, pick);
      return name === "accepted" ? [xs, ys, stripData(view.steps, ({ reward }) => reward)[1]] : [xs, ys];
    },
    top: ({ view }) => topOf(name, view.steps),
    onHover,
    onPick: (rollouts) => {
      const step = nearestStep(input().view.steps, rollouts);
      if (step !== undefined) onPick(step);
    },
  });
}

const VALUES: Readonly<Record<StripName, (step: StepPoint) => number>> = {
  accepted: (step) => step.acceptRate,
  length: (step) => step.completionLength,
  clipped: (step) => step.clipped,
};

function topOf(name: StripName, steps: readonly StepPoint[]): number {
  const most = Math.max(
    0,
    ...steps.map(VALUES[name]),
    ...(name === "accepted" ? steps.map(({ reward }) => reward) : []),
  );
  if (name === "length") return Math.max(10, Math.ceil((most * 1.15) / 10) * 10);
  // A share of nearly nothing should look like nearly nothing.
  return Math.min(1, Math.max(0.1, Math.ceil(most * 10 + 0.5) / 10));
}
