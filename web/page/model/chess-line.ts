/**
 * The line that a rollout played, as positions for the board. The board needs no rules of its own: every position after an
 * answer of the opponent comes from the tool, and what lies between two of them is one move of pieces.
 */
import type { JsonValue } from "../../../src/index.ts";
import type { Block } from "./messages.ts";

/** One position of the line. */
export type ChessPly = {
  /** Pieces, as the first field of a FEN. */
  readonly placement: string;
  /** The move that led here, in UCI; empty for the start. */
  readonly move: string;
  /** Who moved: the model, the opponent, or nobody (the start, or a move that was refused). */
  readonly by: "model" | "opponent" | "none";
  /** What the referee said, such as `wrong move`; empty where the line goes on. */
  readonly remark: string;
};

/** The line of `blocks` from the position `fen`. */
export function chessLine(fen: string, blocks: readonly Block[]): ChessPly[] {
  let placement = placementOf(fen);
  const line: ChessPly[] = [{ placement, move: "", by: "none", remark: "" }];
  for (const block of blocks) {
    if (block.kind !== "tool" || block.name !== "play") continue;
    const move = typeof block.args[0] === "string" ? block.args[0].trim().toLowerCase() : "";
    const result = readResult(block.result);
    const status = textOf(result, "status");
    const reason = textOf(result, "reason");
    const isPlayed = status === "next" || status === "solved" || reason === "wrong move";
    if (!isPlayed || !isUci(move)) {
      line.push({ placement, move, by: "none", remark: reason === "" ? status : reason });
      continue;
    }
    placement = applyUci(placement, move);
    line.push({ placement, move, by: "model", remark: status === "next" ? "" : reason === "" ? status : reason });
    const next = textOf(result, "fen");
    if (status !== "next" || next === "") continue;
    placement = placementOf(next);
    line.push({ placement, move: textOf(result, "opponent"), by: "opponent", remark: "" });
  }
  return line;
}

/** Whether `text` is a move in UCI, such as `e2e4` or `e7e8q`. */
export function isUci(text: string): boolean {
  return /^[a-h][1-8][a-h][1-8][qrbn]?$/.test(text);
}

/** Pieces after a legal move `uci`: captures, castling, en passant and promotion are moved as well. */
export function applyUci(placement: string, uci: string): string {
  const board = expand(placement);
  const [from, to] = [square(uci.slice(0, 2)), square(uci.slice(2, 4))];
  const piece = board[from] ?? " ";
  const isPawn = piece.toLowerCase() === "p";
  const isCapture = board[to] !== " ";
  // A pawn that changes its file without taking anything took en passant.
  if (isPawn && from % 8 !== to % 8 && !isCapture) board[Math.floor(from / 8) * 8 + (to % 8)] = " ";
  board[from] = " ";
  const promotion = uci.charAt(4);
  board[to] = promotion === "" ? piece : piece === "P" ? promotion.toUpperCase() : promotion;
  if (piece.toLowerCase() === "k" && Math.abs(from - to) === 2) {
    const [rookFrom, rookTo] = to > from ? [to + 1, to - 1] : [to - 2, to + 1];
    board[rookTo] = board[rookFrom] ?? " ";
    board[rookFrom] = " ";
  }
  return compress(board);
}

/** Side to move in `fen`. */
export function sideToMove(fen: string): "white" | "black" {
  return fen.split(" ")[1] === "b" ? "black" : "white";
}

function placementOf(fen: string): string {
  return fen.split(" ")[0] ?? fen;
}

/** Index of a square, row by row from a8. */
function square(name: string): number {
  return (8 - Number(name.charAt(1))) * 8 + (name.charCodeAt(0) - "a".charCodeAt(0));
}

function expand(placement: string): string[] {
  return placement.split("/").flatMap((row) => Array.from(row.replace(/\d/g, (digit) => " ".repeat(Number(digit)))));
}

function compress(board: readonly string[]): string {
  return Array.from({ length: 8 }, (_, row) =>
    board
      .slice(row * 8, row * 8 + 8)
      .join("")
      .replace(/ +/g, (gap) => String(gap.length)),
  ).join("/");
}

function readResult(text: string): Readonly<Record<string, JsonValue>> {
  try {
    const value = JSON.parse(text) as JsonValue;
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, JsonValue>>)
      : {};
  } catch {
    // A tool that failed gives a message, not JSON.
    return {};
  }
}

function textOf(result: Readonly<Record<string, JsonValue>>, key: string): string {
  const value = result[key];
  return typeof value === "string" ? value : "";
}
