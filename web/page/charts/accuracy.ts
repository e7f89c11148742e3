/**
 * Accuracy against rollouts: both splits with their intervals, the phases behind, the base as a level, runs laid over it,
 * and the point that the run would report. Every point opens the rollouts behind it.
 */
import type uPlot from "uplot";
import type { Accuracy, CurvePoint } from "../../../src/index.ts";
import type { Overlay } from "../state.ts";
import { wholePercent } from "../format.ts";
import { nearestPoint, spread } from "../model/geometry.ts";
import { createChart, type Chart, type ChartInput } from "./frame.ts";

/** What the curve needs beside the run. */
export type AccuracyInput = ChartInput & {
  readonly overlays: readonly Overlay[];
  /** Index of the selected point. */
  readonly selected: number | undefined;
};

/** What a person does on the curve. */
export type AccuracyHandlers = {
  readonly onHover: (index: number | undefined) => void;
  readonly onPick: (index: number) => void;
};

/** The accuracy curve in `element`. */
export function createAccuracyChart(
  element: HTMLElement,
  input: () => AccuracyInput,
  { onHover, onPick }: AccuracyHandlers,
): Chart {
  return createChart(element, input, {
    height: "fill",
    isNamed: true,
    hasXLabels: true,
    tickSpace: 44,
    tick: wholePercent,
    series: (palette) => [
      { stroke: () => palette().test, width: 2.5, points: { show: false } },
      { stroke: () => palette().soft, width: 1.5, dash: [5, 4], points: { show: false } },
    ],
    data: ({ view }) => [
      view.curve.map((point) => point.rollouts),
      view.curve.map((point) => point.test.meanAt8),
      view.curve.map((point) => point.validation.meanAt8),
    ],
    top: () => topOf(input()),
    drawOver: (plot) => {
      drawAll(plot, input());
    },
    onHover,
    onPick: (rollouts) => {
      const index = nearestPoint(input().view.curve, rollouts);
      if (index !== undefined) onPick(index);
    },
  });
}

function topOf({ view, overlays }: AccuracyInput): number {
  const curves = [view.curve, ...overlays.map(({ curve }) => curve)].flat();
  const highest = Math.max(0.1, ...curves.flatMap(({ test, validation }) => [test.high, validation.high]));
  return Math.min(1, Math.ceil(highest * 10 + 0.3) / 10);
}

function drawAll(plot: uPlot, input: AccuracyInput): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  // Dots and rings at the ends stand half outside.
  const spare = 12 * devicePixelRatio;
  ctx.rect(bbox.left - spare, bbox.top - 2, bbox.width + 2 * spare, bbox.height + 4);
  ctx.clip();
  const { view, palette } = input;
  drawBand(plot, view.curve, { pick: (point) => point.validation, fill: palette.validationBand });
  drawBand(plot, view.curve, { pick: (point) => point.test, fill: palette.testBand });
  drawWhisker(plot, view.curve, palette.test);
  input.overlays.forEach((overlay, i) => {
    drawOverlay(plot, overlay, palette.overlays[i % palette.overlays.length] ?? palette.soft);
  });
  drawBase(plot, input);
  drawPoints(plot, input);
  drawNames(plot, input);
  ctx.restore();
}

type BandSpec = { readonly pick: (point: CurvePoint) => Accuracy; readonly fill: string };

function drawBand(plot: uPlot, curve: readonly CurvePoint[], { pick, fill }: BandSpec): void {
  const { ctx } = plot;
  const at = (point: CurvePoint, value: number): [number, number] => [
    plot.valToPos(point.rollouts, "x", true),
    plot.valToPos(value, "y", true),
  ];
  ctx.beginPath();
  for (const point of curve) ctx.lineTo(...at(point, pick(point).high));
  for (const point of [...curve].reverse()) ctx.lineTo(...at(point, pick(point).low));
  ctx.closePath();
  ctx.fillStyle = fill;
  ctx.fill();
}

/** A band needs two points; the interval of a lone one is a line with two ends. */
function drawWhisker(plot: uPlot, curve: readonly CurvePoint[], colour: string): void {
  const [point] = curve;
  if (point === undefined || curve.length > 1) return;
  const { ctx } = plot;
  const [x, half] = [plot.valToPos(point.rollouts, "x", true), 5 * devicePixelRatio];
  ctx.beginPath();
  for (const end of [point.test.low, point.test.high]) {
    const y = plot.valToPos(end, "y", true);
    ctx.moveTo(x - half, y);
    ctx.lineTo(x + half, y);
  }
  ctx.moveTo(x, plot.valToPos(point.test.low, "y", true));
  ctx.lineTo(x, plot.valToPos(point.test.high, "y", true));
  ctx.setLineDash([]);
  ctx.strokeStyle = colour;
  ctx.lineWidth = 2 * devicePixelRatio;
  ctx.stroke();
}

function drawOverlay(plot: uPlot, { curve }: Overlay, colour: string): void {
  const { ctx } = plot;
  ctx.globalAlpha = 0.14;
  drawBand(plot, curve, { pick: (point) => point.test, fill: colour });
  ctx.globalAlpha = 1;
  ctx.setLineDash([]);
  ctx.beginPath();
  for (const { rollouts, test } of curve)
    ctx.lineTo(plot.valToPos(rollouts, "x", true), plot.valToPos(test.meanAt8, "y", true));
  ctx.strokeStyle = colour;
  ctx.lineWidth = 2 * devicePixelRatio;
  ctx.stroke();
}

/** The level from which the run began, so that every later point can be held against it. */
function drawBase(plot: uPlot, { view, palette }: AccuracyInput): void {
  const base = view.curve[0];
  if (base === undefined) return;
  const { ctx, bbox } = plot;
  const y = plot.valToPos(base.test.meanAt8, "y", true);
  ctx.beginPath();
  ctx.setLineDash([2 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.strokeStyle = palette.soft;
  ctx.lineWidth = devicePixelRatio;
  ctx.stroke();
  ctx.setLineDash([]);
}

function drawPoints(plot: uPlot, { view, palette, selected }: AccuracyInput): void {
  const { ctx } = plot;
  const ratio = devicePixelRatio;
  view.curve.forEach((point, i) => {
    const x = plot.valToPos(point.rollouts, "x", true);
    const colour = { base: palette.soft, weights: palette.weights, harness: palette.harness }[point.phase];
    drawDot(ctx, { x, y: plot.valToPos(point.validation.meanAt8, "y", true), radius: 3 * ratio }, [
      palette.surface,
      colour,
    ]);
    const y = plot.valToPos(point.test.meanAt8, "y", true);
    drawDot(ctx, { x, y, radius: 5 * ratio }, [colour, palette.surface]);
    if (point === view.chosen || isSamePoint(point, view.chosen))
      drawRing(ctx, { x, y, radius: 9 * ratio }, palette.ink);
    if (i === selected) drawMarker(plot, x, palette.ink);
  });
}

type Circle = { readonly x: number; readonly y: number; readonly radius: number };

function drawDot(
  ctx: CanvasRenderingContext2D,
  { x, y, radius }: Circle,
  [fill, edge]: readonly [string, string],
): void {
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
  ctx.fillStyle = fill;
  ctx.fill();
  ctx.strokeStyle = edge;
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.stroke();
}

function drawRing(ctx: CanvasRenderingContext2D, { x, y, radius }: Circle, colour: string): void {
  ctx.beginPath();
  ctx.arc(x, y, radius, 0, 2 * Math.PI);
  ctx.strokeStyle = colour;
  ctx.lineWidth = 1.5 * devicePixelRatio;
  ctx.stroke();
}

/** A line and a small triangle under the selected point. */
function drawMarker({ ctx, bbox }: uPlot, x: number, colour: string): void {
  const ratio = devicePixelRatio;
  const bottom = bbox.top + bbox.height;
  ctx.fillStyle = colour;
  ctx.globalAlpha = 0.5;
  ctx.fillRect(x - ratio / 2, bbox.top, ratio, bbox.height);
  ctx.globalAlpha = 1;
  ctx.beginPath();
  ctx.moveTo(x, bottom - 7 * ratio);
  ctx.lineTo(x - 5 * ratio, bottom + ratio);
  ctx.lineTo(x + 5 * ratio, bottom + ratio);
  ctx.fill();
}

/** Names at the end of the lines, where there is room, pushed apart where they would touch. */
function drawNames(plot: uPlot, { view, palette }: AccuracyInput): void {
  const last = view.curve.at(-1);
  if (last === undefined || view.curve.length < 2) return;
  const { ctx } = plot;
  const ratio = devicePixelRatio;
  const x = plot.valToPos(last.rollouts, "x", true);
  const [testY, validationY] = spread(
    plot.valToPos(last.test.meanAt8, "y", true),
    plot.valToPos(last.validation.meanAt8, "y", true),
    16 * ratio,
  );
  const isRight = x + 84 * ratio < plot.bbox.left + plot.bbox.width;
  const place = (text: string, y: number, font: string): void => {
    ctx.font = font;
    ctx.textBaseline = "middle";
    ctx.textAlign = isRight ? "left" : "right";
    ctx.fillStyle = palette.ink;
    ctx.fillText(text, x + (isRight ? 14 : -14) * ratio, y);
  };
  const font = palette.font.replace("12px", `${String(12 * ratio)}px`);
  if (!isRight) return;
  place("test", testY, `600 ${font}`);
  place("validation", validationY, font);
}

function isSamePoint(a: CurvePoint, b: CurvePoint | undefined): boolean {
  return b !== undefined && a.rollouts === b.rollouts && a.phase === b.phase && a.cycle === b.cycle;
}
