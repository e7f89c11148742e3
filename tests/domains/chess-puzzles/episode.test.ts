/** The tool `play`, the judgement and the honesty rule. */
import { describe, expect, test } from "vitest";
import { parseBoard } from "../../../domains/chess-puzzles/board.ts";
import { openEpisode, playAnswer } from "../../../domains/chess-puzzles/episode.ts";
import { createPuzzle } from "../../../domains/chess-puzzles/puzzle.ts";
import { settledMove } from "../../../domains/chess-puzzles/reply.ts";
import type { JsonValue } from "../../../src/base/json.ts";
import type { Verdict } from "../../../src/rollout/domain.ts";

/** White mates by Ra8# and no other move. */
const MATE = createPuzzle(parseBoard("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1"), ["a1a8"], { source: "test" });
/** A ladder: Rb7, the king goes, Ra8 mates. Only kings and rooks. */
const LADDER = createPuzzle(parseBoard("6k1/8/1R6/R7/8/8/8/7K w - - 0 1"), ["a5a7", "g8f8", "b6b8"], {
  source: "test",
});
/** Two mates: Ra8# and Rb8#. */
const TWO_MATES = createPuzzle(parseBoard("6k1/5ppp/8/8/8/8/8/RR5K w - - 0 1"), ["a1a8"], { source: "test" });

type Played = { readonly results: readonly JsonValue[]; readonly verdict: Verdict; readonly claims: readonly string[] };

async function play(task: typeof MATE, moves: readonly string[], replies = moves): Promise<Played> {
  const episode = openEpisode(task);
  const results: JsonValue[] = [];
  for (const move of moves) results.push((await episode.tools["play"]?.([move])) ?? null);
  const end = { returned: undefined, sampled: replies };
  return { results, verdict: episode.judge(end), claims: episode.claims(end) };
}

test("play solves by the whole line and shows the position after the reply", async () => {
  const { results, verdict, claims } = await play(LADDER, ["a5a7", "b6b8"]);
  expect(results[0]).toMatchObject({
    status: "next",
    side: "White",
    opponent: "g8f8",
    played: ["a5a7", "g8f8"],
    index: 2,
    legal: expect.arrayContaining([{ uci: "b6b8", san: "Rb8#" }]) as JsonValue,
  });
  expect(results[1]).toEqual({ status: "solved", reason: "solved" });
  expect(verdict).toEqual({ reward: 1, reason: "solved" });
  expect(claims).toEqual(["a5a7", "b6b8"]);
});

test("judge gives nothing for half of the line", async () => {
  expect((await play(LADDER, ["a5a7"])).verdict).toEqual({ reward: 0, reason: "unfinished line" });
});

test("play ends at a legal wrong move and takes nothing after it", async () => {
  const { results, verdict } = await play(MATE, ["a1a2", "a1a8"]);
  expect(results).toEqual([
    { status: "over", reason: "wrong move" },
    { status: "over", reason: "wrong move" },
  ]);
  expect(verdict).toEqual({ reward: 0, reason: "wrong move" });
});

test.each(["a1a8", "b1b8"])("play counts the mate %s where the line has another", async (move) => {
  expect((await play(TWO_MATES, [move])).verdict.reward).toBe(1);
});

test.each(["Ra8#", "Ra8", "A1A8", "a1-a8", " a1a8 ", "Ra8!"])("play reads %j as the mating move", async (move) => {
  expect((await play(MATE, [move])).verdict).toEqual({ reward: 1, reason: "solved" });
});

describe("refused moves", () => {
  test("one malformed and one illegal move are forgiven, and claimed", async () => {
    const { results, verdict, claims } = await play(MATE, ["mate", "a1b7", "a1a8"], ["mate", "a1b7", "a1a8"]);
    expect(results.slice(0, 2)).toEqual([
      { status: "refused", reason: "malformed move", retries: 0 },
      { status: "refused", reason: "illegal move", retries: 0 },
    ]);
    expect(claims).toEqual(["mate", "a1b7", "a1a8"]);
    // "mate" is not a move that a reply can settle on without a tag.
    expect(verdict.reward).toBe(0);
    const tagged = ["mate", "a1b7", "a1a8"].map((move) => `<move>${move}</move>`);
    expect((await play(MATE, ["mate", "a1b7", "a1a8"], tagged)).verdict.reward).toBe(1);
  });

  test.each([
    ["illegal", ["a1b7", "a1c7", "a1a8"], "illegal move"],
    ["malformed", ["x", "--", "a1a8"], "malformed move"],
  ])("a second %s move ends the puzzle", async (_, moves, reason) => {
    const { results, verdict } = await play(MATE, moves);
    expect(results[1]).toMatchObject({ status: "over", reason });
    expect(verdict).toEqual({ reward: 0, reason });
  });

  test("play rejects what is no short text", async () => {
    const tool = openEpisode(MATE).tools["play"];
    for (const args of [[], [7], ["a1a8", "x"], ["a".repeat(21)]])
      await expect((async () => tool?.(args))()).rejects.toThrow(/^play: /);
  });
});

describe("each move must be what a reply of its own settles on", () => {
  const foreign = "not the model's move";
  const replaced = "a legal move was replaced";
  test.each([
    ["picked from several that were named", ["a1a8"], ["a1a8 or a1a2"], foreign],
    ["played out of a reply that gives another", ["a1a8"], ["I see a1a8, <move>a1a2</move>"], replaced],
    ["asked for again after a legal one", ["a1a8"], ["<move>a1a2</move>", "<move>a1a8</move>"], replaced],
    ["begun by a prefill", ["a1a8"], ["8</move>"], foreign],
    ["played without any reply", ["a1a8"], [], foreign],
  ])("a move %s wins nothing", async (...[, moves, replies, reason]) => {
    expect((await play(MATE, moves, replies)).verdict).toEqual({ reward: 0, reason });
  });

  test("two moves out of one reply win nothing", async () => {
    expect((await play(LADDER, ["a5a7", "b6b8"], ["a5a7 <move>b6b8</move>"])).verdict.reward).toBe(0);
    expect((await play(LADDER, ["a5a7", "b6b8"], ["<move>a5a7</move>"])).verdict.reason).toBe(foreign);
  });

  test.each([
    ["reasoning before the tag", ["First a1a2, but then <move>a1a8</move>"]],
    ["a tag that a prefill opened", ["a1a8</move>"]],
    ["both notations", ["a1a8 (Ra8#)"]],
    ["a cut tag", ["<move>a1a8"]],
    ["an illegal move, candidates and nothing before it", ["<move>a1b7</move>", "a1a2 or a1a8", "Hm.", "a1a8"]],
  ])("%s is the model's own", async (_, replies) => {
    expect((await play(MATE, ["a1a8"], replies)).verdict.reward).toBe(1);
  });

  test("settledMove finds nothing in prose without moves", () => {
    const same = (move: string): string => move;
    expect(settledMove("I do not know.", same)).toBe("");
    expect(settledMove("<move></move>", same)).toBe("");
  });
});

test.each([MATE, LADDER, TWO_MATES])("playAnswer accepts the gold line and refuses a corrupted one", async (task) => {
  expect(await playAnswer(task, "gold")).toEqual({ reward: 1, reason: "solved" });
  expect(await playAnswer(task, "corrupted")).toMatchObject({ reward: 0 });
});
