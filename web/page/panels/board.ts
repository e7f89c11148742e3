/** The chess board of a rollout: goes through the line that was played, by buttons or by itself. */
import { Chessboard } from "cm-chessboard/src/Chessboard.js";
import { Markers, MARKER_TYPE } from "cm-chessboard/src/extensions/markers/Markers.js";
import "cm-chessboard/assets/chessboard.css";
import "cm-chessboard/assets/extensions/markers/markers.css";
import pieces from "cm-chessboard/assets/pieces/standard.svg?url";
import markers from "cm-chessboard/assets/extensions/markers/markers.svg?url";
import { h, setText } from "../dom.ts";
import { plural } from "../format.ts";
import { isUci, type ChessPly } from "../model/chess-line.ts";

const BEAT_MS = 900;

/** A board that shows `line`, with `side` at the bottom. */
export function createBoard(line: readonly ChessPly[], side: "white" | "black"): HTMLElement {
  let at = 0;
  let timer: number | undefined;
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const place = h("div", { class: "board", role: "img" });
  const words = h("p", { class: "ply", role: "status" });
  const board = new Chessboard(place, {
    position: line[0]?.placement ?? "",
    orientation: side === "white" ? "w" : "b",
    assetsUrl: "",
    style: { pieces: { file: pieces }, animationDuration: isStill ? 0 : 250 },
    extensions: [{ class: Markers, props: { sprite: markers } }],
  });
  const show = (next: number): void => {
    at = Math.max(0, Math.min(line.length - 1, next));
    const ply = line[at];
    if (ply === undefined) return;
    void board.setPosition(ply.placement, !isStill);
    board.removeMarkers();
    if (isUci(ply.move))
      for (const square of [ply.move.slice(0, 2), ply.move.slice(2, 4)]) board.addMarker(MARKER_TYPE.square, square);
    setText(words, describePly(ply, at, line.length));
    place.setAttribute("aria-label", `Chess board. ${describePly(ply, at, line.length)}. Pieces: ${ply.placement}`);
    back.disabled = at === 0;
    forth.disabled = at === line.length - 1;
  };
  const halt = (): void => {
    if (timer !== undefined) clearInterval(timer);
    timer = undefined;
    setText(play, "Play");
  };
  const start = (): void => {
    if (at === line.length - 1) show(0);
    setText(play, "Halt");
    timer = window.setInterval(() => {
      // A board that was taken off the page stops by itself.
      if (!place.isConnected) halt();
      else if (at === line.length - 1) halt();
      else show(at + 1);
    }, BEAT_MS);
  };
  const button = (text: string, label: string, press: () => void): HTMLButtonElement =>
    h("button", { type: "button", class: "button small", "aria-label": label, onclick: press }, text);
  const back = button("‹", "Move back", () => {
    halt();
    show(at - 1);
  });
  const forth = button("›", "Move on", () => {
    halt();
    show(at + 1);
  });
  const play = button("Play", "Play the line", () => {
    if (timer === undefined) start();
    else halt();
  });
  play.disabled = line.length < 2;
  show(0);
  return h("figure", { class: "board-figure" }, place, h("div", { class: "row" }, back, play, forth, words));
}

function describePly(ply: ChessPly, at: number, count: number): string {
  if (at === 0) return count === 1 ? "Start; no move was played" : `Start; ${plural(count - 1, "move")} to come`;
  const who = { model: "The model", opponent: "The opponent", none: "Refused" }[ply.by];
  return `${who}: ${ply.move}${ply.remark === "" ? "" : `, ${ply.remark}`}`;
}
