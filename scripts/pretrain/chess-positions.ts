/**
 * Random positions with few pieces, and a pool of those with a mate in one.
 *
 * Mates are rare among random positions, so a pool of them is found once, on first use, and each draw turns one by a
 * random symmetry of the board and a swap of colours (no pawns, no castling: both keep legality). A fifth of all
 * positions, by FEN hash, is kept out for tasks.
 */
import { isInCheck, play, rawMoves, toFen, type Position } from "./chess-rules.ts";
import { createDraw, type Draw } from "./draw.ts";

/** Pieces of the side to move beside its king, and of the other side beside its king; 2 Q, 3 R, 4 B, 5 N. */
const SETS: readonly (readonly [own: readonly number[], other: readonly number[]])[] = [
  [[3], []],
  [[2], []],
  [[3, 3], []],
  [[2], [5]],
  [[3], [4]],
  [[3, 5], []],
  [[2], [3]],
  [[3], [3]],
  [[4, 5, 3], []],
  [[2, 4], []],
  [[3, 4], [5]],
  [[2, 5], [4]],
];
const POOL_SIZE = 1200;
const MAX_MOVES = 26;
/** Most positions have at most this many moves, as short lists are learnt first and tasks are short. */
const FEW_MOVES = 17;

/** Whether a position is reserved for tasks: FNV-1a of the first FEN field is divisible by 5. */
export function isHeldOutPosition(fen: string): boolean {
  let hash = 0x811c9dc5;
  for (const char of fen.split(" ")[0] ?? "") hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return (hash >>> 0) % 5 === 0;
}

/** A legal position with white to move, the black king near the edge more often than not. */
function randomPosition(draw: Draw, isCornered: boolean): Position {
  for (;;) {
    const [own, other] = draw.pick(SETS);
    const board = new Int8Array(64);
    const black = isCornered ? draw.pick(EDGE) : draw.int(64);
    board[black] = -1;
    const white = isCornered ? nearSquare(draw, black) : draw.int(64);
    if (board[white] !== 0) continue;
    board[white] = 1;
    if (![...own, ...other.map((piece) => -piece)].every((piece) => place(draw, board, piece))) continue;
    const position = { board, isWhite: true };
    if (!isInCheck(board, false) && !isTouching(white, black)) return position;
  }
}

const EDGE = Array.from({ length: 64 }, (_, square) => square).filter(
  (square) => square < 8 || square > 55 || (square & 7) === 0 || (square & 7) === 7,
);

function nearSquare(draw: Draw, square: number): number {
  const file = Math.min(7, Math.max(0, (square & 7) + draw.between(-2, 2)));
  const rank = Math.min(7, Math.max(0, (square >> 3) + draw.between(-2, 2)));
  return rank * 8 + file;
}

function isTouching(a: number, b: number): boolean {
  return Math.abs((a & 7) - (b & 7)) <= 1 && Math.abs((a >> 3) - (b >> 3)) <= 1;
}

function place(draw: Draw, board: Int8Array, piece: number): boolean {
  const square = draw.int(64);
  if (board[square] !== 0) return false;
  board[square] = piece;
  return true;
}

/** Whether the side to move can mate at once. */
function hasMate(position: Position, moves: ReturnType<typeof rawMoves>): boolean {
  return moves.some((move) => {
    const next = play(position, move);
    return isInCheck(next.board, next.isWhite) && rawMoves(next).length === 0;
  });
}

type MatePool = { readonly few: Position[]; readonly many: Position[] };

let pool: MatePool | undefined;

function matePool(): MatePool {
  if (pool) return pool;
  pool = { few: [], many: [] };
  const draw = createDraw("mate pool");
  while (pool.few.length < POOL_SIZE || pool.many.length < POOL_SIZE) {
    const position = randomPosition(draw, true);
    const moves = rawMoves(position);
    const group = moves.length <= FEW_MOVES ? pool.few : pool.many;
    if (moves.length <= MAX_MOVES && group.length < POOL_SIZE && hasMate(position, moves)) group.push(position);
  }
  return pool;
}

/** A position with a mate in one; it has at most 17 legal moves in 60 % of the draws, at most 26 in all. */
export function drawMatePosition(draw: Draw): Position {
  const { few, many } = matePool();
  const positions = draw.chance(0.6) ? few : many;
  for (;;) {
    const position = transform(draw, draw.pick(positions));
    if (!isHeldOutPosition(toFen(position))) return position;
  }
}

/** A position with at least two legal moves, usually without a mate. */
export function drawPlainPosition(draw: Draw): Position {
  for (;;) {
    const position = transform(draw, randomPosition(draw, draw.chance(0.6)));
    const count = rawMoves(position).length;
    if (count >= 2 && count <= MAX_MOVES && !isHeldOutPosition(toFen(position))) return position;
  }
}

/** A random symmetry of the board, and now and then a swap of colours. */
function transform(draw: Draw, { board, isWhite }: Position): Position {
  const [isFlipped, isMirrored, isTurned, isSwapped] = [
    draw.chance(0.5),
    draw.chance(0.5),
    draw.chance(0.5),
    draw.chance(0.3),
  ];
  const out = new Int8Array(64);
  for (const [square, piece] of board.entries()) {
    if (piece === 0) continue;
    let [file, rank] = [square & 7, square >> 3];
    if (isFlipped) file = 7 - file;
    if (isMirrored) rank = 7 - rank;
    if (isTurned) [file, rank] = [rank, file];
    out[rank * 8 + file] = isSwapped ? -piece : piece;
  }
  return { board: out, isWhite: isSwapped !== isWhite };
}
