/** What is happening right now, in one sentence, and what the run has cost so far. */
import { h, setText } from "../dom.ts";
import { duration, grouped } from "../format.ts";
import { describeNow } from "../model/sentence.ts";
import type { RunView } from "../model/run-view.ts";
import { isLive, isUnfinished, turnOf } from "../model/turn.ts";
import type { App, PageState } from "../state.ts";
import { button, setReason } from "./button.ts";
import { term } from "./term.ts";

/** The corner with the sentence of now and the ledger line. */
export function createNow({ store, actions }: App): HTMLElement {
  const badge = h("span", { class: "turn" });
  const sentence = h("p", { class: "sentence", role: "status" });
  const bar = h(
    "div",
    {
      class: "progress",
      role: "progressbar",
      "aria-label": "Share of the run that is done",
      "aria-valuemin": 0,
      "aria-valuemax": 100,
    },
    h("i"),
  );
  const left = h("span", { class: "time-left" });
  const spent = h("span", {});
  const ledger = h(
    "p",
    { class: "ledger" },
    term(
      "Spent",
      "The ledger: what the run cost. Only rollouts for training and search count on the axis of the curve.",
    ),
    spent,
  );
  const about = h("p", { class: "recorded-note" });
  const own = button({ words: "Run your own", look: "primary own", onPress: actions.run });
  const again = button({ words: "Replay", look: "small quiet", onPress: actions.replay });
  const goOn = button({
    words: "Go on with this run",
    look: "primary own",
    onPress: () => {
      actions.resume(store.get().look.run);
    },
  });
  const recordedBox = h("div", { class: "recorded-box" }, about, h("div", { class: "row" }, own, again));
  store.watch(
    ({ view, now, recorded, isReplaying, active, look, boot, status, runs }) => [
      runs,
      view,
      now,
      recorded,
      isReplaying,
      active,
      look.run,
      boot.kind,
      status,
    ],
    () => {
      const state = store.get();
      const { side, words } = turnOf(state);
      badge.dataset["side"] = side;
      setText(badge, words);
      setText(sentence, sentenceOf(state));
      drawProgress(bar, left, state);
      setText(spent, describeCost(state.view));
      goOn.hidden = !isUnfinished(state) || state.status !== "idle" || state.boot.kind !== "ready";
      recordedBox.hidden = state.recorded === "";
      setText(about, state.recorded);
      again.disabled = state.isReplaying;
      setReason(own, state.boot.kind === "ready" ? "" : "The engine is still loading.");
    },
  );
  return h(
    "div",
    { class: "now" },
    h("div", { class: "turn-row" }, badge, left),
    sentence,
    bar,
    ledger,
    goOn,
    recordedBox,
  );
}

function sentenceOf(state: PageState): string {
  const { view } = state;
  if (isLive(state)) {
    if (view.last === undefined) return "Getting ready.";
    return state.status === "paused" ? `Paused. ${describeNow(view)}` : describeNow(view);
  }
  if (view.curve.length === 0 && view.config === undefined)
    return state.look.run === "" ? "Loading a finished run to look at …" : "Opening the run …";
  if (!view.isComplete && !isLive(state) && state.recorded === "" && view.last === undefined)
    return "This run is not finished. Everything up to its last finished step is stored.";
  return describeNow(view);
}

function drawProgress(bar: HTMLElement, left: HTMLElement, state: PageState): void {
  const share = isLive(state) ? (state.now?.share ?? 0) : undefined;
  bar.hidden = share === undefined;
  left.hidden = share === undefined;
  if (share === undefined) return;
  const text = String(Math.round(100 * share));
  bar.setAttribute("aria-valuenow", text);
  const fillBar = bar.firstElementChild;
  if (fillBar instanceof HTMLElement) fillBar.style.transform = `scaleX(${share.toFixed(3)})`;
  const seconds = state.now?.secondsLeft;
  setText(left, seconds === undefined ? `${text}\u202f%` : `${text}\u202f%, ${duration(1000 * seconds)} left`);
}

function describeCost({ cost, isComplete }: RunView): string {
  const spent = cost.training + cost.search;
  return [
    `: ${grouped(spent)} tries (${grouped(cost.training)} to learn, ${grouped(cost.search)} to search), ${grouped(cost.evaluation)} to measure; `,
    // Until the run ends only the tokens of training steps have been told.
    isComplete ? `${grouped(cost.tokensSampled)} tokens written, ` : "",
    `${grouped(cost.tokensTrained)} tokens learned from; `,
    `${grouped(cost.evaluated)} rewrites tried, ${grouped(cost.refused)} refused.`,
  ].join("");
}
