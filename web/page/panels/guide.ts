/** What the page means, for someone who sees it for the first time, and the keys. */
import { h, type Child } from "../dom.ts";

/** The keys, with what they do. */
const KEYS: readonly (readonly [key: string, meaning: string])[] = [
  ["Space", "run, pause, go on"],
  ["S", "one step: a training step or a round of the search"],
  ["1 2 3", "tabs of the inspector"],
  ["← →", "earlier and later points of the curve"],
  ["?", "this list"],
  ["Esc", "leave the editor, close what is open"],
];

/** The tab “How to read this”. */
export function createGuide(): HTMLElement {
  return h(
    "div",
    { class: "guide" },
    h(
      "p",
      { class: "lead" },
      "A small language model and the program around it take turns getting better, right here: everything runs in this tab.",
    ),
    entry(
      "weights",
      "The weights’ turn",
      "The ",
      h("b", {}, "weights"),
      " are the numbers inside the model. It plays tasks, several tries each; the right answers are ",
      h("b", {}, "accepted"),
      ", and the weights learn to write such answers more often. ",
      em("Rejection-sampling fine-tuning (RSFT) of LoRA adapters."),
    ),
    entry(
      "harness",
      "The harness’s turn",
      "The ",
      h("b", {}, "harness"),
      " is the program around the model: it words the question, runs the tools, reads the answer. Rewrites of it are tried on the same tasks, and the best one stays. ",
      em("Meta-Harness search over programs."),
    ),
    entry(
      "rollout",
      "A try",
      "One attempt at one task, from the first question to the verdict, is a ",
      h("b", {}, "rollout"),
      ". Curves run along the number of tries spent on learning and searching, because that is what improvement costs.",
    ),
    h("h3", {}, "The two curves"),
    h(
      "p",
      {},
      "Both show the share of right answers. The ",
      h("b", {}, "solid"),
      " one is on test tasks, which nothing ever learned from or chose by; it is the figure to report. The ",
      h("b", {}, "dashed"),
      " one is on validation tasks; the point that is best there is ringed, and is the one that the run reports.",
    ),
    h("h3", {}, "The bands"),
    h(
      "p",
      {},
      "The shaded band around a curve says how far the figure could be off because only so many tasks were played: with other tasks of the same kind it would lie within, 95 times out of 100. Where two bands overlap, a difference may be chance, and the page says so. The coloured bands behind the curves say whose turn it was: blue the weights, orange the harness.",
    ),
    h("h3", {}, "The squares"),
    h(
      "p",
      {},
      "Each square is one state: so many training steps, this harness. The darker, the better. The path goes right when the weights learn and up when the harness changes. Click a square, or a point on a curve, and see what the model wrote there.",
    ),
    h("h3", {}, "Keys"),
    drawKeys(),
  );
}

/** The keys as a list. */
export function drawKeys(): HTMLElement {
  return h(
    "dl",
    { class: "keys" },
    KEYS.map(([key, meaning]) => [
      h(
        "dt",
        {},
        key.split(" ").map((name) => h("kbd", {}, name)),
      ),
      h("dd", {}, meaning),
    ]),
  );
}

function entry(side: string, title: string, ...words: readonly Child[]): HTMLElement {
  return h("section", { class: `guide-entry ${side}` }, h("h3", {}, title), h("p", {}, words));
}

function em(text: string): HTMLElement {
  return h("em", { class: "quiet" }, text);
}
