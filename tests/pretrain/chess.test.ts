import { describe, expect, it } from "vitest";
import { formatPlacement, isInCheck, isMate, legalMoves, playMove } from "../../domains/chess-puzzles/board.ts";
import { isHeldOut } from "../../domains/chess-puzzles/toy-positions.ts";
import { drawMatePosition, drawPlainPosition, writeFen } from "../../scripts/pretrain/chess-positions.ts";
import { transcriptAt } from "../../scripts/pretrain/corpus.ts";
import { createDraw } from "../../scripts/pretrain/draw.ts";
import { hashJson } from "../../src/base/hash.ts";

describe("drawMatePosition", () => {
  it("draws positions with a mate in one that the domain's puzzles leave to it", () => {
    for (let index = 0; index < 60; index += 1) {
      const position = drawMatePosition(createDraw("mates", index));
      const mates = legalMoves(position).filter((move) => isMate(playMove(position, move)));
      expect([writeFen(position), mates.length > 0]).toEqual([writeFen(position), true]);
      expect(isHeldOut(formatPlacement(position.squares))).toBe(false);
    }
  });
});

describe("drawPlainPosition", () => {
  it("draws legal positions with 2 to 26 moves", () => {
    for (let index = 0; index < 60; index += 1) {
      const position = drawPlainPosition(createDraw("plain", index));
      expect(isInCheck(position.squares, !position.isWhite)).toBe(false);
      const count = legalMoves(position).length;
      expect([writeFen(position), count >= 2 && count <= 26]).toEqual([writeFen(position), true]);
      expect(isHeldOut(formatPlacement(position.squares))).toBe(false);
    }
  });
});

describe("writeFen", () => {
  it("counts no moves, however many were played", () => {
    const position = drawPlainPosition(createDraw("fen", 0));
    const [move] = legalMoves(position);
    if (!move) expect.unreachable(writeFen(position));
    expect(writeFen(position)).toMatch(/ [wb] - - 0 1$/);
    expect(writeFen(playMove(position, move))).toMatch(/ [wb] - - 0 1$/);
  });
});

describe("chessTranscript", () => {
  it("gives the same chats for a seed whatever becomes of the board it uses", () => {
    const chats = Array.from({ length: 200 }, (_, index) => transcriptAt(1, index, "chess"));
    expect(hashJson(chats)).toBe("4f6e81211beb2cdfb39702fa1eab272faf926d5bb742e01332d0a9179a7b0fd8");
  });

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
