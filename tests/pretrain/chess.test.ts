import { describe, expect, it } from "vitest";
import { drawMatePosition, drawPlainPosition, isHeldOutPosition } from "../../scripts/pretrain/chess-positions.ts";
import {
  fromFen,
  isInCheck,
  legalMoves,
  play,
  rawMoves,
  toFen,
  type Position,
} from "../../scripts/pretrain/chess-rules.ts";
import { transcriptAt } from "../../scripts/pretrain/corpus.ts";
import { createDraw } from "../../scripts/pretrain/draw.ts";

/** Leaf count of the game tree. */
function perft(position: Position, depth: number): number {
  if (depth === 0) return 1;
  return rawMoves(position).reduce((sum, move) => sum + perft(play(position, move), depth - 1), 0);
}

/** Whether a piece on `from` reaches `to`, written with file and rank differences only. */
function reaches(board: Int8Array, from: number, to: number): boolean {
  const [df, dr] = [(to & 7) - (from & 7), (to >> 3) - (from >> 3)];
  const [adf, adr] = [Math.abs(df), Math.abs(dr)];
  const kind = Math.abs(board[from] ?? 0);
  if (kind === 1) return Math.max(adf, adr) === 1;
  if (kind === 5) return adf * adr === 2;
  const isStraight = (df === 0) !== (dr === 0);
  const isDiagonal = adf === adr && adf > 0;
  if (!((kind !== 4 && isStraight) || (kind !== 3 && isDiagonal))) return false;
  for (let step = 1; step < Math.max(adf, adr); step += 1)
    if (board[from + step * (Math.sign(df) + 8 * Math.sign(dr))] !== 0) return false;
  return true;
}

/** Legal moves by trying every pair of squares. */
function slowMoves({ board, isWhite }: Position): string[] {
  const sign = isWhite ? 1 : -1;
  const moves: string[] = [];
  for (let from = 0; from < 64; from += 1) {
    for (let to = 0; to < 64; to += 1) {
      if (
        (board[from] ?? 0) * sign <= 0 ||
        (board[to] ?? 0) * sign > 0 ||
        board[to] === -sign ||
        !reaches(board, from, to)
      )
        continue;
      const next = board.slice();
      next[to] = board[from] ?? 0;
      next[from] = 0;
      const king = next.indexOf(sign);
      const isSafe = next.every((piece, square) => piece * sign >= 0 || !reaches(next, square, king));
      if (isSafe) moves.push(`${String(from)}-${String(to)}`);
    }
  }
  return moves.sort();
}

describe("rawMoves", () => {
  it("counts the nodes of small trees that follow from the rules", () => {
    // A lone king in the corner, on the edge and in the middle; the other king is far away.
    expect(rawMoves(fromFen("7k/8/8/8/8/8/8/K7 w"))).toHaveLength(3);
    expect(rawMoves(fromFen("7k/8/8/8/8/8/8/3K4 w"))).toHaveLength(5);
    expect(rawMoves(fromFen("7k/8/8/8/3K4/8/8/8 w"))).toHaveLength(8);
    // 3 king moves and 14 rook moves; the rook on h2 gives check, so black has only the g-file.
    expect(rawMoves(fromFen("7k/8/8/8/8/8/7R/K7 b"))).toHaveLength(2);
    // Kings a1 and h8: 3 moves, each answered by 3.
    expect(perft(fromFen("7k/8/8/8/8/8/8/K7 w"), 2)).toBe(9);
  });

  it("finds the moves that trying every pair of squares finds", () => {
    for (let index = 0; index < 80; index += 1) {
      const draw = createDraw("legality", index);
      const position = draw.chance(0.5) ? drawMatePosition(draw) : drawPlainPosition(draw);
      for (const each of [position, { ...position, isWhite: !position.isWhite }]) {
        expect([
          toFen(each),
          rawMoves(each)
            .map(({ from, to }) => `${String(from)}-${String(to)}`)
            .sort(),
        ]).toEqual([toFen(each), slowMoves(each)]);
      }
    }
  });
});

describe("legalMoves", () => {
  it("names moves with captures, checks, mates and disambiguation", () => {
    const names = (fen: string): string[] => legalMoves(fromFen(fen)).map(({ san }) => san);
    expect(names("k7/8/1K6/8/8/8/8/7R w")).toContain("Rh8#");
    expect(names("8/6k1/8/8/8/8/K7/R6R w")).toEqual(expect.arrayContaining(["Rad1", "Rhd1", "Rh7+", "Rag1+"]));
    expect(names("8/6k1/8/8/8/8/K7/R6R w")).not.toContain("Rd1");
    expect(names("6k1/8/8/R7/8/1K6/8/R7 w")).toContain("R1a4");
    expect(names("3r3k/8/8/8/8/8/8/K2R4 w")).toContain("Rxd8+");
  });

  it("finds a mate in every position of the pool, and its king is attacked with no way out", () => {
    for (let index = 0; index < 60; index += 1) {
      const position = drawMatePosition(createDraw("mates", index));
      const mate = legalMoves(position).find((move) => move.isMate);
      if (!mate) expect.unreachable(toFen(position));
      const after = play(position, mate);
      expect(isInCheck(after.board, after.isWhite)).toBe(true);
      expect(slowMoves(after)).toEqual([]);
      expect(isHeldOutPosition(toFen(position))).toBe(false);
    }
  });
});

describe("toFen", () => {
  it("is read back as the same position", () => {
    for (let index = 0; index < 50; index += 1) {
      const position = drawPlainPosition(createDraw("fen", index));
      expect(fromFen(toFen(position))).toEqual(position);
    }
    expect(() => fromFen("8/8/8/8/8/8/8/7P w")).toThrow(SyntaxError);
  });
});

describe("chessTranscript", () => {
  it("plays a listed move unless it is told that the move was illegal, and does not always find mate", () => {
    let tags = 0;
    let mates = 0;
    for (let index = 0; index < 300; index += 1) {
      const { messages } = transcriptAt(13, index, "chess");
      for (const [at, { role, content }] of messages.entries()) {
        const move = /<move>([a-h][1-8][a-h][1-8])<\/move>/.exec(content)?.[1];
        if (role !== "assistant" || move === undefined) continue;
        const before = messages
          .slice(0, at)
          .map((message) => message.content)
          .join("\n");
        const isRefused = /legal|error/i.test(messages[at + 1]?.content ?? "");
        const isListed =
          before.includes(move) || !/[a-h][1-8][a-h][1-8]/.test(before.replace(/<move>.*?<\/move>|such as \S+/g, ""));
        expect([before, move, isRefused || isListed]).toEqual([before, move, true]);
        tags += 1;
        if (new RegExp(`${move}[^\\n,;]{0,4}[KQRBN]\\w*#`).test(before)) mates += 1;
      }
    }
    expect(mates / tags).toBeGreaterThan(0.05);
    expect(mates / tags).toBeLessThan(0.6);
  });
});
