import { Chess } from "chess.js";
import { describe, expect, test } from "vitest";
import { applyUci, chessLine } from "../../../web/page/model/chess-line.ts";
import type { Block } from "../../../web/page/model/messages.ts";

const place = (fen: string): string => fen.split(" ")[0] ?? "";

describe("applyUci", () => {
  test("applyUci agrees with chess.js over castling, en passant and promotion", () => {
    const moves = "e2e4 a7a6 e4e5 d7d5 e5d6 g8f6 g1f3 h7h6 f1e2 h6h5 e1g1 h5h4 d6c7 b8c6 c7d8q".split(" ");
    const game = new Chess();
    let placement = place(game.fen());
    for (const move of moves) {
      game.move(move);
      placement = applyUci(placement, move);
      expect(placement, move).toBe(place(game.fen()));
    }
  });
});

describe("chessLine", () => {
  const start = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1";
  const play = (move: string, result: object): Block => ({
    kind: "tool",
    name: "play",
    args: [move],
    isOk: true,
    result: JSON.stringify(result),
  });

  test("chessLine shows the model's move and the answer that the tool tells", () => {
    const next = "6k1/5pp1/7p/8/8/8/5PPP/1R4K1 w - - 0 2";
    const line = chessLine(start, [
      play("a1b1", { status: "next", fen: next, opponent: "h7h6" }),
      play("b1b8", { status: "solved", reason: "solved" }),
    ]);
    expect(line.map(({ by, move, remark }) => [by, move, remark])).toEqual([
      ["none", "", ""],
      ["model", "a1b1", ""],
      ["opponent", "h7h6", ""],
      ["model", "b1b8", "solved"],
    ]);
    expect(line[2]?.placement).toBe(place(next));
  });

  test("chessLine leaves the pieces where they are when a move was refused", () => {
    const line = chessLine(start, [play("a1a9", { status: "refused", reason: "malformed move", retries: 0 })]);
    expect(line[1]).toEqual({ placement: place(start), move: "a1a9", by: "none", remark: "malformed move" });
  });
});
