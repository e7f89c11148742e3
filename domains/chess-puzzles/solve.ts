/** Exhaustive answers about small positions: which moves mate, which force mate in two, which capture wins a piece. */
import {
  givesCheck,
  hasMove,
  isAttacked,
  isInCheck,
  isMate,
  legalMoves,
  playMove,
  type Board,
  type BoardMove,
} from "./board.ts";

/** The moves among `moves` that mate. */
export function findMates(board: Board, moves: readonly BoardMove[]): BoardMove[] {
  return moves.filter((move) => isMating(board, move));
}

function canMate(board: Board): boolean {
  return legalMoves(board).some((move) => isMating(board, move));
}

function isMating(board: Board, move: BoardMove): boolean {
  return givesCheck(board, move) && isMate(playMove(board, move));
}

/** The moves among `moves` after which every reply, of which there is at least one, allows a mate. */
export function findMatesInTwo(board: Board, moves: readonly BoardMove[]): BoardMove[] {
  return moves.filter((move) => {
    const next = playMove(board, move);
    const replies = legalMoves(next);
    return replies.length > 0 && replies.every((reply) => canMate(playMove(next, reply)));
  });
}

/** Worth of each kind of piece in pawns; a king's is beyond all others. */
const WORTH = [0, 100, 9, 5, 3, 3, 1];

/** What a capture wins, in pawns, if the opponent takes back where that is possible; 0 for other moves. */
export function gainOf(board: Board, { from, to }: BoardMove): number {
  const taken = WORTH[Math.abs(board.squares[to] ?? 0)] ?? 0;
  if (taken === 0) return 0;
  const next = playMove(board, { from, to, promotion: 0 });
  const isTakenBack = isAttacked(next.squares, to, next.isWhite ? 1 : -1) && canTakeOn(next, to);
  return isTakenBack ? taken - (WORTH[Math.abs(board.squares[from] ?? 0)] ?? 0) : taken;
}

function canTakeOn(board: Board, square: number): boolean {
  return legalMoves(board).some(({ to }) => to === square);
}

/** Whether the opponent could mate at once after `move`, or is left without a move. */
export function isReckless(board: Board, move: BoardMove): boolean {
  const next = playMove(board, move);
  return canMate(next) || (!hasMove(next) && !isInCheck(next.squares, next.isWhite));
}
