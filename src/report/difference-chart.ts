/** Differences to the first condition as points with intervals around a line at zero. */
import type { ConditionDifference } from "../evaluation/compare-conditions.ts";
import type { Measure } from "../evaluation/condition-scores.ts";
import { drawSvg, formatPoints, linearScale, roundTicks, shorten, type Frame, type Scale } from "./chart.ts";
import { html, type Html } from "./html.ts";

const ROW = 26;
const FRAME: Frame = { width: 960, height: 0, left: 210, right: 220, top: 30, bottom: 40 };

/** The differences of `compared` in `measure`, all to the same condition; every row says where it would not be told apart. */
export function drawDifferences(compared: readonly ConditionDifference[], measure: Measure): Html {
  const [first] = compared;
  if (first === undefined) return html``;
  const frame: Frame = { ...FRAME, height: FRAME.top + FRAME.bottom + ROW * compared.length };
  const ends = compared.flatMap(({ measures }) => [measures[measure].low, measures[measure].high]);
  const furthest = Math.max(0.05, ...ends.map(Math.abs));
  const step = roundTicks(furthest, 3)[1] ?? furthest;
  const steps = Math.ceil(furthest / step - 1e-9);
  const reach = steps * step;
  const marks = Array.from({ length: 2 * steps + 1 }, (_, i) => (i - steps) * step);
  const x = linearScale([-reach, reach], [frame.left, frame.width - frame.right]);
  const bottom = frame.height - frame.bottom;
  return drawSvg(frame, `Differences to ${first.second} with intervals`, [
    html`<g class="axis">
      <line class="base-rule" x1="${shorten(x(0))}" x2="${shorten(x(0))}" y1="${frame.top - 8}" y2="${bottom}" />
      ${marks.map((value) => html`<line class="grid" x1="${shorten(x(value))}" x2="${shorten(x(value))}" y1="${frame.top - 8}" y2="${bottom}" /><text x="${shorten(x(value))}" y="${bottom + 18}" text-anchor="middle">${formatPoints(value)}</text>`)}
      <text class="axis-title" x="${shorten(x(0))}" y="${bottom + 34}" text-anchor="middle"
        >points better than ${first.second}</text
      >
      <text x="${frame.width - frame.right + 20}" y="${frame.top - 14}">difference, p over tasks</text>
    </g>`,
    html`<g
      >${compared.map((difference, i) => drawRow(difference, measure, { x, y: frame.top + ROW * (i + 0.5) }))}</g
    >`,
  ]);
}

function drawRow(
  compared: ConditionDifference,
  measure: Measure,
  { x, y }: { readonly x: Scale; readonly y: number },
): Html {
  const { difference, low, high, pValue } = compared.measures[measure];
  const isApart = low > 0 || high < 0;
  return html`<g class="difference ${isApart ? "" : "is-open"}">
    <text class="name" x="${FRAME.left - 12}" y="${shorten(y + 4)}" text-anchor="end">${compared.first}</text>
    <line x1="${shorten(x(low))}" x2="${shorten(x(high))}" y1="${y}" y2="${y}" />
    <circle cx="${shorten(x(difference))}" cy="${y}" r="5"
      ><title>${`${formatPoints(difference)} [${formatPoints(low)}, ${formatPoints(high)}]`}</title></circle
    >
    <text x="${FRAME.width - FRAME.right + 20}" y="${shorten(y + 4)}">
      ${formatPoints(difference)} [${formatPoints(low)}, ${formatPoints(high)}],
      ${pValue < 0.001 ? "p < 0.001" : `p ${pValue.toFixed(3)}`}
    </text>
  </g>`;
}
