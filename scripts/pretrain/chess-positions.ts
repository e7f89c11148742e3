/**
 * Random positions with few pieces, and a pool of those with a mate in one.
 *
 * Mates are rare among random positions, so a pool of them is found once, on first use, and each draw turns one by a
 * random symmetry of the board and a swap of colours (no pawns, no castling: both keep legality). The positions that
 * the domain's own puzzles are made of are kept out. Boards and moves are the domain's; the corpus of a seed depends on
 * the order in which it lists moves: by square of the piece, then by direction and distance.
 */
import {
  formatFen,
  formatPlacement,
  isInCheck,
  isMate,
  legalMoves,
  PIECES,
  playMove,
  type Board,
  type BoardMove,
} from "../../domains/chess-puzzles/board.ts";
import { EDGE, isHeldOut, isTouching, type PieceSet } from "../../domains/chess-puzzles/toy-positions.ts";
import { createDraw, type Draw } from "./draw.ts";

const { queen: Q, rook: R, bishop: B, knight: N } = PIECES;

/** Pieces of the side to move beside its king, and of the other side beside its king. */
const SETS: readonly PieceSet[] = [
  [[R], []],
  [[Q], []],
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
const POOL_SIZE = 1200;
const MAX_MOVES = 26;
/** Most positions have at most this many moves, as short lists are learnt first and tasks are short. */
const FEW_MOVES = 17;

/** FEN of a position as the chats write it: the moves that have been played in the chat are not counted. */
export function writeFen(position: Board): string {
  return formatFen({ ...position, clocks: [0, 1] });
}

/** A legal position with white to move, the black king near the edge more often than not. */
function randomPosition(draw: Draw, isCornered: boolean): Board {
  for (;;) {
    const [own, other] = draw.pick(SETS);
    const squares = new Int8Array(64);
    const black = isCornered ? draw.pick(EDGE) : draw.int(64);
    squares[black] = -PIECES.king;
    const white = isCornered ? nearSquare(draw, black) : draw.int(64);
    if (squares[white] !== 0) continue;
    squares[white] = PIECES.king;
    if (![...own, ...other.map((piece) => -piece)].every((piece) => place(draw, squares, piece))) continue;
    if (!isInCheck(squares, false) && !isTouching(white, black))
      return { squares, isWhite: true, castling: 0, enPassant: -1, clocks: [0, 1] };
  }
}

function nearSquare(draw: Draw, square: number): number {
  const file = Math.min(7, Math.max(0, (square & 7) + draw.between(-2, 2)));
  const rank = Math.min(7, Math.max(0, (square >> 3) + draw.between(-2, 2)));
  return rank * 8 + file;
}

function place(draw: Draw, squares: Int8Array, piece: number): boolean {
  const square = draw.int(64);
  if (squares[square] !== 0) return false;
  squares[square] = piece;
  return true;
}

/** Whether the side to move can mate at once. */
function hasMate(position: Board, moves: readonly BoardMove[]): boolean {
  return moves.some((move) => isMate(playMove(position, move)));
}

type MatePool = { readonly few: Board[]; readonly many: Board[] };

let pool: MatePool | undefined;

function matePool(): MatePool {
  if (pool) return pool;
  pool = { few: [], many: [] };
  const draw = createDraw("mate pool");
  while (pool.few.length < POOL_SIZE || pool.many.length < POOL_SIZE) {
    const position = randomPosition(draw, true);
    const moves = legalMoves(position);
    const group = moves.length <= FEW_MOVES ? pool.few : pool.many;
    if (moves.length <= MAX_MOVES && group.length < POOL_SIZE && hasMate(position, moves)) group.push(position);
  }
  return pool;
}

/** A position with a mate in one; it has at most 17 legal moves in 60 % of the draws, at most 26 in all. */
export function drawMatePosition(draw: Draw): Board {
  const { few, many } = matePool();
  const positions = draw.chance(0.6) ? few : many;
  for (;;) {
    const position = transform(draw, draw.pick(positions));
    if (!isHeldOut(formatPlacement(position.squares))) return position;
  }
}

/** A position with at least two legal moves, usually without a mate. */
export function drawPlainPosition(draw: Draw): Board {
  for (;;) {
    const position = transform(draw, randomPosition(draw, draw.chance(0.6)));
    const count = legalMoves(position).length;
    if (count >= 2 && count <= MAX_MOVES && !isHeldOut(formatPlacement(position.squares))) return position;
  }
}

/** A random symmetry of the board, and now and then a swap of colours. */
function transform(draw: Draw, board: Board): Board {
  const [isFlipped, isMirrored, isTurned, isSwapped] = [
    draw.chance(0.5),
    draw.chance(0.5),
    draw.chance(0.5),
    draw.chance(0.3),
  ];
  const squares = new Int8Array(64);
  for (const [square, piece] of board.squares.entries()) {
    if (piece === 0) continue;
    let [file, rank] = [square & 7, square >> 3];
    if (isFlipped) file = 7 - file;
    if (isMirrored) rank = 7 - rank;
    if (isTurned) [file, rank] = [rank, file];
    squares[rank * 8 + file] = isSwapped ? -piece : piece;
  }
  return { ...board, squares, isWhite: isSwapped !== board.isWhite };
}
