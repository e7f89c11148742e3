/** One rollout in full: verdict and why, the board where there is one, and all that was said and done. */
import type { RolloutView } from "../../protocol/rollouts.ts";
import { h } from "../dom.ts";
import { plural } from "../format.ts";
import { blocksOf, goldAnswers } from "../model/messages.ts";
import { chessLine, sideToMove } from "../model/chess-line.ts";
import { drawBlocks, type TokenColour } from "./blocks.ts";

const OUTCOME_WORDS: Readonly<Record<RolloutView["outcome"], string>> = {
  judged: "The verifier judged it",
  limit: "It ran into a limit",
  fault: "The harness failed",
  "bad-return": "The harness returned something unusable",
  provenance: "Refused: the answer did not come out of the model",
};

/** The rollout `view`. */
export function drawRollout(
  view: RolloutView,
  { colour, title }: { readonly colour: TokenColour; readonly title: string },
): HTMLElement {
  const isRight = view.reward > 0.5;
  const { tokens, turns, toolCalls } = view.usage;
  return h(
    "article",
    { class: "rollout", "aria-label": title },
    h(
      "header",
      { class: "rollout-head" },
      h("h3", {}, title),
      h(
        "p",
        { class: "verdict" },
        h("span", { class: `mark ${isRight ? "is-right" : "is-wrong"}`, "aria-hidden": "true" }, isRight ? "✓" : "✗"),
        h(
          "span",
          {},
          h("b", {}, isRight ? "right" : "wrong"),
          view.reason === "" ? null : `: ${view.reason}`,
          view.cause === "" || view.cause === view.reason ? null : h("span", { class: "quiet" }, ` (${view.cause})`),
        ),
      ),
      view.outcome === "judged"
        ? null
        : h(
            "p",
            { class: "outcome" },
            `${OUTCOME_WORDS[view.outcome]}${view.detail === "" ? "" : ` (${view.detail})`}${view.message === "" ? "" : `: ${view.message}`}`,
          ),
      h(
        "p",
        { class: "quiet" },
        `${plural(tokens, "token")}, ${plural(turns, "turn")}, ${plural(toolCalls, "tool call")}`,
        view.isAccepted ? "; the weights learned from it" : "",
      ),
      drawGold(view),
    ),
    drawBoard(view),
    h("div", { class: "blocks" }, drawBlocks(view, colour)),
  );
}

function drawGold(view: RolloutView): HTMLElement | null {
  if (view.view === undefined)
    return h(
      "p",
      { class: "quiet" },
      "The task itself cannot be made again here: the run is of another version, or reads tasks from a file. So its right answer is not shown.",
    );
  const answers = goldAnswers(view);
  if (answers.length === 0) return null;
  return h(
    "p",
    { class: "quiet" },
    "Right answer: ",
    h("code", {}, answers.join(" or ")),
    " (the harness never sees it)",
  );
}

/** The board comes in a part of its own, loaded when a chess rollout is first opened. */
function drawBoard(view: RolloutView): HTMLElement | null {
  const fen = view.view?.["fen"];
  if (view.domain !== "chess-puzzles" || typeof fen !== "string") return null;
  const box = h("div", { class: "board-box" }, h("p", { class: "quiet" }, "Setting up the board …"));
  const line = chessLine(fen, blocksOf(view.steps));
  import("./board.ts").then(
    ({ createBoard }) => {
      box.replaceChildren(createBoard(line, sideToMove(fen)));
    },
    () => {
      box.replaceChildren(h("p", { class: "quiet" }, "The board could not be loaded; the moves stand below."));
    },
  );
  return box;
}
