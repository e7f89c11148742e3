/** What can be done with a harness on the bench: change it, check it, race it, enter it into the search. */
import type { CheckReport, EvaluationReport, HarnessContext } from "../../protocol/by-hand.ts";
import { fill, h, setText } from "../dom.ts";
import { signedPoints, withInterval } from "../format.ts";
import { choiceOf } from "../model/address.ts";
import type { App, PageState } from "../state.ts";
import { button, setReason } from "./button.ts";

/** What the buttons work on. */
export type BenchParts = {
  /** Begins or drops a change. */
  readonly onEdit: () => void;
  readonly text: () => string;
  readonly result: HTMLElement;
};

/** The buttons; `update` tells them whether a change is under way. */
export type BenchButtons = { readonly element: HTMLElement; readonly update: (isEditing: boolean) => void };

/** The buttons under the source. */
export function createBenchButtons(app: App, { onEdit, text, result }: BenchParts): BenchButtons {
  const { store, actions } = app;
  let isEditing = false;
  const idea = h("input", {
    type: "text",
    class: "idea",
    maxlength: 200,
    placeholder: "Why should it help?",
    "aria-label": "Why should it help?",
  });
  const work = (words: string, job: () => Promise<HTMLElement[]>): void => {
    fill(result, h("p", { class: "quiet" }, `${words} …`));
    job().then(
      (found) => {
        fill(result, found);
      },
      (error: unknown) => {
        fill(result);
        actions.report(error);
      },
    );
  };
  const edit = button({ words: "Edit a copy", look: "small", onPress: onEdit });
  const check = button({
    words: "Check",
    look: "small",
    hint: "The same checks as the command line: static rules, a trial run, whether answers come out of the model",
    onPress: () => {
      work("Checking", () => checkIt(app, text()));
    },
  });
  const race = button({
    words: "Race it",
    look: "small",
    hint: "Plays this harness and the present one on the same tasks with the same luck (paired evaluation)",
    onPress: () => {
      work("Playing both on the same tasks; this can take a minute", () => raceIt(app, text()));
    },
  });
  const submit = button({
    words: "Enter the search",
    look: "small",
    hint: "It enters the next round as a candidate, checked and raced like all others",
    onPress: () => {
      work("Handing it in", () => submitIt(app, { source: text(), idea: idea.value.trim() }));
    },
  });
  const update = (next: boolean): void => {
    isEditing = next;
    setText(edit, isEditing ? "Drop my changes" : "Edit a copy");
    idea.hidden = !isEditing;
    const state = store.get();
    setReason(check, readyReason(state));
    setReason(race, readyReason(state));
    setReason(submit, readyReason(state) || (isEditing ? submitReason(state) : "Edit a copy first."));
  };
  store.watch(
    ({ boot, active, view, source }) => [boot.kind, active, view.config, source],
    () => {
      update(isEditing);
    },
  );
  const rest = h("div", { class: "row wrap" }, check, race, idea, submit);
  return { element: h("div", { class: "bench-buttons" }, edit, rest), update };
}

async function checkIt({ lab, store }: App, source: string): Promise<HTMLElement[]> {
  return drawCheck(await lab.call("checkHarness", { context: contextOf(store.get()), source }));
}

async function raceIt({ lab, store }: App, source: string): Promise<HTMLElement[]> {
  const state = store.get();
  const context = contextOf(state);
  const against = "run" in context ? state.view.harness : "h0";
  const report = await lab.call("evaluateHarness", { context, source, ...("run" in context && { against }) });
  return drawRace(report, against);
}

async function submitIt(
  { lab }: App,
  { source, idea }: { readonly source: string; readonly idea: string },
): Promise<HTMLElement[]> {
  const { waiting } = await lab.call("submitHarness", { source, hypothesis: idea === "" ? "Written by hand." : idea });
  const words =
    waiting === 1
      ? "It enters the next round of the search."
      : `${String(waiting)} harnesses wait for the next round of the search.`;
  return [h("p", {}, words)];
}

function readyReason({ boot }: PageState): string {
  return boot.kind === "ready"
    ? ""
    : boot.kind === "starting"
      ? "The engine is still loading."
      : "The engine could not start.";
}

function submitReason({ active, source, view }: PageState): string {
  if (active === "") return "No run is under way. Start one, then enter your harness.";
  if (source?.run !== active) return "Show the run that is under way first.";
  if (view.config?.condition === "weight-only") return "This condition searches no harness.";
  return "";
}

function contextOf({ source, settings }: PageState): HarnessContext {
  if (source !== undefined && source.run !== "") return { run: source.run };
  return { choice: choiceOf(settings) };
}

function drawCheck({ isAccepted, checks }: CheckReport): HTMLElement[] {
  return [
    h("p", {}, h("b", {}, isAccepted ? "A search would accept it." : "A search would refuse it.")),
    h(
      "ul",
      { class: "checks" },
      checks.map(({ name, ok, detail }) =>
        h("li", { class: ok ? "is-ok" : "is-refused" }, h("b", {}, `${ok ? "✓" : "✗"} ${name}`), `: ${detail}`),
      ),
    ),
  ];
}

function drawRace(report: EvaluationReport, against: string): HTMLElement[] {
  const { first, second, paired, weights } = report;
  const { low, high } = paired;
  const words =
    low > 0
      ? "Yours is better; the interval is above zero."
      : high < 0
        ? "Yours is worse; the interval is below zero."
        : "No difference that could not be chance.";
  return [
    h("p", {}, h("b", {}, words)),
    h(
      "p",
      { class: "figure" },
      `Yours ${withInterval(first)}; ${against} ${withInterval(second)}; difference ${signedPoints(paired.difference)} points [${signedPoints(low)}, ${signedPoints(high)}], with ${weights}.`,
    ),
  ];
}
