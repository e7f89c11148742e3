/**
 * Random positions with few pieces and no pawns, for the toy puzzles.
 *
 * A position is drawn with white to move, turned by a random symmetry of the board and, now and then, with colours swapped;
 * all of these keep what is legal. Its split follows from the class of all its turned forms, so that no split holds a
 * mirror image of another's position. Of the forms only those are used that the tiny model's pretraining leaves out.
 */
import { hashJson } from "../../src/base/hash.ts";
import type { Rng } from "../../src/base/rng.ts";
import { formatPlacement, isInCheck, PIECES, type Board } from "./board.ts";

const { queen: Q, rook: R, bishop: B, knight: N } = PIECES;

/** Pieces beside the kings: those of the side to move and those of the other side. */
export type PieceSet = readonly [own: readonly number[], other: readonly number[]];

/** Sets in which mates are common. */
export const MATING_SETS: readonly PieceSet[] = [
  [[Q], []],
  [[R], []],
  [[R, R], []],
  [[Q], [N]],
  [[R], [B]],
  [[R, N], []],
  [[Q], [R]],
  [[R], [R]],
  [[B, N, R], []],
  [[Q, B], []],
  [[R, B], [N]],
  [[Q, N], [B]],
];

/** Sets in which a check may force mate in two. */
export const TWO_MOVE_SETS: readonly PieceSet[] = [
  [[R, R], []],
  [[R, R], [N]],
  [[R, R], [B]],
  [[Q, R], [N]],
  [[Q, N], []],
  [[Q, B], [N]],
  [[R, N], []],
];

/** Sets in which pieces can be won. */
export const CAPTURE_SETS: readonly PieceSet[] = [
  [[R], [R, N]],
  [[R], [Q, B]],
  [
    [B, N],
    [R, N],
  ],
  [[Q], [R, B]],
  [
    [N, R],
    [Q, N],
  ],
  [[B], [R, N]],
  [[Q], [Q, N]],
];

/**
 * Whether the position stays out of the tiny model's pretraining: a fifth of all placements, by FNV-1a of the first field
 * of the FEN.
 */
export function isHeldOut(placement: string): boolean {
  let hash = 0x811c9dc5;
  for (const char of placement) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0) % 5 === 0;
}

/** Squares at the edge of the board. */
export const EDGE: readonly number[] = Array.from({ length: 64 }, (_, square) => square).filter(
  (square) => square < 8 || square > 55 || (square & 7) === 0 || (square & 7) === 7,
);

/** A legal position with white to move; a cornered black king stands at the edge, with the white king near. */
export function drawPosition(rng: Rng, sets: readonly PieceSet[], isCornered: boolean): Board {
  for (;;) {
    const [own, other] = rng.pick(sets);
    const squares = new Int8Array(64);
    const black = isCornered ? rng.pick(EDGE) : rng.int(64);
    const white = isCornered ? near(rng, black) : rng.int(64);
    if (isTouching(white, black)) continue;
    squares[black] = -PIECES.king;
    squares[white] = PIECES.king;
    const pieces = [...own, ...other.map((piece) => -piece)];
    if (!pieces.every((piece) => place(rng, squares, piece)) || isInCheck(squares, false)) continue;
    return { squares, isWhite: true, castling: 0, enPassant: -1, clocks: [0, 1] };
  }
}

function near(rng: Rng, square: number): number {
  const clamp = (at: number): number => Math.min(7, Math.max(0, at));
  return clamp((square >> 3) + rng.int(5) - 2) * 8 + clamp((square & 7) + rng.int(5) - 2);
}

/** Whether two squares are one, or neighbours. */
export function isTouching(a: number, b: number): boolean {
  return Math.abs((a & 7) - (b & 7)) <= 1 && Math.abs((a >> 3) - (b >> 3)) <= 1;
}

function place(rng: Rng, squares: Int8Array, piece: number): boolean {
  const square = rng.int(64);
  if (squares[square] !== 0) return false;
  squares[square] = piece;
  return true;
}

/** A turned form of a board, and how squares move with it. */
export type TurnedBoard = { readonly board: Board; readonly turn: (square: number) => number };

/** All sixteen forms of `board`: eight symmetries, each with both colours. */
export function turnedForms(board: Board): TurnedBoard[] {
  return Array.from({ length: 16 }, (_, form): TurnedBoard => {
    const turn = (square: number): number => {
      const [file, rank] = [(square & 7) ^ (form & 1 ? 7 : 0), (square >> 3) ^ (form & 2 ? 7 : 0)];
      return form & 4 ? file * 8 + rank : rank * 8 + file;
    };
    const isSwapped = form >= 8;
    const squares = new Int8Array(64);
    for (const [square, piece] of board.squares.entries())
      if (piece !== 0) squares[turn(square)] = isSwapped ? -piece : piece;
    return { board: { ...board, squares, isWhite: board.isWhite !== isSwapped }, turn };
  });
}

/** Hash of the class of a position's turned forms. */
export function classOf(forms: readonly TurnedBoard[]): string {
  const names = forms.map(({ board }) => `${formatPlacement(board.squares)} ${board.isWhite ? "w" : "b"}`);
  return hashJson(names.sort()[0] ?? "");
}
