/**
 * Accuracy against rollouts: the picture that a run is made for. One run shows its phases as bands and both splits with
 * intervals; several runs are drawn over each other by their test curves.
 */
import {
  bandPath,
  drawSvg,
  drawXAxis,
  drawYAxis,
  formatCount,
  formatShare,
  linePath,
  percentTicks,
  shorten,
  xScale,
  yScale,
  type Frame,
  type Point,
  type Scale,
} from "./chart.ts";
import { html, type Html } from "./html.ts";
import type { Accuracy, CurvePoint } from "../experiment/summary.ts";
import type { PhaseSpan, RunRecord } from "./run-record.ts";
import { SERIES } from "./style.ts";

const FRAME: Frame = { width: 960, height: 420, left: 56, right: 104, top: 36, bottom: 52 };
const STRIP_HEIGHT = 18;
/** Below this width, in user units, a band is too narrow for its name. */
const NARROW = 64;

/** The accuracy chart of `runs`, one or several. */
export function drawAccuracy(runs: readonly RunRecord[]): Html {
  const [only] = runs;
  const mostRollouts = Math.max(1, ...runs.flatMap((run) => run.curve.map((point) => point.rollouts)));
  const x = xScale(FRAME, mostRollouts);
  const top = Math.max(0.1, ...runs.flatMap((run) => run.curve.flatMap((p) => [p.test.high, p.validation.high])));
  const most = Math.min(1, Math.ceil(top * 10 + 0.2) / 10);
  const y = yScale(FRAME, most);
  const ticks = percentTicks(most);
  const axes = [
    drawYAxis(FRAME, y, ticks),
    drawXAxis(FRAME, x, { most: mostRollouts, title: "rollouts spent on training and search" }),
  ];
  if (runs.length === 1 && only !== undefined) {
    const content = [drawPhases(only.phases, x), ...axes, drawBase(only, y), ...drawRun(only, { x, y })];
    return drawSvg(FRAME, "Accuracy on validation and test against rollouts", content);
  }
  return drawSvg(FRAME, "Test accuracy of several runs against rollouts", [...axes, drawOverlay(runs, { x, y })]);
}

/** The legend under the accuracy chart. */
export function drawAccuracyLegend(runs: readonly RunRecord[]): Html {
  if (runs.length > 1)
    return html`<ul class="legend">
      ${runs.map((run, i) => html`<li><i class="swatch run-${i % SERIES.length}"></i>${overlayLabel(run, runs)}</li>`)}
      <li>${describeBands(runs)}</li>
    </ul>`;
  return html`<ul class="legend">
    <li><i class="swatch test"></i>test</li>
    <li><i class="swatch validation"></i>validation</li>
    <li><i class="swatch weights"></i>after a weight phase</li>
    <li><i class="swatch harness"></i>after a harness phase</li>
    <li>${describeBands(runs)}</li>
  </ul>`;
}

function describeBands(runs: readonly RunRecord[]): string {
  const confidences = new Set(runs.map((run) => String(Math.round(1000 * run.confidence) / 10)));
  return `bands: ${[...confidences].join(" or ")}\u202f% bootstrap intervals over tasks`;
}

type Scales = { readonly x: Scale; readonly y: Scale };

function drawPhases(phases: readonly PhaseSpan[], x: Scale): Html {
  return html`<g>
    ${phases.map((phase) => {
      const from = x(phase.from);
      const width = Math.max(0, x(phase.to) - from);
      const name = `${phase.kind} ${String(phase.cycle)}`;
      return html`<g class="phase ${phase.kind}">
        <rect
          class="wash"
          x="${shorten(from)}"
          y="${FRAME.top}"
          width="${shorten(width)}"
          height="${FRAME.height - FRAME.top - FRAME.bottom}"
        />
        <rect
          class="strip"
          x="${shorten(from)}"
          y="${FRAME.top - STRIP_HEIGHT}"
          width="${shorten(Math.max(0, width - 1))}"
          height="${STRIP_HEIGHT - 4}"
          ><title>${`${name}: ${formatCount(phase.to - phase.from)} rollouts`}</title></rect
        >
        ${width >= NARROW && html`<text x="${shorten(from + 6)}" y="${FRAME.top - STRIP_HEIGHT + 11}">${name}</text>`}
      </g>`;
    })}
  </g>`;
}

function drawBase(run: RunRecord, y: Scale): Html {
  if (run.base === undefined) return html``;
  const height = shorten(y(run.base.test.meanAt8));
  // Under the line, where curves seldom are, unless that is where the axis has its labels.
  const isLow = y(run.base.test.meanAt8) + 24 > FRAME.height - FRAME.bottom;
  return html`<g class="base-line">
    <line x1="${FRAME.left}" x2="${FRAME.width - FRAME.right}" y1="${height}" y2="${height}" />
    <text
      x="${FRAME.width - FRAME.right - 6}"
      y="${shorten(y(run.base.test.meanAt8) + (isLow ? -6 : 16))}"
      text-anchor="end"
      >base on test ${formatShare(run.base.test.meanAt8)}</text
    >
  </g>`;
}

function drawRun(run: RunRecord, scales: Scales): Html[] {
  const label = ending(run, scales);
  return [
    drawSeries(run.curve, "validation", scales),
    drawSeries(run.curve, "test", scales),
    html`<g>${run.curve.map((point) => drawPoint(point, scales))}</g>`,
    drawChosen(run, scales),
    label,
  ];
}

function drawSeries(curve: readonly CurvePoint[], split: "validation" | "test", { x, y }: Scales): Html {
  const at = (pick: (accuracy: Accuracy) => number): Point[] => curve.map((p) => [x(p.rollouts), y(pick(p[split]))]);
  return html`<g class="series ${split}">
    <path
      class="band"
      d="${bandPath(
        at((e) => e.high),
        at((e) => e.low),
      )}"
    />
    <path class="line" d="${linePath(at((e) => e.meanAt8))}" />
  </g>`;
}

function drawPoint(point: CurvePoint, { x, y }: Scales): Html {
  const cx = shorten(x(point.rollouts));
  return html`<g class="dot ${point.phase}">
    <circle class="hollow" cx="${cx}" cy="${shorten(y(point.validation.meanAt8))}" r="3.5"
      ><title>${describePoint(point, "validation")}</title></circle
    >
    <circle cx="${cx}" cy="${shorten(y(point.test.meanAt8))}" r="4.5"
      ><title>${describePoint(point, "test")}</title></circle
    >
  </g>`;
}

function describePoint(point: CurvePoint, split: "validation" | "test"): string {
  const { meanAt8: mean, low, high } = point[split];
  const after = point.phase === "base" ? "before any phase" : `after ${point.phase} ${String(point.cycle)}`;
  const interval = `[${formatShare(low)}, ${formatShare(high)}]`;
  return `${split} ${formatShare(mean)} ${interval}, ${after}, ${formatCount(point.rollouts)} rollouts, harness ${point.harness}`;
}

function drawChosen(run: RunRecord, { x, y }: Scales): Html {
  if (run.chosen === undefined) return html``;
  const cx = x(run.chosen.rollouts);
  const cy = y(run.chosen.test.meanAt8);
  const isNearEdge = cx > FRAME.width - FRAME.right - 60;
  return html`<g class="chosen">
    <circle cx="${shorten(cx)}" cy="${shorten(cy)}" r="9"><title>chosen: best on validation</title></circle>
    <text x="${shorten(cx)}" y="${shorten(cy - 16)}" text-anchor="${isNearEdge ? "end" : "middle"}"
      >chosen ${formatShare(run.chosen.test.meanAt8)}</text
    >
  </g>`;
}

/** Names at the right end of the two lines, pushed apart where they would touch. */
function ending(run: RunRecord, { x, y }: Scales): Html {
  const last = run.curve.at(-1);
  if (last === undefined) return html``;
  const left = shorten(x(last.rollouts) + 12);
  const testY = y(last.test.meanAt8);
  const gap = y(last.validation.meanAt8) - testY;
  const validationY = Math.abs(gap) < 14 ? testY + (gap < 0 ? -14 : 14) : testY + gap;
  return html`<g class="ending">
    <text class="test" x="${left}" y="${shorten(testY + 4)}">test</text>
    <text class="validation" x="${left}" y="${shorten(validationY + 4)}">validation</text>
  </g>`;
}

function drawOverlay(runs: readonly RunRecord[], { x, y }: Scales): Html {
  return html`<g>
    ${runs.map((run, i) => {
      const at = (pick: (accuracy: Accuracy) => number): Point[] =>
        run.curve.map((p) => [x(p.rollouts), y(pick(p.test))]);
      const upper = at((e) => e.high);
      const lower = at((e) => e.low);
      const middle = at((e) => e.meanAt8);
      return html`<g class="overlay run-${i % SERIES.length}">
        <path class="band" d="${bandPath(upper, lower)}" />
        <path class="line" d="${linePath(middle)}" />
        ${run.curve.map((point, j) => html`<circle cx="${shorten(middle[j]?.[0] ?? 0)}" cy="${shorten(middle[j]?.[1] ?? 0)}" r="3.5"><title>${`${overlayLabel(run, runs)}: ${describePoint(point, "test")}`}</title></circle>`)}
      </g>`;
    })}
  </g>`;
}

/** The shortest name that still tells `run` from the others. */
export function overlayLabel(run: RunRecord, runs: readonly RunRecord[]): string {
  const parts: string[] = [];
  const differs = (pick: (r: RunRecord) => string | number): boolean => new Set(runs.map(pick)).size > 1;
  if (differs((r) => r.domain)) parts.push(run.domain);
  parts.push(run.condition);
  if (differs((r) => r.preset)) parts.push(run.preset);
  if (differs((r) => r.seed)) parts.push(`seed ${String(run.seed)}`);
  if (differs((r) => r.model)) parts.push(run.model);
  return parts.join(", ");
}
