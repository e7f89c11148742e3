/** What all curves share: the horizontal axis in rollouts, phase bands behind, one crosshair, the size of their box. */
import uPlot from "uplot";
import type { PhaseSpan } from "../../protocol/runs.ts";
import { grouped } from "../format.ts";
import { once } from "../frames.ts";
import type { RunView } from "../model/run-view.ts";
import type { Palette } from "./colours.ts";

/** Width of the left axis in CSS pixels, equal for all curves so that they stand under each other. */
const LEFT = 52;
const RIGHT = 16;
const SYNC_KEY = "rollouts";

/** What a curve reads while it draws. */
export type ChartInput = { readonly view: RunView; readonly horizon: number; readonly palette: Palette };

/** One curve of the page. */
export type Chart = {
  readonly element: HTMLElement;
  readonly update: () => void;
  /** Rollouts at position `index` of the data. */
  readonly xAt: (index: number) => number | undefined;
  /** Draws anew with the present colours. */
  readonly repaint: () => void;
};

/** What differs between the curves. */
export type ChartSpec = {
  /** Height of the plot in CSS pixels; `fill` takes that of its box. */
  readonly height: number | "fill";
  readonly series: (palette: () => Palette) => uPlot.Series[];
  readonly data: (input: ChartInput) => uPlot.AlignedData;
  /** Upper end of the vertical axis. */
  readonly top: (input: ChartInput) => number;
  readonly tick: (value: number) => string;
  readonly hasXLabels: boolean;
  /** Rows of ticks on the vertical axis, at least this many pixels apart. */
  readonly tickSpace: number;
  readonly drawOver?: (plot: uPlot, input: ChartInput) => void;
  readonly onHover?: (index: number | undefined) => void;
  readonly onPick?: (rollouts: number) => void;
  readonly isNamed?: boolean;
};

/** A curve in `element` that reads `input` whenever it draws, each time in a task of its own. */
export function createChart(element: HTMLElement, input: () => ChartInput, spec: ChartSpec): Chart {
  let plot: uPlot | undefined;
  let size = { width: 0, height: 0 };
  const build = (): void => {
    plot?.destroy();
    plot = new uPlot({ ...options(input, spec), ...size }, spec.data(input()), element);
    plot.over.addEventListener("click", () => {
      const left = plot?.cursor.left ?? -1;
      if (plot !== undefined && left >= 0) spec.onPick?.(plot.posToVal(left, "x"));
    });
  };
  const resize = once(() => {
    if (size.width === 0) return;
    if (plot === undefined) build();
    else plot.setSize(size);
  });
  // What the observer tells is known already; to ask the element would have the whole page laid out anew.
  new ResizeObserver(([entry]) => {
    const { width = 0, height = 0 } = entry?.contentRect ?? {};
    size = {
      width: Math.floor(width),
      height: spec.height === "fill" ? Math.max(160, Math.floor(height)) : spec.height,
    };
    resize();
  }).observe(element);
  return {
    element,
    update: once(() => {
      plot?.setData(spec.data(input()), true);
    }),
    xAt: (index) => plot?.data[0][index],
    repaint: once(() => {
      if (plot !== undefined) build();
    }),
  };
}

function options(input: () => ChartInput, spec: ChartSpec): Omit<uPlot.Options, "width" | "height"> {
  const palette = (): Palette => input().palette;
  const axis = { stroke: () => palette().soft, font: palette().font, ticks: { show: false } };
  return {
    legend: { show: false },
    padding: [spec.isNamed === true ? 24 : 6, RIGHT, spec.hasXLabels ? 0 : 4, 0],
    cursor: {
      sync: { key: SYNC_KEY, scales: ["x", null] },
      drag: { x: false, y: false },
      points: { show: false },
      y: false,
    },
    scales: {
      x: { time: false, range: () => [0, input().horizon] },
      y: { range: () => [0, spec.top(input())] },
    },
    axes: [
      {
        ...axis,
        show: spec.hasXLabels,
        size: 28,
        gap: 6,
        space: 90,
        grid: { show: false },
        values: (_, ticks) => ticks.map((tick) => grouped(tick)),
      },
      {
        ...axis,
        size: LEFT,
        gap: 8,
        space: spec.tickSpace,
        grid: { stroke: () => palette().faint, width: 1 },
        values: (_, ticks) => ticks.map((tick) => spec.tick(tick)),
      },
    ],
    series: [{}, ...spec.series(palette)],
    hooks: {
      drawClear: [
        (plot) => {
          drawPhases(plot, input(), spec.isNamed === true);
        },
      ],
      draw: [(plot) => spec.drawOver?.(plot, input())],
      setCursor: [(plot) => spec.onHover?.(plot.cursor.idx ?? undefined)],
    },
  };
}

/** Washes over the stretches of the phases, and over the plot a strip in full colour with their names. */
function drawPhases(plot: uPlot, { view, palette }: ChartInput, isNamed: boolean): void {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, 0, bbox.width, bbox.top + bbox.height);
  ctx.clip();
  for (const span of view.phases) {
    const from = plot.valToPos(span.from, "x", true);
    const width = Math.max(0, plot.valToPos(span.to, "x", true) - from);
    ctx.fillStyle = span.part === "weights" ? palette.weightsWash : palette.harnessWash;
    ctx.fillRect(from, bbox.top, width, bbox.height);
    if (isNamed) drawName(ctx, { span, from, width, top: bbox.top - 20 * ratio }, palette);
  }
  ctx.restore();
}

type NameBox = { readonly span: PhaseSpan; readonly from: number; readonly width: number; readonly top: number };

function drawName(ctx: CanvasRenderingContext2D, { span, from, width, top }: NameBox, palette: Palette): void {
  const ratio = devicePixelRatio;
  const isWeights = span.part === "weights";
  ctx.fillStyle = isWeights ? palette.weights : palette.harness;
  ctx.fillRect(from, top + 16 * ratio, Math.max(0, width - ratio), 4 * ratio);
  const long = `${span.part} ${String(span.cycle)}`;
  const short = `${isWeights ? "w" : "h"}${String(span.cycle)}`;
  ctx.font = `600 ${palette.font.replace("12px", `${String(12 * ratio)}px`)}`;
  ctx.textBaseline = "top";
  ctx.textAlign = "left";
  ctx.fillStyle = isWeights ? palette.weightsText : palette.harnessText;
  const text = [long, short].find((candidate) => ctx.measureText(candidate).width < width - 4 * ratio);
  if (text !== undefined) ctx.fillText(text, from + 2 * ratio, top);
}
