/** The middle of the page: the accuracy curve, the strips under it, the plane, the sentence of now and the ledger line. */
import type { CurvePoint } from "../../../src/index.ts";
import type { StepPoint } from "../../protocol.ts";
import { createAccuracyChart, type AccuracyInput } from "../charts/accuracy.ts";
import { readPalette, type Palette } from "../charts/colours.ts";
import type { Chart } from "../charts/frame.ts";
import { createPlane } from "../charts/plane.ts";
import { createStrip, STRIPS, type StripName } from "../charts/strips.ts";
import { fill, h, setText } from "../dom.ts";
import { grouped, percent, plural, wholePercent, withInterval } from "../format.ts";
import { horizon } from "../model/plan.ts";
import { pointName, type RunView } from "../model/run-view.ts";
import { compareWithBase } from "../model/sentence.ts";
import { selectedPoint, type App } from "../state.ts";
import { createNow } from "./now.ts";
import { term } from "./term.ts";

/** The middle column. */
export function createCentre(app: App): HTMLElement {
  const { store } = app;
  let palette = readPalette();
  const input = (): AccuracyInput => ({
    ...chartInput(store.get().view, palette),
    overlays: store.get().overlays,
    selected: selectedPoint(store.get()),
  });
  const readout = h("p", { class: "readout", "aria-live": "polite" });
  const table = h("div", { class: "visually-hidden" });
  const accuracyBox = h("div", {
    class: "chart accuracy",
    role: "img",
    "aria-label": "Accuracy against rollouts; the table after it holds its figures",
  });
  const accuracy = createAccuracyChart(accuracyBox, input, {
    onHover: (index) => {
      setText(readout, describePoint(store.get().view, index ?? selectedPoint(store.get())));
    },
    onPick: (index) => {
      app.actions.selectPoint(index);
    },
  });
  const strips = STRIPS.map((name) => createStripRow(name, app, () => chartInput(store.get().view, palette)));
  const plane = createPlane((index) => {
    app.actions.selectPoint(index);
  });
  const charts: Chart[] = [accuracy, ...strips.map(({ chart }) => chart)];
  store.watch(
    ({ view, overlays, look, themeTurn }) => [
      view.curve,
      view.phases,
      view.steps,
      view.isComplete,
      view.config,
      overlays,
      look.at,
      themeTurn,
    ],
    () => {
      for (const chart of charts) chart.update();
      const { view } = store.get();
      setText(readout, describePoint(view, selectedPoint(store.get())));
      for (const { describe } of strips) describe();
      plane.draw(view, selectedPoint(store.get()));
      fill(table, drawTable(view));
    },
  );
  store.watch(
    ({ themeTurn }) => [themeTurn],
    () => {
      palette = readPalette();
      for (const chart of charts) chart.repaint();
    },
  );
  new ResizeObserver(() => {
    plane.draw(store.get().view, selectedPoint(store.get()));
  }).observe(plane.element);
  return h(
    "main",
    { class: "centre", id: "centre", tabindex: "-1" },
    createCurveHead(app),
    readout,
    accuracyBox,
    table,
    h(
      "p",
      { class: "axis-name" },
      term(
        "tries spent on learning and on searching",
        "Rollouts: complete attempts at one task, used to train the weights or to score a harness. Measuring costs none of them.",
      ),
    ),
    h(
      "div",
      { class: "strips" },
      strips.map(({ element }) => element),
    ),
    h("div", { class: "under" }, h("figure", { class: "plane-box" }, plane.element), createNow(app)),
  );
}

function chartInput(view: RunView, palette: Palette): AccuracyInput {
  return { view, horizon: horizon(view), palette, overlays: [], selected: undefined };
}

function createCurveHead({ store, actions }: App): HTMLElement {
  const previous = h(
    "button",
    {
      type: "button",
      class: "button small quiet",
      "aria-label": "Earlier point",
      title: "Earlier point (←)",
      onclick: () => {
        actions.movePoint(-1);
      },
    },
    "‹",
  );
  const next = h(
    "button",
    {
      type: "button",
      class: "button small quiet",
      "aria-label": "Later point",
      title: "Later point (→)",
      onclick: () => {
        actions.movePoint(1);
      },
    },
    "›",
  );
  const place = h("span", { class: "place" });
  store.watch(
    (state) => [state.view.curve, state.look.at],
    ([curve]) => {
      const at = selectedPoint(store.get());
      const point = at === undefined ? undefined : curve[at];
      setText(place, point === undefined ? "no point yet" : pointName(point));
      previous.disabled = at === undefined || at === 0;
      next.disabled = at === undefined || at >= curve.length - 1;
    },
  );
  const overlays = h("span", { class: "overlay-legend" });
  store.watch(
    (state) => [state.overlays],
    ([list]) => {
      fill(
        overlays,
        list.map(({ title }, i) => h("span", { class: `key overlay-${String((i % 4) + 1)}` }, h("i"), title)),
      );
    },
  );
  return h(
    "div",
    { class: "curve-head" },
    h(
      "h2",
      {},
      term("Right answers", "Accuracy, mean@8: the share of right answers over several tries at each task."),
      " as the run goes on",
    ),
    h(
      "div",
      { class: "legend" },
      h(
        "span",
        { class: "key test" },
        h("i"),
        term("test", "Tasks that are never trained on and never used to choose. This is the figure to report."),
      ),
      h(
        "span",
        { class: "key validation" },
        h("i"),
        term("validation", "Tasks by which the reported point is chosen: the best on these, ringed."),
      ),
      h(
        "span",
        { class: "key band" },
        h("i"),
        term(
          "could be chance",
          "Bands: 95 % bootstrap intervals over tasks. Where two bands overlap, the difference may be chance.",
        ),
      ),
      overlays,
    ),
    h("div", { class: "stepper" }, previous, place, next),
  );
}

function describePoint(view: RunView, index: number | undefined): string {
  const point = index === undefined ? undefined : view.curve[index];
  if (point === undefined) return view.config === undefined ? "" : "The first measurement is under way.";
  const { meanAt8: mean, low, high } = point.test;
  const validation = percent(point.validation.meanAt8);
  return `${capital(pointName(point))}: test ${withInterval({ mean, low, high })}, validation ${validation}. ${compareWithBase(view, point)}`.trim();
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const STRIP_WORDS: Readonly<Record<StripName, { readonly name: string; readonly term: string }>> = {
  accepted: {
    name: "Accepted",
    term: "Acceptance rate: the share of a step’s answers that were right, and so were learned from.",
  },
  length: { name: "Length", term: "Completion length: tokens that the model wrote in one rollout, on average." },
  clipped: {
    name: "Cut off",
    term: "Clipped share: rollouts in which the model ran out of room before it had finished.",
  },
};

type StripRow = { readonly element: HTMLElement; readonly chart: Chart; readonly describe: () => void };

function createStripRow(name: StripName, { store, actions }: App, input: () => AccuracyInput): StripRow {
  const value = h("span", { class: "strip-value" });
  const box = h("div", {
    class: "chart strip",
    role: "img",
    "aria-label": `${STRIP_WORDS[name].name} by training step`,
  });
  let hovered: number | undefined;
  const describe = (): void => {
    const { steps } = store.get().view;
    const spent = hovered === undefined ? undefined : chart.xAt(hovered);
    const step = spent === undefined ? steps.at(-1) : steps.find((row) => row.spent === spent);
    setText(value, step === undefined ? "" : describeStep(name, step));
  };
  const chart = createStrip(box, name, {
    input,
    onHover: (index) => {
      hovered = index;
      describe();
    },
    onPick: ({ step }) => {
      actions.selectStep(step);
    },
  });
  const element = h(
    "div",
    { class: "strip-row" },
    h("div", { class: "strip-head" }, term(STRIP_WORDS[name].name, STRIP_WORDS[name].term), value),
    box,
  );
  return { element, chart, describe };
}

function describeStep(name: StripName, step: StepPoint): string {
  const where = `step ${String(step.step)}: `;
  if (name === "accepted") return `${where}${grouped(step.accepted)} of ${grouped(step.rollouts)}`;
  if (name === "length") return `${where}${plural(step.completionLength, "token")}`;
  return `${where}${wholePercent(step.clipped)}`;
}

function drawTable({ curve }: RunView): HTMLElement {
  const share = ({ meanAt8: mean, low, high }: CurvePoint["test"]): string => withInterval({ mean, low, high });
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
        ["Point", "Rollouts", "Test", "Validation", "Harness"].map((name) => h("th", { scope: "col" }, name)),
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
          [grouped(point.rollouts), share(point.test), share(point.validation), point.harness].map((text) =>
            h("td", {}, text),
          ),
        ),
      ),
    ),
  );
}
