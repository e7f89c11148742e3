/**
 * Puzzles out of a Lichess database file: CSV with a header, plain or compressed, read row by row in constant memory.
 *
 * `FEN` is the position before the opponent's move that starts the puzzle; `Moves` is that move and then the line, the
 * solver's moves first (database.lichess.org). Other columns are not looked at.
 */
import { validateFen } from "chess.js";
import { TaskError } from "../../src/base/errors.ts";
import type { DataFile, TaskRow } from "../../src/rollout/domain.ts";
import { readCsv } from "./csv.ts";
import { isInCheck, isLegal, parseBoard, parseUci, playMove, type Board } from "./board.ts";
import { createPuzzle } from "./puzzle.ts";

/**
 * Reads the puzzles of `file`.
 * @throws {TaskError} If the file is empty or damaged, has no columns `FEN` and `Moves`, or no rows.
 */
export async function* readLichess(file: DataFile): AsyncGenerator<TaskRow> {
  let columns: Columns | undefined;
  let isEmpty = true;
  for await (const { number, fields, skip } of readCsv(file)) {
    if (!columns) {
      columns = findColumns(file.name, fields ?? []);
      continue;
    }
    isEmpty = false;
    yield fields ? readPuzzleRow(file.name, number, { fields, columns }) : { number, skip };
  }
  if (isEmpty) throw new TaskError(`${file.name}: no puzzle below the header`);
}

/** Where the columns stand; `id` is -1 where there is none. */
type Columns = { readonly id: number; readonly fen: number; readonly moves: number };

function findColumns(name: string, header: readonly string[]): Columns {
  const names = header.map((column) => column.trim().toLowerCase());
  const [id, fen, moves] = [names.indexOf("puzzleid"), names.indexOf("fen"), names.indexOf("moves")];
  if (fen >= 0 && moves >= 0) return { id, fen, moves };
  const found = header.join(", ").slice(0, 120) || "none";
  throw new TaskError(
    `${name}: expected a header with the columns FEN and Moves, as in lichess_db_puzzle.csv; found ${found}`,
  );
}

type RawRow = { readonly fields: readonly string[]; readonly columns: Columns };

function readPuzzleRow(name: string, number: number, { fields, columns }: RawRow): TaskRow {
  const fen = fields[columns.fen]?.trim() ?? "";
  const moves = fields[columns.moves]?.trim().split(/\s+/) ?? [];
  if (fen === "" || moves[0] === undefined || moves[0] === "")
    return { number, skip: "no FEN or no moves: fill them or remove the row" };
  if (!isPlayable(fen)) return { number, skip: "illegal FEN: mend or remove the row" };
  if (moves.length < 2 || moves.length % 2 === 1)
    return { number, skip: "the line must be the opponent's move and then pairs that end with the solver's: mend it" };
  const boards = playLine(parseBoard(fen), moves);
  const [start] = boards ?? [];
  if (!start) return { number, skip: "illegal line: a move of it cannot be played; mend or remove the row" };
  const [opponent = "", ...line] = moves;
  const id = fields[columns.id]?.trim() ?? "";
  const task = createPuzzle(start, line, { source: `${name}:${String(number)}`, opponent });
  return { number, task, ...(id !== "" && { name: id }) };
}

function isPlayable(fen: string): boolean {
  if (!validateFen(fen).ok) return false;
  const { squares, isWhite } = parseBoard(fen);
  return !isInCheck(squares, !isWhite);
}

/** The positions after each move, or undefined where one is illegal. */
function playLine(board: Board, moves: readonly string[]): Board[] | undefined {
  const boards: Board[] = [];
  let now = board;
  for (const text of moves) {
    const move = parseUci(text);
    if (!move || !isLegal(now, move)) return undefined;
    now = playMove(now, move);
    boards.push(now);
  }
  return boards;
}
