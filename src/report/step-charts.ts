/** Small charts under the accuracy: what each RSFT step saw, on the same rollout axis. */
import {
  drawSvg,
  drawYAxis,
  formatCount,
  formatShare,
  linePath,
  roundTicks,
  shorten,
  xScale,
  yScale,
  type Frame,
} from "./chart.ts";
import { html, type Html } from "./html.ts";
import type { RunRecord, StepPoint } from "./run-record.ts";
import { SERIES } from "./style.ts";

const FRAME: Frame = { width: 460, height: 150, left: 56, right: 16, top: 12, bottom: 20 };

type Measure = {
  readonly title: string;
  readonly meaning: string;
  readonly pick: (step: StepPoint) => number;
  /** A share has the axis 0 to 100 %; a count its own. */
  readonly isShare: boolean;
};

const MEASURES: readonly Measure[] = [
  { title: "Reward", meaning: "mean reward of the step's rollouts", pick: (s) => s.reward, isShare: true },
  {
    title: "Accepted",
    meaning: "share of rollouts that were right and so learned from",
    pick: (s) => s.accepted,
    isShare: true,
  },
  { title: "Length", meaning: "mean sampled tokens a rollout", pick: (s) => s.length, isShare: false },
  {
    title: "Clipped",
    meaning: "share of rollouts that ran into the token limit",
    pick: (s) => s.clipped,
    isShare: true,
  },
];

/** All step charts of `runs`, as figures. */
export function drawStepCharts(runs: readonly RunRecord[]): Html {
  if (runs.every((run) => run.steps.length === 0))
    return html`<p class="quiet">No weight phase ran, so there are no training steps to show.</p>`;
  const mostRollouts = Math.max(1, ...runs.flatMap((run) => [...run.curve, ...run.steps].map((p) => p.rollouts)));
  return html`<div class="small-charts">${MEASURES.map((measure) => drawMeasure(measure, runs, mostRollouts))}</div>`;
}

function drawMeasure(measure: Measure, runs: readonly RunRecord[], mostRollouts: number): Html {
  const largest = Math.max(...runs.flatMap((run) => run.steps.map(measure.pick)), measure.isShare ? 0.05 : 1);
  const most = measure.isShare ? Math.min(1, Math.ceil(largest * 10) / 10) : largest * 1.1;
  const x = xScale(FRAME, mostRollouts);
  const y = yScale(FRAME, most);
  const format = (value: number): string => (measure.isShare ? formatShare(value) : String(Math.round(value)));
  const ticks = roundTicks(most, 3).map((value) => ({
    value,
    label: measure.isShare ? `${String(Math.round(100 * value))}\u202f%` : formatCount(value),
  }));
  const lines = runs.map((run, i) => {
    const points = run.steps.map((step) => [x(step.rollouts), y(measure.pick(step))] as const);
    return html`<g class="${runs.length === 1 ? "steps" : `overlay run-${String(i % SERIES.length)}`}">
      ${splitPhases(run.steps).map(([from, to]) => html`<path class="line" d="${linePath(points.slice(from, to))}" />`)}
      ${run.steps.map((step, j) => html`<circle cx="${shorten(points[j]?.[0] ?? 0)}" cy="${shorten(points[j]?.[1] ?? 0)}" r="2.5"><title>${`step ${String(step.step)}: ${format(measure.pick(step))}`}</title></circle>`)}
    </g>`;
  });
  return html`<figure>
    <figcaption><b>${measure.title}</b> ${measure.meaning}</figcaption>
    ${drawSvg(FRAME, `${measure.title}: ${measure.meaning}`, [drawPhaseWash(runs, x), drawYAxis(FRAME, y, ticks), ...lines])}
  </figure>`;
}

/** Index ranges [from, to) of the steps of each phase. */
function splitPhases(steps: readonly StepPoint[]): [number, number][] {
  const ranges: [number, number][] = [];
  steps.forEach((step, i) => {
    const last = ranges.at(-1);
    if (last !== undefined && steps[i - 1]?.phase === step.phase) last[1] = i + 1;
    else ranges.push([i, i + 1]);
  });
  return ranges;
}

function drawPhaseWash(runs: readonly RunRecord[], x: (value: number) => number): Html {
  const [only] = runs;
  if (runs.length !== 1 || only === undefined) return html``;
  return html`<g>
    ${only.phases.map(
      (phase) =>
        html`<rect
          class="wash ${phase.kind}"
          x="${shorten(x(phase.from))}"
          y="${FRAME.top}"
          width="${shorten(Math.max(0, x(phase.to) - x(phase.from)))}"
          height="${FRAME.height - FRAME.top - FRAME.bottom}"
        />`,
    )}
  </g>`;
}
