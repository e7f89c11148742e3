/** What stands over the accuracy curve: its name, its legend, and the way from point to point. */
import { fill, h, setText, type Child } from "../dom.ts";
import { pointName } from "../model/run-view.ts";
import { describeExperiment, runTitle } from "../model/names.ts";
import { selectedPoint, type App, type PageState } from "../state.ts";
import { term } from "./term.ts";

/** Title and legend. */
export function createCurveHead({ store }: App): HTMLElement {
  const overlays = h("span", { class: "overlay-legend" });
  store.watch(
    (state) => [state.overlays],
    ([list]) => {
      fill(
        overlays,
        list.map(({ title }, i) => key(`overlay-${String((i % 4) + 1)}`, title)),
      );
    },
  );
  const shown = h("p", { class: "shown-run" });
  store.watch(
    ({ runs, look, recorded, view }) => [runs, look.run, recorded, view.config],
    () => {
      setText(shown, nameOfShown(store.get()));
    },
  );
  const about = (name: string, words: string, explanation: string): HTMLElement => key(name, term(words, explanation));
  return h(
    "div",
    { class: "curve-head" },
    shown,
    h(
      "h2",
      {},
      term("Right answers", "Accuracy, mean@8: the share of right answers over several tries at each task."),
      " as the run goes on",
    ),
    h(
      "div",
      { class: "legend" },
      about("test", "test", "Tasks that are never trained on and never used to choose. This is the figure to report."),
      about("validation", "validation", "Tasks by which the reported point is chosen: the best on these, ringed."),
      about(
        "band",
        "could be chance",
        "Bands: 95 % bootstrap intervals over tasks. Where two bands overlap, the difference may be chance.",
      ),
      overlays,
    ),
  );
}

/** Which run is shown; the settings at the top are those of the next one. */
function nameOfShown({ runs, look, recorded, view }: PageState): string {
  const listing = runs.find(({ run }) => run === look.run);
  if (listing !== undefined) return runTitle(listing);
  if (view.config === undefined) return "\u00a0";
  const name = describeExperiment(view.config);
  return recorded === "" ? name : `A recorded run: ${name.charAt(0).toLowerCase()}${name.slice(1)}`;
}

/** Earlier and later points of the curve. */
export function createStepper({ store, actions }: App): HTMLElement {
  const step = (sign: string, name: string, by: number): HTMLButtonElement =>
    h(
      "button",
      {
        type: "button",
        class: "button small quiet",
        "aria-label": name,
        title: `${name} (${by < 0 ? "←" : "→"})`,
        onclick: () => {
          actions.movePoint(by);
        },
      },
      sign,
    );
  const previous = step("‹", "Earlier point", -1);
  const next = step("›", "Later point", 1);
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
  return h("div", { class: "stepper" }, previous, place, next);
}

function key(name: string, words: Child): HTMLElement {
  return h("span", { class: `key ${name}` }, h("i"), words);
}
