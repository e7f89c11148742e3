/** The fast board against published move counts and against chess.js. */
import { Chess } from "chess.js";
import { expect, test } from "vitest";
import {
  formatFen,
  formatUci,
  isMate,
  legalMoves,
  nameMoves,
  parseBoard,
  parseUci,
  playMove,
  type Board,
} from "../../../domains/chess-puzzles/board.ts";
import { createRng } from "../../../src/base/rng.ts";

function countLeaves(board: Board, depth: number): number {
  const moves = legalMoves(board);
  return depth === 1
    ? moves.length
    : moves.reduce((sum, move) => sum + countLeaves(playMove(board, move), depth - 1), 0);
}

// https://www.chessprogramming.org/Perft_Results
test.each([
  ["the first position", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 3, 8902],
  ["castling and pins", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 2, 2039],
  ["en passant", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 3, 2812],
  ["promotions", "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 3, 9467],
  ["promotion by capture", "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 2, 1486],
] as const)("legalMoves counts as published for %s", (...[, fen, depth, leaves]) => {
  expect(countLeaves(parseBoard(fen), depth)).toBe(leaves);
});

test("nameMoves and formatFen say what chess.js says along random games", () => {
  const rng = createRng("board games");
  for (let game = 0; game < 2; game += 1) {
    const oracle = new Chess();
    let board = parseBoard(oracle.fen());
    for (let ply = 0; ply < 40 && !oracle.isGameOver(); ply += 1) {
      const named = nameMoves(board);
      expect(named.map(({ san }) => san).sort()).toEqual(oracle.moves().sort());
      const { uci, san } = rng.pick(named);
      expect(oracle.move(san).lan).toBe(uci);
      const move = parseUci(uci);
      if (!move) throw new TypeError("a named move parses");
      board = playMove(board, move);
      expect(formatFen(board)).toBe(oracle.fen());
      expect(isMate(board)).toBe(oracle.isCheckmate());
    }
  }
});

test("nameMoves tells pieces with one target apart by file, rank or both", () => {
  const names = (fen: string): string[] => nameMoves(parseBoard(fen)).map(({ san }) => san);
  expect(names("k7/8/8/8/8/8/8/R3R2K w - - 0 1")).toContain("Rac1");
  expect(names("k7/8/8/R7/8/8/8/R6K w - - 0 1")).toContain("R1a3+");
  expect(names("8/7k/8/8/Q2Q4/8/8/Q6K w - - 0 1")).toEqual(expect.arrayContaining(["Qa4d1", "Qdd1", "Q1d1"]));
});

test("parseUci and formatUci mirror each other and refuse other texts", () => {
  for (const uci of ["a1h8", "e7e8q", "b2a1n"]) {
    const move = parseUci(uci);
    expect(move && formatUci(move)).toBe(uci);
  }
  for (const text of ["", "e9e4", "e2e4k", "e2e4 ", "Nf3"]) expect(parseUci(text)).toBeUndefined();
});
