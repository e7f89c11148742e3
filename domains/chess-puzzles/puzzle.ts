/**
 * A puzzle as a task: the position that the solver faces, and the line that must be played.
 *
 * The identity of a puzzle is its position: piece placement and side to move (whale-spec 5.11), so that two rows with one
 * position are one task, whatever their clocks and castling rights say.
 */
import { TaskError } from "../../src/base/errors.ts";
import { hashJson } from "../../src/base/hash.ts";
import { isJsonObject, type JsonObject } from "../../src/base/json.ts";
import type { Task } from "../../src/rollout/domain.ts";
import { formatFen, formatPlacement, nameMoves, parseBoard, type Board } from "./board.ts";

/** What a harness sees of a puzzle before each of its moves (whale-spec 5.3). */
export type Observation = {
  /** The task in one sentence. */
  readonly goal: string;
  /** Side to move, `White` or `Black`. */
  readonly side: string;
  readonly fen: string;
  /** The board as eight rows of letters and points, with ranks and files. */
  readonly board: string;
  /** The opponent's last move in UCI, or empty. */
  readonly opponent: string;
  /** Moves of the puzzle played so far, of both sides, in UCI. */
  readonly played: readonly string[];
  /** Which of the solver's moves is wanted, from 1. */
  readonly index: number;
  readonly legal: readonly { readonly uci: string; readonly san: string }[];
};

/** What happened before the position. */
export type History = { readonly opponent: string; readonly played: readonly string[] };

/** The observation of `board` after `history`. */
export function observe(board: Board, { opponent, played }: History): Observation {
  return {
    goal: "Find the best move.",
    side: board.isWhite ? "White" : "Black",
    fen: formatFen(board),
    board: drawBoard(board.squares),
    opponent,
    played,
    index: Math.floor(played.length / 2) + 1,
    legal: nameMoves(board),
  };
}

function drawBoard(squares: Int8Array): string {
  const rows = formatPlacement(squares).split("/");
  const drawn = rows.map((row, index) => {
    const cells = row.replace(/\d/g, (count) => ".".repeat(Number(count)));
    return `${String(8 - index)} ${Array.from(cells).join(" ")}`;
  });
  return [...drawn, "  a b c d e f g h"].join("\n");
}

/** Hash of what makes a position the same: which piece stands where, and who moves. */
export function positionId(board: Board): string {
  return hashJson([formatPlacement(board.squares), board.isWhite ? "w" : "b"]);
}

/** A task: from `board` the moves of `line` must be played, the solver's first, and the opponent's between them. */
export function createPuzzle(board: Board, line: readonly string[], about: PuzzleOrigin): Task {
  const view: JsonObject = { ...observe(board, { opponent: about.opponent ?? "", played: [] }) };
  return { id: positionId(board), view, gold: { line }, source: about.source };
}

/** Where a puzzle comes from; `opponent` is the move that led to its position, in UCI. */
export type PuzzleOrigin = { readonly source: string; readonly opponent?: string };

/** The position and the line of a task; `fen` is that of `board`. */
export type Puzzle = { readonly fen: string; readonly board: Board; readonly line: readonly string[] };

/**
 * Reads a task.
 * @throws {TaskError} If the task is not one of this domain.
 */
export function readPuzzle(task: Task): Puzzle {
  const { fen } = task.view;
  const line = isJsonObject(task.gold) ? task.gold["line"] : undefined;
  const moves = Array.isArray(line) ? line.filter((move) => typeof move === "string") : [];
  if (typeof fen !== "string" || moves.length === 0)
    throw new TaskError(`chess-puzzles: task ${task.id} has no position and line`);
  return { fen, board: parseBoard(fen), line: moves };
}
