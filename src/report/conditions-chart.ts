/**
 * Mean accuracy of every condition against rollouts with bands over seeds and tasks, and below it a strip for each condition
 * that shows which part it was working on: weights blue, harness orange.
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
  type Scale,
} from "./chart.ts";
import type { ComparedCondition, DomainComparison } from "./comparison.ts";
import { html, type Html } from "./html.ts";
import { SERIES } from "./style.ts";

const STRIP = 16;
const FRAME: Frame = { width: 960, height: 440, left: 56, right: 190, top: 16, bottom: 52 };

/** Class of the colour of condition `index`; the names that stand for one part have that part's colour. */
export function seriesClass(conditions: readonly { readonly condition: string }[], index: number): string {
  const names = conditions.map(({ condition }) => condition);
  const isPlain = new Set(names).size === names.length;
  const known = SERIES.findIndex((name) => name === names[index]);
  return `run-${String(isPlain && known >= 0 ? known : index % SERIES.length)}`;
}

/** All conditions of a domain in one picture. */
export function drawConditions({ conditions, domain }: DomainComparison): Html {
  const strips = conditions.length * STRIP + 24;
  const frame: Frame = { ...FRAME, height: FRAME.height + strips, bottom: FRAME.bottom + strips };
  const most = Math.max(1, ...conditions.flatMap(({ curve }) => curve.map(({ rollouts }) => rollouts)));
  const top = highest(conditions);
  const [x, y] = [xScale(frame, most), yScale(frame, top)];
  return drawSvg(frame, `Mean test accuracy of each condition on ${domain} against rollouts`, [
    drawYAxis(frame, y, percentTicks(top)),
    drawXAxis(frame, x, { most, title: "rollouts spent on training and search" }),
    html`<g>${conditions.map((condition, i) => drawMean(condition, { x, y, series: seriesClass(conditions, i) }))}</g>`,
    drawEnds(conditions, { x, y }),
    html`<g
      >${conditions.map((condition, i) => drawStrip(condition, { x, top: frame.height - strips + 20 + i * STRIP }))}</g
    >`,
  ]);
}

const SMALL: Frame = { width: 440, height: 220, left: 52, right: 16, top: 28, bottom: 44 };

/** One picture for each condition: its runs as thin lines under their mean, and the phases of its first run behind. */
export function drawEachCondition({ conditions }: DomainComparison): Html {
  const most = Math.max(1, ...conditions.flatMap(({ curve }) => curve.map(({ rollouts }) => rollouts)));
  const top = Math.max(
    highest(conditions),
    ...conditions.flatMap(({ runs }) => runs.flatMap(({ curve }) => curve.map(({ test }) => test.meanAt8))),
  );
  const [x, y] = [xScale(SMALL, most), yScale(SMALL, top)];
  return html`<div class="small-charts">
    ${conditions.map(
      (condition, i) =>
        html`<figure class="card">
          <figcaption><b>${condition.label}</b>, ${countSeeds(condition)}</figcaption>
          ${drawSvg(SMALL, `Runs of ${condition.label}`, [
            drawBands(condition, x),
            drawYAxis(SMALL, y, percentTicks(top)),
            drawXAxis(SMALL, x, { most, title: "rollouts" }),
            html`<g class="seeds"
              >${condition.runs.map((run) => html`<path d="${linePath(run.curve.map((point) => [x(point.rollouts), y(point.test.meanAt8)]))}"><title>seed ${run.seed}</title></path>`)}</g
            >`,
            drawMean(condition, { x, y, series: seriesClass(conditions, i) }),
          ])}
        </figure>`,
    )}
  </div>`;
}

/** `3 seeds`. */
export function countSeeds({ seeds }: ComparedCondition): string {
  return `${String(seeds.length)} ${seeds.length === 1 ? "seed" : "seeds"}`;
}

type Drawing = { readonly x: Scale; readonly y: Scale; readonly series: string };

function drawMean(condition: ComparedCondition, { x, y, series }: Drawing): Html {
  const { curve, label } = condition;
  const at = (pick: (point: ComparedCondition["curve"][number]) => number): [number, number][] =>
    curve.map((point) => [x(point.rollouts), y(pick(point))]);
  return html`<g class="overlay ${series}">
    <path
      class="band"
      d="${bandPath(
        at((p) => p.high),
        at((p) => p.low),
      )}"
    />
    <path class="line" d="${linePath(at((p) => p.mean))}" />
    ${curve.map((p) => html`<circle cx="${shorten(x(p.rollouts))}" cy="${shorten(y(p.mean))}" r="3"><title>${`${label}, ${formatCount(p.rollouts)} rollouts: ${formatShare(p.mean)} [${formatShare(p.low)}, ${formatShare(p.high)}]`}</title></circle>`)}
  </g>`;
}

const LINE_HEIGHT = 15;

/** Names at the right ends of the lines, pushed apart where they would touch. */
function drawEnds(conditions: readonly ComparedCondition[], { x, y }: Omit<Drawing, "series">): Html {
  const ends = conditions
    .map((condition, i) => {
      const last = condition.curve.at(-1);
      return { condition, series: seriesClass(conditions, i), at: last && x(last.rollouts), y: y(last?.mean ?? 0) };
    })
    .sort((a, b) => a.y - b.y);
  const edge = Math.max(...ends.map(({ at }) => at ?? 0)) + 12;
  let previous = -Infinity;
  return html`<g class="names">
    ${ends.map(({ condition, series, at, y: height }) => {
      previous = Math.max(height, previous + LINE_HEIGHT);
      return html`<path
          class="${series}"
          d="${linePath([
            [(at ?? 0) + 5, height],
            [edge, previous],
          ])}"
        />
        <text class="${series}" x="${shorten(edge + 4)}" y="${shorten(previous + 4)}">${condition.label}</text>`;
    })}
  </g>`;
}

/** Phases of the first run of a condition, as a strip under the plot. */
function drawStrip({ runs, label }: ComparedCondition, { x, top }: { readonly x: Scale; readonly top: number }): Html {
  return html`<g class="strip-row">
    ${(runs[0]?.phases ?? []).map(({ kind, cycle, from, to }) => html`<rect class="${kind}" x="${shorten(x(from))}" y="${top}" width="${shorten(Math.max(0, x(to) - x(from) - 1))}" height="${STRIP - 5}"><title>${`${label}: ${kind} ${String(cycle)}`}</title></rect>`)}
    <text x="${FRAME.width - FRAME.right + 16}" y="${top + STRIP - 7}">${label}</text>
  </g>`;
}

function drawBands({ runs }: ComparedCondition, x: Scale): Html {
  const height = SMALL.height - SMALL.top - SMALL.bottom;
  return html`<g>
    ${(runs[0]?.phases ?? []).map(({ kind, from, to }) => html`<rect class="wash ${kind}" x="${shorten(x(from))}" y="${SMALL.top}" width="${shorten(Math.max(0, x(to) - x(from)))}" height="${height}" />`)}
  </g>`;
}

function highest(conditions: readonly ComparedCondition[]): number {
  const top = Math.max(0.1, ...conditions.flatMap(({ curve }) => curve.map(({ high }) => high)));
  return Math.min(1, Math.ceil(top * 10 + 0.2) / 10);
}
