/** One of the low curves with its name and the figure under the crosshair. */
import type { StepPoint } from "../../protocol/runs.ts";
import type { Chart, ChartInput } from "../charts/frame.ts";
import { createStrip, type StripName } from "../charts/strips.ts";
import { h, setText } from "../dom.ts";
import { grouped, plural, wholePercent } from "../format.ts";
import type { App } from "../state.ts";
import { term } from "./term.ts";

const STRIP_WORDS: Readonly<Record<StripName, { readonly name: string; readonly term: string }>> = {
  accepted: {
    name: "Accepted",
    term: "Acceptance rate: the share of a step’s answers that were right, and so were learned from. Dashed: the mean reward, which differs from it only where answers can be partly right.",
  },
  length: {
    name: "Length",
    term: "Completion length: tokens that the model wrote in one rollout, on average.",
  },
  clipped: {
    name: "Cut off",
    term: "Clipped share: rollouts in which the model ran out of room before it had finished.",
  },
};

/** A strip in its row. */
export type StripRow = { readonly element: HTMLElement; readonly chart: Chart; readonly describe: () => void };

/** The row of the strip `name`. */
export function createStripRow(name: StripName, { store, actions }: App, input: () => ChartInput): StripRow {
  const words = STRIP_WORDS[name];
  const value = h("span", { class: "strip-value" });
  const box = h("div", { class: "chart strip", role: "img", "aria-label": `${words.name} by training step` });
  let hovered: number | undefined;
  const describe = (): void => {
    const { steps, config } = store.get().view;
    const spent = hovered === undefined ? undefined : chart.xAt(hovered);
    const step = spent === undefined ? steps.at(-1) : steps.find((row) => row.spent === spent);
    const nothing = config === undefined || config.condition === "harness-only" ? "" : "no training step yet";
    setText(value, step === undefined ? nothing : describeStep(name, step));
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
  const head = h("div", { class: "strip-head" }, term(words.name, words.term), value);
  return { element: h("div", { class: "strip-row" }, head, box), chart, describe };
}

function describeStep(name: StripName, step: StepPoint): string {
  const where = `step ${String(step.step)}: `;
  if (name === "accepted")
    return `${where}${grouped(step.accepted)} of ${grouped(step.rollouts)}, mean reward ${step.reward.toFixed(2)}`;
  if (name === "length") return `${where}${plural(step.completionLength, "token")}`;
  return `${where}${wholePercent(step.clipped)}`;
}
