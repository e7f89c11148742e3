/**
 * The few pieces that our charts are made of: scales, round tick values, axes and paths, as SVG text drawn by us.
 *
 * Colours come from CSS classes, so that one picture serves the light and the dark theme.
 */
import { html, type Html } from "./html.ts";

/** A plotting area inside an SVG, in its user units. */
export type Frame = {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
};

/** Maps a value to a coordinate. */
export type Scale = (value: number) => number;

/** One point of a polyline, in user units. */
export type Point = readonly [x: number, y: number];

/** A linear scale from the interval `domain` to the interval `range`; an empty domain maps to the range's start. */
export function linearScale(domain: readonly [number, number], range: readonly [number, number]): Scale {
  const span = domain[1] - domain[0];
  const slope = span === 0 ? 0 : (range[1] - range[0]) / span;
  return (value) => range[0] + (value - domain[0]) * slope;
}

/** Horizontal scale of `frame` over [0, `most`]. */
export function xScale(frame: Frame, most: number): Scale {
  return linearScale([0, Math.max(most, 1)], [frame.left, frame.width - frame.right]);
}

/** Vertical scale of `frame` over [0, `most`], upwards. */
export function yScale(frame: Frame, most: number): Scale {
  return linearScale([0, most], [frame.height - frame.bottom, frame.top]);
}

/** About `count` round values from 0 to `most`: multiples of 1, 2 or 5 times a power of ten. */
export function roundTicks(most: number, count: number): number[] {
  if (!(most > 0)) return [0];
  const rough = most / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough) ?? 10 * power;
  const ticks: number[] = [];
  for (let i = 0; i * step <= most * (1 + 1e-9); i += 1) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

/** The `d` of a polyline. */
export function linePath(points: readonly Point[]): string {
  return points.map(([x, y], i) => `${i === 0 ? "M" : "L"}${shorten(x)} ${shorten(y)}`).join("");
}

/** The `d` of the area between an upper and a lower polyline with the same number of points. */
export function bandPath(upper: readonly Point[], lower: readonly Point[]): string {
  return upper.length === 0 ? "" : `${linePath([...upper, ...lower.toReversed()])}Z`;
}

/** Horizontal grid lines with labels at the left. */
export function drawYAxis(frame: Frame, scale: Scale, ticks: readonly { value: number; label: string }[]): Html {
  return html`<g class="axis">
    ${ticks.map(
      ({ value, label }) =>
        html`<line
            class="grid"
            x1="${frame.left}"
            x2="${frame.width - frame.right}"
            y1="${shorten(scale(value))}"
            y2="${shorten(scale(value))}"
          /><text x="${frame.left - 8}" y="${shorten(scale(value) + 4)}" text-anchor="end">${label}</text>`,
    )}
  </g>`;
}

/** Ticks of a vertical axis of shares from 0 to `most`. */
export function percentTicks(most: number): { value: number; label: string }[] {
  return roundTicks(most, 5).map((value) => ({ value, label: `${String(Math.round(100 * value))}\u202f%` }));
}

/** Labels under the plot and the name of the quantity. */
export function drawXAxis(frame: Frame, scale: Scale, axis: { most: number; title: string }): Html {
  const y = frame.height - frame.bottom;
  const ticks = roundTicks(axis.most, 6);
  return html`<g class="axis">
    <line class="base-rule" x1="${frame.left}" x2="${frame.width - frame.right}" y1="${y}" y2="${y}" />
    ${ticks.map((tick) => html`<text x="${shorten(scale(tick))}" y="${y + 18}" text-anchor="middle">${formatCount(tick)}</text>`)}
    <text
      class="axis-title"
      x="${shorten((frame.left + frame.width - frame.right) / 2)}"
      y="${y + 36}"
      text-anchor="middle"
      >${axis.title}</text
    >
  </g>`;
}

/**
 * `frame` as an SVG with `content`, described in words for those who do not see it. It fills its figure, but grows no wider
 * than its frame where that is small.
 */
export function drawSvg(frame: Frame, label: string, content: readonly Html[]): Html {
  const style = frame.width < 900 ? `max-width: ${String(Math.max(460, Math.round(frame.width * 1.3)))}px` : "";
  return html`<svg viewBox="0 0 ${frame.width} ${frame.height}" role="img" aria-label="${label}" style="${style}">
    ${content}
  </svg>`;
}

/** A coordinate with no more digits than a screen shows. */
export function shorten(value: number): string {
  return String(Math.round(value * 100) / 100);
}

/** A count with thousands separated by thin spaces, such as `12 800`. */
export function formatCount(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

/** A share as a percentage with one decimal, such as `41.3 %`. */
export function formatShare(value: number): string {
  return `${(100 * value).toFixed(1)}\u202f%`;
}

/** A difference of shares in points, with its sign. */
export function formatPoints(difference: number): string {
  const size = Math.abs(100 * difference).toFixed(1);
  return size === "0.0" ? "0.0" : `${difference < 0 ? "−" : "+"}${size}`;
}
