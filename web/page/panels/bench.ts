/**
 * The source of a harness: read it as a difference, or change it, check it, play it against the present one on the same
 * tasks, and hand it to the search. The editor comes in a part of its own, loaded when the tab is first opened.
 */
import type { CheckReport, EvaluationReport, HarnessContext, HarnessSource } from "../../protocol.ts";
import { fill, h, setText } from "../dom.ts";
import { signedPoints, withInterval } from "../format.ts";
import type { Settings } from "../model/address.ts";
import type { App, PageState } from "../state.ts";
import type { Editor } from "./editor.ts";
import { segments } from "./segments.ts";

type Against = "parent" | "first" | "none";

/** The bench under the tree. */
export function createBench(app: App): HTMLElement {
  const { store } = app;
  const box = h("div", { class: "editor-box" });
  const result = h("div", { class: "bench-result", role: "status" });
  const caption = h("p", { class: "caption" });
  let editor: Editor | undefined;
  let source: HarnessSource | undefined;
  let against: Against = "parent";
  let isEditing = false;
  let turn = 0;

  const show = (): void => {
    if (editor === undefined || source === undefined) return;
    const base = { parent: source.parent?.source, first: source.first, none: undefined }[against];
    editor.show({ text: isEditing ? editor.text() : source.source, base, isEditable: isEditing });
    const to = { parent: source.parent?.name ?? "nothing: it is the first", first: "h0", none: "" }[against];
    setText(
      caption,
      `${isEditing ? `Your copy of ${source.name}` : source.name}${to === "" ? "" : `, compared with ${to}`}`,
    );
  };
  const open = async (): Promise<void> => {
    const mine = ++turn;
    const state = store.get();
    if (state.look.tab !== "harness" || state.source === undefined || state.candidate === "") return;
    try {
      const [found, module] = await Promise.all([state.source.readHarness(state.candidate), import("./editor.ts")]);
      if (mine !== turn) return;
      source = found;
      isEditing = false;
      editor ??= module.createEditor(box);
      fill(result);
      buttons.update(isEditing);
      show();
    } catch (error) {
      if (mine === turn)
        fill(result, h("p", { class: "quiet" }, error instanceof Error ? error.message : String(error)));
    }
  };
  const buttons = createButtons(app, {
    onEdit: () => {
      isEditing = !isEditing;
      buttons.update(isEditing);
      if (!isEditing && source !== undefined) editor?.show({ text: source.source, base: undefined, isEditable: false });
      show();
      if (isEditing) editor?.focus();
    },
    text: () => (isEditing ? editor?.text() : source?.source) ?? "",
    result,
  });
  store.watch(
    ({ candidate, source: from, look }) => [candidate, from, look.tab],
    () => {
      void open();
    },
  );
  store.watch(
    ({ themeTurn }) => [themeTurn],
    () => {
      editor?.retheme();
    },
  );
  const sides = segments<Against>({
    label: "Compare with",
    choices: [
      { value: "parent", words: "against its parent" },
      { value: "first", words: "against h0" },
      { value: "none", words: "source" },
    ],
    onChoose: (value) => {
      against = value;
      show();
    },
  });
  return h(
    "section",
    { class: "bench", "aria-label": "Source of the harness" },
    h("div", { class: "row wrap tools" }, sides),
    caption,
    box,
    buttons.element,
    result,
  );
}

type BenchParts = { readonly onEdit: () => void; readonly text: () => string; readonly result: HTMLElement };

function createButtons(
  app: App,
  { onEdit, text, result }: BenchParts,
): { element: HTMLElement; update: (isEditing: boolean) => void } {
  const { store, lab, actions } = app;
  let isEditing = false;
  const edit = h("button", { type: "button", class: "button small", onclick: onEdit }, "Edit a copy");
  const hypothesis = h("input", {
    type: "text",
    class: "idea",
    maxlength: 200,
    placeholder: "Why should it help?",
    "aria-label": "Why should it help?",
  });
  const work = async (words: string, job: () => Promise<Node[]>): Promise<void> => {
    fill(result, h("p", { class: "quiet" }, `${words} …`));
    try {
      fill(result, ...(await job()));
    } catch (error) {
      fill(result);
      actions.report(error);
    }
  };
  const check = press(
    "Check",
    "The same checks as the command line: static rules, a trial run, whether answers come out of the model",
    () => {
      void work("Checking", async () =>
        drawCheck(await lab.call("checkHarness", { context: contextOf(store.get()), source: text() })),
      );
    },
  );
  const race = press(
    "Race it",
    "Plays your harness and the present one on the same tasks with the same luck (paired evaluation)",
    () => {
      void work("Playing both on the same tasks; this can take a minute", async () => {
        const state = store.get();
        const against = state.view.harness;
        const report = await lab.call("evaluateHarness", {
          context: contextOf(state),
          source: text(),
          against: state.source?.run === "" ? undefined : against,
        });
        return drawRace(report, state.source?.run === "" ? "h0" : against);
      });
    },
  );
  const submit = press(
    "Enter the search",
    "It enters the next round as a candidate, checked and raced like all others",
    () => {
      void work("Handing it in", async () => {
        const { waiting } = await lab.call("submitHarness", {
          source: text(),
          hypothesis: hypothesis.value.trim() || "Written by hand.",
        });
        return [
          h(
            "p",
            {},
            waiting === 1
              ? "It enters the next round of the search."
              : `${String(waiting)} harnesses wait for the next round of the search.`,
          ),
        ];
      });
    },
  );
  const extra = h("div", { class: "row wrap" }, check, race, hypothesis, submit);
  const update = (next: boolean): void => {
    isEditing = next;
    setText(edit, isEditing ? "Drop my changes" : "Edit a copy");
    hypothesis.hidden = !isEditing;
    const state = store.get();
    setReason(check, readyReason(state));
    setReason(race, readyReason(state));
    setReason(submit, readyReason(state) || (isEditing ? submitReason(state) : "Edit a copy first."));
  };
  store.watch(
    ({ boot, status, active, view, source }) => [boot.kind, status, active, view.phase, source],
    () => {
      update(isEditing);
    },
  );
  return { element: h("div", { class: "bench-buttons" }, edit, extra), update };
}

function press(words: string, hint: string, run: () => void): HTMLButtonElement {
  return h(
    "button",
    {
      type: "button",
      class: "button small",
      "data-hint": hint,
      onclick: (event) => {
        if ((event.currentTarget as Element).getAttribute("aria-disabled") !== "true") run();
      },
    },
    words,
  );
}

function setReason(button: HTMLButtonElement, reason: string): void {
  button.setAttribute("aria-disabled", String(reason !== ""));
  button.title = reason === "" ? (button.dataset["hint"] ?? "") : reason;
  button.setAttribute("aria-description", button.title);
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

/** The settings as the worker takes them. */
export function choiceOf({
  domain,
  condition,
  preset,
  seed,
  overrides,
}: Settings): Extract<HarnessContext, { choice: unknown }>["choice"] {
  return { domain, condition, preset, seed, overrides };
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
