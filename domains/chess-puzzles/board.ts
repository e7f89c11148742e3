/**
 * A fast board: all legal moves of orthodox chess on 64 squares.
 *
 * chess.js judges what is played (`rules.ts`), at about a millisecond a position. Reading millions of puzzles and solving
 * generated positions exhaustively needs a hundred times more speed, and nothing but moves and checks, which is all that
 * is here; tests hold it against chess.js. Squares count from a1 = 0 over b1 = 1 to h8 = 63.
 */

/** Pieces, positive for white and negative for black; 0 is an empty square. */
export const PIECES = { king: 1, queen: 2, rook: 3, bishop: 4, knight: 5, pawn: 6 } as const;

/** A position; boards are never changed once made. */
export type Board = {
  /** [64] pieces. */
  readonly squares: Int8Array;
  readonly isWhite: boolean;
  /** Castling rights as bits: 1 K, 2 Q, 4 k, 8 q. */
  readonly castling: number;
  /** Square behind a pawn that has just gone two steps, or -1. */
  readonly enPassant: number;
  /** Half-moves since the last capture or pawn move, and the number of the move, as in a FEN. */
  readonly clocks: readonly [quiet: number, move: number];
};

/** A move; `promotion` is a kind of piece, 0 for none. */
export type BoardMove = { readonly from: number; readonly to: number; readonly promotion: number };

const LETTERS = ".KQRBNP";
const RIGHTS = ["K", "Q", "k", "q"];
const DIRECTIONS = [
  [1, 0],
  [1, 1],
  [0, 1],
  [-1, 1],
  [-1, 0],
  [-1, -1],
  [0, -1],
  [1, -1],
] as const;
const LEAPS = [
  [1, 2],
  [2, 1],
  [2, -1],
  [1, -2],
  [-1, -2],
  [-2, -1],
  [-2, 1],
  [-1, 2],
] as const;
const SQUARES = Array.from({ length: 64 }, (_, square) => square);

/** Squares in each of the eight directions from each square, nearest first; even directions are straight. */
const RAYS: readonly (readonly (readonly number[])[])[] = SQUARES.map((from) =>
  DIRECTIONS.map(([file, rank]) => walk(from, file, rank)),
);
const KING_STEPS = SQUARES.map((from) => DIRECTIONS.flatMap(([file, rank]) => walk(from, file, rank).slice(0, 1)));
const KNIGHT_LEAPS = SQUARES.map((from) => LEAPS.flatMap(([file, rank]) => walk(from, file, rank).slice(0, 1)));
/** Squares from which a white, and a black, pawn attacks a square. */
const PAWN_SOURCES = [1, -1].map((sign) =>
  SQUARES.map((to) => [-1, 1].flatMap((file) => walk(to, file, -sign).slice(0, 1))),
);

function walk(from: number, fileStep: number, rankStep: number): number[] {
  const squares: number[] = [];
  let [file, rank] = [(from & 7) + fileStep, (from >> 3) + rankStep];
  while (file >= 0 && file < 8 && rank >= 0 && rank < 8) {
    squares.push(rank * 8 + file);
    file += fileStep;
    rank += rankStep;
  }
  return squares;
}

const NAMES = SQUARES.map((square) => "abcdefgh".charAt(square & 7) + String((square >> 3) + 1));

/** Name of a square, such as `e4`. */
export function squareName(square: number): string {
  return NAMES[square] ?? "";
}

/** Letter of a piece, upper case for both sides. */
export function pieceLetter(piece: number): string {
  return LETTERS.charAt(Math.abs(piece));
}

/** A move in UCI, such as `e7e8q`. */
export function formatUci({ from, to, promotion }: BoardMove): string {
  return squareName(from) + squareName(to) + (promotion === 0 ? "" : pieceLetter(promotion).toLowerCase());
}

/** The board of a FEN that is known to be well formed. */
export function parseBoard(fen: string): Board {
  const [placement = "", side, rights = "-", passing = "-", quiet = "0", move = "1"] = fen.split(" ");
  const squares = new Int8Array(64);
  let square = 56;
  for (const char of placement) {
    if (char === "/") square -= 16;
    else if (char >= "1" && char <= "8") square += Number(char);
    else {
      const kind = LETTERS.indexOf(char.toUpperCase());
      squares[square] = char === char.toUpperCase() ? kind : -kind;
      square += 1;
    }
  }
  let castling = 0;
  for (const [index, letter] of RIGHTS.entries()) if (rights.includes(letter)) castling |= 1 << index;
  const clocks = [Number(quiet), Number(move)] as const;
  return { squares, isWhite: side !== "b", castling, enPassant: NAMES.indexOf(passing), clocks };
}

/** The FEN of a board; the en passant square stands in it only where a pawn can take there. */
export function formatFen(board: Board): string {
  const { squares, isWhite, castling, enPassant, clocks } = board;
  const rights = RIGHTS.filter((_, index) => castling & (1 << index)).join("");
  const isTakeable = enPassant >= 0 && legalMoves(board).some((move) => isEnPassant(board, move));
  const passing = isTakeable ? squareName(enPassant) : "-";
  return [formatPlacement(squares), isWhite ? "w" : "b", rights || "-", passing, ...clocks].join(" ");
}

/** Whether `move` takes a pawn that has just gone two steps. */
function isEnPassant({ squares, enPassant }: Board, { from, to }: BoardMove): boolean {
  return to === enPassant && Math.abs(squares[from] ?? 0) === PIECES.pawn;
}

/** First field of the FEN: which piece stands where. */
export function formatPlacement(squares: Int8Array): string {
  const rows: string[] = [];
  for (let rank = 7; rank >= 0; rank -= 1) {
    let row = "";
    for (let file = 0; file < 8; file += 1) {
      const piece = squares[rank * 8 + file] ?? 0;
      const letter = pieceLetter(piece);
      row += piece === 0 ? "1" : piece > 0 ? letter : letter.toLowerCase();
    }
    rows.push(row.replace(/1+/g, (ones) => String(ones.length)));
  }
  return rows.join("/");
}

/** Whether the king of one side is attacked; false where there is none. */
export function isInCheck(squares: Int8Array, isWhite: boolean): boolean {
  const sign = isWhite ? 1 : -1;
  const king = squares.indexOf(sign);
  return king >= 0 && isAttacked(squares, king, -sign);
}

/** Whether a piece of the side `by` (1 white, -1 black) attacks `square`. */
export function isAttacked(squares: Int8Array, square: number, by: number): boolean {
  for (const from of KNIGHT_LEAPS[square] ?? []) if (squares[from] === by * PIECES.knight) return true;
  for (const from of KING_STEPS[square] ?? []) if (squares[from] === by * PIECES.king) return true;
  for (const from of PAWN_SOURCES[by > 0 ? 0 : 1]?.[square] ?? []) if (squares[from] === by * PIECES.pawn) return true;
  const rays = RAYS[square] ?? [];
  for (let direction = 0; direction < 8; direction += 1) {
    const piece = firstPiece(squares, rays[direction] ?? []) * by;
    if (piece === PIECES.queen || piece === (direction % 2 === 0 ? PIECES.rook : PIECES.bishop)) return true;
  }
  return false;
}

function firstPiece(squares: Int8Array, ray: readonly number[]): number {
  for (const square of ray) {
    const piece = squares[square] ?? 0;
    if (piece !== 0) return piece;
  }
  return 0;
}

/** The legal moves, by square of the piece. */
export function legalMoves(board: Board): BoardMove[] {
  const sign = board.isWhite ? 1 : -1;
  const moves: BoardMove[] = [];
  for (let from = 0; from < 64; from += 1) {
    if ((board.squares[from] ?? 0) * sign <= 0) continue;
    for (const move of pseudoMoves(board, from)) if (isSafe(board, move)) moves.push(move);
  }
  return moves;
}

/** Whether `move` is legal. */
export function isLegal(board: Board, move: BoardMove): boolean {
  const sign = board.isWhite ? 1 : -1;
  if ((board.squares[move.from] ?? 0) * sign <= 0) return false;
  const found = pseudoMoves(board, move.from).some(
    ({ to, promotion }) => to === move.to && promotion === move.promotion,
  );
  return found && isSafe(board, move);
}

function isSafe(board: Board, move: BoardMove): boolean {
  return !after(board, move, (squares) => isInCheck(squares, board.isWhite));
}

/** Whether `move` gives check. */
export function givesCheck(board: Board, move: BoardMove): boolean {
  return after(board, move, (squares) => isInCheck(squares, !board.isWhite));
}

/**
 * What `look` sees on the squares after `move`. They are changed in place and put back, as most moves looked at are not
 * played and copies would cost more than the look.
 */
function after<T>(board: Board, move: BoardMove, look: (squares: Int8Array) => T): T {
  const { squares } = board;
  const { from, to } = move;
  const piece = squares[from] ?? 0;
  const kind = Math.abs(piece);
  if (kind === PIECES.pawn || kind === PIECES.king) return look(playMove(board, move).squares);
  const taken = squares[to] ?? 0;
  squares[to] = piece;
  squares[from] = 0;
  const seen = look(squares);
  squares[from] = piece;
  squares[to] = taken;
  return seen;
}

/** Whether the side to move is mated. */
export function isMate(board: Board): boolean {
  return isInCheck(board.squares, board.isWhite) && !hasMove(board);
}

/** Whether the side to move has a legal move. */
export function hasMove(board: Board): boolean {
  const sign = board.isWhite ? 1 : -1;
  for (let from = 0; from < 64; from += 1) {
    if ((board.squares[from] ?? 0) * sign <= 0) continue;
    if (pseudoMoves(board, from).some((move) => isSafe(board, move))) return true;
  }
  return false;
}

/** Moves that may leave the own king in check. */
function pseudoMoves(board: Board, from: number): BoardMove[] {
  const { squares } = board;
  const piece = squares[from] ?? 0;
  const kind = Math.abs(piece);
  if (kind === PIECES.pawn) return pawnMoves(board, from);
  const targets: number[] = [];
  if (kind === PIECES.king || kind === PIECES.knight) {
    const steps = (kind === PIECES.king ? KING_STEPS : KNIGHT_LEAPS)[from] ?? [];
    for (const to of steps) if ((squares[to] ?? 0) * piece <= 0) targets.push(to);
    if (kind === PIECES.king) targets.push(...castlingTargets(board, from));
  } else {
    const rays = RAYS[from] ?? [];
    for (let direction = 0; direction < 8; direction += 1) {
      if ((kind === PIECES.rook && direction % 2 === 1) || (kind === PIECES.bishop && direction % 2 === 0)) continue;
      for (const to of rays[direction] ?? []) {
        const taken = (squares[to] ?? 0) * piece;
        if (taken <= 0) targets.push(to);
        if (taken !== 0) break;
      }
    }
  }
  return targets.map((to) => ({ from, to, promotion: 0 }));
}

const PROMOTIONS = [PIECES.queen, PIECES.rook, PIECES.bishop, PIECES.knight];

function pawnMoves({ squares, isWhite, enPassant }: Board, from: number): BoardMove[] {
  const sign = isWhite ? 1 : -1;
  const targets: number[] = [];
  const one = from + 8 * sign;
  if (squares[one] === 0) {
    targets.push(one);
    const isHome = from >> 3 === (isWhite ? 1 : 6);
    if (isHome && squares[one + 8 * sign] === 0) targets.push(one + 8 * sign);
  }
  for (const side of [-1, 1])
    for (const to of walk(from, side, sign).slice(0, 1))
      if ((squares[to] ?? 0) * sign < 0 || to === enPassant) targets.push(to);
  return targets.flatMap((to) =>
    to >> 3 === (isWhite ? 7 : 0)
      ? PROMOTIONS.map((promotion) => ({ from, to, promotion }))
      : [{ from, to, promotion: 0 }],
  );
}

function castlingTargets({ squares, isWhite, castling }: Board, from: number): number[] {
  const home = isWhite ? 4 : 60;
  const sign = isWhite ? 1 : -1;
  const rights = isWhite ? castling & 3 : castling >> 2;
  if (rights === 0 || from !== home || isAttacked(squares, home, -sign)) return [];
  const isFree = (...path: number[]): boolean => path.every((step) => squares[home + step] === 0);
  const isPassable = (step: number): boolean => !isAttacked(squares, home + step, -sign);
  const targets: number[] = [];
  const rook = sign * PIECES.rook;
  if (rights & 1 && squares[home + 3] === rook && isFree(1, 2) && isPassable(1)) targets.push(home + 2);
  if (rights & 2 && squares[home - 4] === rook && isFree(-1, -2, -3) && isPassable(-1)) targets.push(home - 2);
  return targets;
}

/** Rights that end when a piece leaves or enters a corner or a king's home. */
const RIGHTS_BY_SQUARE: ReadonlyMap<number, number> = new Map([
  [0, 2],
  [4, 3],
  [7, 1],
  [56, 8],
  [60, 12],
  [63, 4],
]);

/** The position after a move that is legal. */
export function playMove(board: Board, { from, to, promotion }: BoardMove): Board {
  const squares = board.squares.slice();
  const piece = squares[from] ?? 0;
  const kind = Math.abs(piece);
  squares[from] = 0;
  squares[to] = promotion === 0 ? piece : Math.sign(piece) * promotion;
  let enPassant = -1;
  if (kind === PIECES.pawn) {
    if (isEnPassant(board, { from, to, promotion })) squares[to - 8 * Math.sign(piece)] = 0;
    if (Math.abs(to - from) === 16) enPassant = (from + to) / 2;
  }
  if (kind === PIECES.king && Math.abs(to - from) === 2) {
    const [corner, beside] = to > from ? [to + 1, to - 1] : [to - 2, to + 1];
    squares[beside] = squares[corner] ?? 0;
    squares[corner] = 0;
  }
  const lost = (RIGHTS_BY_SQUARE.get(from) ?? 0) | (RIGHTS_BY_SQUARE.get(to) ?? 0);
  const isQuiet = kind !== PIECES.pawn && board.squares[to] === 0;
  const [quiet, move] = board.clocks;
  const clocks = [isQuiet ? quiet + 1 : 0, board.isWhite ? move : move + 1] as const;
  return { squares, isWhite: !board.isWhite, castling: board.castling & ~lost, enPassant, clocks };
}

/** The move that `uci` writes, legal or not; undefined where it is no UCI. */
export function parseUci(uci: string): BoardMove | undefined {
  if (!/^[a-h][1-8][a-h][1-8][qrbn]?$/.test(uci)) return undefined;
  const promotion = uci.length > 4 ? LETTERS.indexOf(uci.charAt(4).toUpperCase()) : 0;
  return { from: NAMES.indexOf(uci.slice(0, 2)), to: NAMES.indexOf(uci.slice(2, 4)), promotion };
}

/** A legal move in both notations. */
export type NamedMove = { readonly uci: string; readonly san: string };

/** The legal moves in UCI and in standard algebraic notation, in the order of `legalMoves`. */
export function nameMoves(board: Board): NamedMove[] {
  const moves = legalMoves(board);
  return moves.map((move) => ({ uci: formatUci(move), san: formatSan(board, moves, move) }));
}

function formatSan(board: Board, moves: readonly BoardMove[], move: BoardMove): string {
  const { squares } = board;
  const next = playMove(board, move);
  const suffix = !isInCheck(next.squares, next.isWhite) ? "" : hasMove(next) ? "+" : "#";
  const kind = Math.abs(squares[move.from] ?? 0);
  if (kind === PIECES.king && Math.abs(move.to - move.from) === 2)
    return (move.to > move.from ? "O-O" : "O-O-O") + suffix;
  const isCapture = squares[move.to] !== 0 || isEnPassant(board, move);
  const target = (isCapture ? "x" : "") + squareName(move.to);
  if (kind !== PIECES.pawn) return pieceLetter(kind) + disambiguation(squares, moves, move) + target + suffix;
  const promotion = move.promotion === 0 ? "" : `=${pieceLetter(move.promotion)}`;
  return (isCapture ? squareName(move.from).charAt(0) : "") + target + promotion + suffix;
}

function disambiguation(squares: Int8Array, moves: readonly BoardMove[], { from, to }: BoardMove): string {
  const rivals = moves.filter(
    (other) => other.to === to && other.from !== from && squares[other.from] === squares[from],
  );
  if (rivals.length === 0) return "";
  if (rivals.every((other) => (other.from & 7) !== (from & 7))) return squareName(from).charAt(0);
  if (rivals.every((other) => other.from >> 3 !== from >> 3)) return squareName(from).charAt(1);
  return squareName(from);
}
