/**
 * The picture of the two things that take turns: training steps to the right, harnesses upwards. A square is a state that
 * was measured, the darker the better; the path goes right when the weights learn and up when the harness changes.
 */
import type { CurvePoint } from "../../../src/index.ts";
import { fill, svg } from "../dom.ts";
import { wholePercent } from "../format.ts";
import { planeCells, type PlaneCell } from "../model/geometry.ts";
import { pointName, type RunView } from "../model/run-view.ts";

/** The plane in its box. */
export type Plane = {
  readonly element: SVGSVGElement;
  /** `size` is that of the element, in CSS pixels. */
  readonly draw: (view: RunView, selected: number | undefined, size: Size) => void;
};

const LEFT = 64;
const BOTTOM = 34;
const TOP = 8;
const RIGHT = 10;

/** The plane; `onPick` gets the index of a point of the curve. */
export function createPlane(onPick: (index: number) => void): Plane {
  const element = svg("svg", { class: "plane", role: "group", "aria-label": "Weights against harness" });
  return {
    element,
    draw: (view, selected, size) => {
      drawPlane(element, { view, selected, size, onPick });
    },
  };
}

type DrawOptions = {
  readonly view: RunView;
  readonly selected: number | undefined;
  readonly size: Size;
  readonly onPick: (index: number) => void;
};

function drawPlane(element: SVGSVGElement, { view, selected, size: whole, onPick }: DrawOptions): void {
  const width = Math.max(220, whole.width);
  const height = Math.max(150, whole.height);
  const { columns, rows, cells } = planeCells(view);
  const most = Math.max(2, columns.length);
  const tall = Math.max(2, rows.length);
  const stepX = (width - LEFT - RIGHT) / most;
  const stepY = (height - TOP - BOTTOM) / tall;
  const x = (column: number): number => LEFT + (column + 0.5) * stepX;
  const y = (row: number): number => height - BOTTOM - (row + 0.5) * stepY;
  const size = { width: Math.min(stepX - 6, 72), height: Math.min(stepY - 6, 36) };
  element.setAttribute("viewBox", `0 0 ${String(width)} ${String(height)}`);
  fill(
    element,
    drawGrid({ columns: most, rows: tall, x, y, size }),
    drawLabels({ columns, rows, x, y, width, height }),
    drawPath(view.curve, { columns, rows, x, y }),
    cells.map((cell) =>
      drawCell(cell, { x: x(cell.column), y: y(cell.row), size, isSelected: isSelected(cell, view, selected), onPick }),
    ),
  );
}

function isSelected(cell: PlaneCell, view: RunView, selected: number | undefined): boolean {
  const point = selected === undefined ? undefined : view.curve[selected];
  return point !== undefined && point.step === cell.point.step && point.harness === cell.point.harness;
}

type Place = { readonly x: (column: number) => number; readonly y: (row: number) => number };
type Size = { readonly width: number; readonly height: number };

function drawGrid({ columns, rows, x, y, size }: Place & { columns: number; rows: number; size: Size }): SVGElement {
  const places = Array.from({ length: columns * rows }, (_, i) => ({
    column: i % columns,
    row: Math.floor(i / columns),
  }));
  return svg(
    "g",
    { class: "plane-grid", "aria-hidden": "true" },
    places.map(({ column, row }) =>
      svg("rect", {
        x: x(column) - size.width / 2,
        y: y(row) - size.height / 2,
        width: size.width,
        height: size.height,
        rx: 6,
      }),
    ),
  );
}

type LabelOptions = Place & {
  readonly columns: readonly number[];
  readonly rows: readonly string[];
  readonly width: number;
  readonly height: number;
};

function drawLabels({ columns, rows, x, y, width, height }: LabelOptions): SVGElement {
  return svg(
    "g",
    { class: "plane-labels", "aria-hidden": "true" },
    columns.map((step, i) => svg("text", { x: x(i), y: height - BOTTOM + 13, "text-anchor": "middle" }, String(step))),
    rows.map((name, i) => svg("text", { x: LEFT - 10, y: y(i) + 4, "text-anchor": "end" }, name)),
    svg(
      "text",
      { class: "weights-name", x: (LEFT + width - RIGHT) / 2, y: height - 5, "text-anchor": "middle" },
      "training steps of the weights →",
    ),
    svg(
      "text",
      {
        class: "harness-name",
        transform: `translate(11 ${String((height - BOTTOM + TOP) / 2)}) rotate(-90)`,
        "text-anchor": "middle",
      },
      "harness →",
    ),
  );
}

type PathOptions = Place & { readonly columns: readonly number[]; readonly rows: readonly string[] };

function drawPath(curve: readonly CurvePoint[], { columns, rows, x, y }: PathOptions): SVGElement {
  const at = (point: CurvePoint): readonly [number, number] => [
    x(columns.indexOf(point.step)),
    y(rows.indexOf(point.harness)),
  ];
  return svg(
    "g",
    { class: "plane-path", "aria-hidden": "true" },
    curve.slice(1).map((point, i) => {
      const from = curve[i];
      if (from === undefined) return null;
      const [[x1, y1], [x2, y2]] = [at(from), at(point)];
      return svg("line", { class: point.phase, x1, y1, x2, y2 });
    }),
  );
}

type CellOptions = {
  readonly x: number;
  readonly y: number;
  readonly size: Size;
  readonly isSelected: boolean;
  readonly onPick: (index: number) => void;
};

function drawCell({ point, index }: PlaneCell, { x, y, size, isSelected: isOn, onPick }: CellOptions): SVGElement {
  const share = point.test.meanAt8;
  const name = `${wholePercent(share)} right on test ${pointName(point) === "base" ? "at the base" : pointName(point)}, ${String(point.step)} training steps, harness ${point.harness}`;
  const pick = (): void => {
    onPick(index);
  };
  return svg(
    "g",
    {
      class: `plane-cell${isOn ? " is-selected" : ""}${share > 0.5 ? " is-deep" : ""}`,
      role: "button",
      tabindex: "0",
      "aria-label": name,
      "aria-pressed": String(isOn),
      onclick: pick,
      onkeydown: (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        event.stopPropagation();
        pick();
      },
    },
    svg("title", {}, name),
    svg("rect", {
      class: "cell-back",
      x: x - size.width / 2,
      y: y - size.height / 2,
      width: size.width,
      height: size.height,
      rx: 6,
    }),
    svg("rect", {
      class: "cell-heat",
      x: x - size.width / 2,
      y: y - size.height / 2,
      width: size.width,
      height: size.height,
      rx: 6,
      style: `fill-opacity:${(0.06 + 0.94 * share).toFixed(3)}`,
    }),
    svg("text", { x, y: y + 4, "text-anchor": "middle" }, wholePercent(share)),
  );
}
