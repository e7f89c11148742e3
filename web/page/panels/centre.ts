/** The middle of the page: the accuracy curve, the strips under it, the plane, the sentence of now and the ledger line. */
import type { CurvePoint } from "../../../src/index.ts";
import { createAccuracyChart, type AccuracyInput } from "../charts/accuracy.ts";
import { readPalette } from "../charts/colours.ts";
import { createPlane } from "../charts/plane.ts";
import { STRIPS } from "../charts/strips.ts";
import { fill, h, setText } from "../dom.ts";
import { once } from "../frames.ts";
import { grouped, percent, withInterval } from "../format.ts";
import { horizon } from "../model/plan.ts";
import { pointName, type RunView } from "../model/run-view.ts";
import { compareWithBase } from "../model/sentence.ts";
import { selectedPoint, type App } from "../state.ts";
import { createCurveHead, createStepper } from "./curve-head.ts";
import { createNow } from "./now.ts";
import { createStripRow } from "./strip-row.ts";
import { term } from "./term.ts";

/** The middle column. */
export function createCentre(app: App): HTMLElement {
  const plane = createPlane(app.actions.selectPoint);
  let size = { width: 0, height: 0 };
  const drawPlane = once(() => {
    const state = app.store.get();
    if (size.width > 0) plane.draw(state.view, selectedPoint(state), size);
  });
  app.store.watch(({ view, look }) => [view.curve, look.at], drawPlane);
  new ResizeObserver(([entry]) => {
    const { width = 0, height = 0 } = entry?.contentRect ?? {};
    size = { width, height };
    drawPlane();
  }).observe(plane.element);
  return h(
    "main",
    { class: "centre", id: "centre", tabindex: "-1" },
    createCurveHead(app),
    createCurves(app),
    h("div", { class: "under" }, h("figure", { class: "plane-box" }, createPlaneName(), plane.element), createNow(app)),
  );
}

function createCurves(app: App): HTMLElement {
  const { store, actions } = app;
  let palette = readPalette();
  let known: AccuracyInput | undefined;
  // Charts ask dozens of times while they draw, and the horizon comes of a whole plan.
  const input = (): AccuracyInput => {
    const state = store.get();
    const { view, overlays } = state;
    const next = { view, overlays, palette, selected: selectedPoint(state) };
    const isSame = known?.view === view && known.overlays === overlays && known.palette === palette;
    if (known === undefined || !isSame || known.selected !== next.selected)
      known = { ...next, horizon: horizon(view, overlays) };
    return known;
  };
  const readout = h("p", { class: "readout", "aria-live": "polite" });
  const table = h("div", { class: "visually-hidden" });
  const box = h("div", {
    class: "chart accuracy",
    role: "img",
    "aria-label": "Accuracy against rollouts; the table after it holds its figures",
  });
  const tell = (index: number | undefined): void => {
    setText(readout, describePoint(store.get().view, index ?? selectedPoint(store.get())));
  };
  const accuracy = createAccuracyChart(box, input, { onHover: tell, onPick: actions.selectPoint });
  const strips = STRIPS.map((name) => createStripRow(name, app, input));
  const charts = [accuracy, ...strips.map(({ chart }) => chart)];
  // Everything on which the axis and the bands behind it depend, which all curves share.
  store.watch(
    ({ view, overlays }) => [view.curve, view.phases, view.steps, view.isComplete, view.config, overlays],
    () => {
      for (const chart of charts) chart.update();
      for (const { describe } of strips) describe();
    },
  );
  store.watch(({ look }) => [look.at], accuracy.update);
  store.watch(
    ({ view, look }) => [view.curve, view.phases, view.config, look.at],
    () => {
      tell(undefined);
    },
  );
  store.watch(
    ({ view }) => [view.curve],
    ([curve]) => {
      fill(table, drawTable(curve));
    },
  );
  store.watch(
    ({ themeTurn }) => [themeTurn],
    () => {
      palette = readPalette();
      for (const chart of charts) chart.repaint();
    },
  );
  return h(
    "div",
    { class: "curves" },
    h("div", { class: "readout-row" }, readout, createStepper(app)),
    box,
    table,
    createAxisName(),
    strips.map(({ element }) => element),
  );
}

function createPlaneName(): HTMLElement {
  const meaning =
    "Each box is one pair of weights and harness that was measured: the share of right answers on test, the darker the better. Dashed boxes are pairs that the run did not pass through. The path goes right when the weights learn and up when the harness changes.";
  return h("figcaption", { class: "plane-name" }, term("Where the turns led", meaning));
}

function createAxisName(): HTMLElement {
  const meaning =
    "Rollouts: complete attempts at one task, used to train the weights or to score a harness. Measuring costs none of them.";
  return h("p", { class: "axis-name" }, term("tries spent on learning and on searching", meaning));
}

function describePoint(view: RunView, index: number | undefined): string {
  const point = index === undefined ? undefined : view.curve[index];
  if (point === undefined) return view.config === undefined ? "" : "The first measurement is under way.";
  const { meanAt8: mean, low, high } = point.test;
  const name = pointName(point);
  const figures = `test ${withInterval({ mean, low, high })}, validation ${percent(point.validation.meanAt8)}.`;
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}: ${figures} ${compareWithBase(view, point)}`.trim();
}

function drawTable(curve: RunView["curve"]): HTMLElement {
  const share = ({ meanAt8: mean, low, high }: CurvePoint["test"]): string => withInterval({ mean, low, high });
  const cells = (point: CurvePoint): string[] => [
    grouped(point.rollouts),
    share(point.test),
    share(point.validation),
    point.harness,
  ];
  const names = ["Point", "Rollouts", "Test", "Validation", "Harness"];
  return h(
    "table",
    {},
    h("caption", {}, "Accuracy by point of the curve"),
    h(
      "thead",
      {},
      h(
        "tr",
        {},
        names.map((name) => h("th", { scope: "col" }, name)),
      ),
    ),
    h(
      "tbody",
      {},
      curve.map((point) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, pointName(point)),
          cells(point).map((text) => h("td", {}, text)),
        ),
      ),
    ),
  );
}
