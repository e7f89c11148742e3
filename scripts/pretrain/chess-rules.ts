/**
 * Legal moves of pawnless chess positions, for pretraining chats only.
 *
 * Kings, queens, rooks, bishops and knights; no pawns, no castling. A plain mailbox board is fast enough here: a few
 * microseconds a position. Squares count from a1 = 0 over b1 = 1 to h8 = 63.
 */

/** A position: [64] pieces, 0 for empty, positive white and negative black: 1 K, 2 Q, 3 R, 4 B, 5 N. */
export type Position = { readonly board: Int8Array; readonly isWhite: boolean };

/** A legal move with its notations. */
export type LegalMove = {
  readonly from: number;
  readonly to: number;
  readonly uci: string;
  readonly san: string;
  readonly isCapture: boolean;
  readonly isCheck: boolean;
  readonly isMate: boolean;
};

const PIECE_LETTERS = ".KQRBN";
const KING_STEPS: readonly (readonly [number, number])[] = [
  [1, 0],
  [1, 1],
  [0, 1],
  [-1, 1],
  [-1, 0],
  [-1, -1],
  [0, -1],
  [1, -1],
];
const KNIGHT_STEPS: readonly (readonly [number, number])[] = [
  [1, 2],
  [2, 1],
  [2, -1],
  [1, -2],
  [-1, -2],
  [-2, -1],
  [-2, 1],
  [-1, 2],
];

/** Squares along each of the eight directions from each square, nearest first; even indices are straight lines. */
const RAYS: readonly (readonly (readonly number[])[])[] = Array.from({ length: 64 }, (_, from) =>
  KING_STEPS.map(([df, dr]) => walk(from, df, dr)),
);
const KING_TARGETS = Array.from({ length: 64 }, (_, from) =>
  KING_STEPS.flatMap(([df, dr]) => walk(from, df, dr).slice(0, 1)),
);
const KNIGHT_TARGETS = Array.from({ length: 64 }, (_, from) =>
  KNIGHT_STEPS.flatMap(([df, dr]) => walk(from, df, dr).slice(0, 1)),
);

function walk(from: number, df: number, dr: number): number[] {
  const squares: number[] = [];
  for (
    let file = (from & 7) + df, rank = (from >> 3) + dr;
    file >= 0 && file < 8 && rank >= 0 && rank < 8;
    file += df, rank += dr
  )
    squares.push(rank * 8 + file);
  return squares;
}

const SQUARE_NAMES = Array.from(
  { length: 64 },
  (_, square) => "abcdefgh".charAt(square & 7) + String((square >> 3) + 1),
);

/** Name of a square, such as `e4`. */
export function squareName(square: number): string {
  return SQUARE_NAMES[square] ?? "";
}

/** Letter of a piece, upper case for both sides. */
export function pieceLetter(piece: number): string {
  return PIECE_LETTERS.charAt(Math.abs(piece));
}

/** Whether the king of the given side is attacked. */
export function isInCheck(board: Int8Array, isWhite: boolean): boolean {
  const sign = isWhite ? 1 : -1;
  const king = board.indexOf(sign);
  return king >= 0 && isAttacked(board, king, -sign);
}

function isAttacked(board: Int8Array, square: number, bySign: number): boolean {
  for (const from of KNIGHT_TARGETS[square] ?? []) if (board[from] === 5 * bySign) return true;
  for (const from of KING_TARGETS[square] ?? []) if (board[from] === bySign) return true;
  const rays = RAYS[square] ?? [];
  for (let direction = 0; direction < 8; direction += 1) {
    const piece = firstPiece(board, rays[direction] ?? []) * bySign;
    if (piece === 2 || piece === (direction % 2 === 0 ? 3 : 4)) return true;
  }
  return false;
}

function firstPiece(board: Int8Array, ray: readonly number[]): number {
  for (const square of ray) {
    const piece = board[square] ?? 0;
    if (piece !== 0) return piece;
  }
  return 0;
}

function pseudoTargets(board: Int8Array, from: number): number[] {
  const piece = board[from] ?? 0;
  const kind = Math.abs(piece);
  const isFree = (square: number): boolean => (board[square] ?? 0) * piece <= 0;
  if (kind === 1) return (KING_TARGETS[from] ?? []).filter(isFree);
  if (kind === 5) return (KNIGHT_TARGETS[from] ?? []).filter(isFree);
  const targets: number[] = [];
  for (let direction = 0; direction < 8; direction += 1) {
    if ((kind === 3 && direction % 2 === 1) || (kind === 4 && direction % 2 === 0)) continue;
    for (const square of RAYS[from]?.[direction] ?? []) {
      if (isFree(square)) targets.push(square);
      if (board[square] !== 0) break;
    }
  }
  return targets;
}

type RawMove = { readonly from: number; readonly to: number };

/** Legal moves without notation, in order of squares. */
export function rawMoves({ board, isWhite }: Position): RawMove[] {
  const sign = isWhite ? 1 : -1;
  const moves: RawMove[] = [];
  for (let from = 0; from < 64; from += 1) {
    if ((board[from] ?? 0) * sign <= 0) continue;
    for (const to of pseudoTargets(board, from)) {
      const taken = board[to] ?? 0;
      if (Math.abs(taken) === 1) continue;
      const piece = board[from] ?? 0;
      board[to] = piece;
      board[from] = 0;
      if (!isInCheck(board, isWhite)) moves.push({ from, to });
      board[from] = piece;
      board[to] = taken;
    }
  }
  return moves;
}

/** The position after a move; the given one stays as it is. */
export function play({ board, isWhite }: Position, { from, to }: RawMove): Position {
  const next = board.slice();
  next[to] = board[from] ?? 0;
  next[from] = 0;
  return { board: next, isWhite: !isWhite };
}

/** Legal moves with UCI and standard algebraic notation. */
export function legalMoves(position: Position): LegalMove[] {
  const moves = rawMoves(position);
  return moves.map((move) => {
    const next = play(position, move);
    const isCheck = isInCheck(next.board, next.isWhite);
    const isMate = isCheck && rawMoves(next).length === 0;
    const isCapture = position.board[move.to] !== 0;
    const letter = pieceLetter(position.board[move.from] ?? 0);
    const san =
      letter +
      disambiguation(position.board, moves, move) +
      (isCapture ? "x" : "") +
      squareName(move.to) +
      (isMate ? "#" : isCheck ? "+" : "");
    return { ...move, uci: squareName(move.from) + squareName(move.to), san, isCapture, isCheck, isMate };
  });
}

function disambiguation(board: Int8Array, moves: readonly RawMove[], { from, to }: RawMove): string {
  const rivals = moves.filter((other) => other.to === to && other.from !== from && board[other.from] === board[from]);
  if (rivals.length === 0) return "";
  if (rivals.every((other) => (other.from & 7) !== (from & 7))) return squareName(from).charAt(0);
  if (rivals.every((other) => other.from >> 3 !== from >> 3)) return squareName(from).charAt(1);
  return squareName(from);
}

/** Forsyth-Edwards notation with empty castling and en passant fields. */
export function toFen({ board, isWhite }: Position): string {
  const ranks: string[] = [];
  for (let rank = 7; rank >= 0; rank -= 1) {
    let row = "";
    for (let file = 0; file < 8; file += 1) {
      const piece = board[rank * 8 + file] ?? 0;
      row += piece === 0 ? "1" : piece > 0 ? pieceLetter(piece) : pieceLetter(piece).toLowerCase();
    }
    ranks.push(row.replace(/1+/g, (ones) => String(ones.length)));
  }
  return `${ranks.join("/")} ${isWhite ? "w" : "b"} - - 0 1`;
}

/**
 * Reads the first two fields of a pawnless FEN.
 * @throws {SyntaxError} If a piece is unknown or a rank has the wrong length.
 */
export function fromFen(fen: string): Position {
  const [placement = "", side = "w"] = fen.split(" ");
  const board = new Int8Array(64);
  for (const [index, row] of placement.split("/").entries()) {
    let file = 0;
    for (const char of row) {
      if (/\d/.test(char)) file += Number(char);
      else {
        const piece = PIECE_LETTERS.indexOf(char.toUpperCase());
        if (piece < 1) throw new SyntaxError(`fromFen: unknown piece ${char}`);
        board[(7 - index) * 8 + file] = char === char.toUpperCase() ? piece : -piece;
        file += 1;
      }
    }
    if (file !== 8) throw new SyntaxError(`fromFen: rank ${row} has ${String(file)} squares, expected 8`);
  }
  return { board, isWhite: side === "w" };
}
