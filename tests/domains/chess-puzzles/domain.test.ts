/** The domain's data: phrases that fit, causes that something addresses, a null model that follows what a harness says. */
import { expect, test } from "vitest";
import { chessPuzzles } from "../../../domains/chess-puzzles/domain.ts";
import { drawNullReply } from "../../../domains/chess-puzzles/null-reply.ts";
import { diagnoseRollout } from "../../../domains/chess-puzzles/diagnose.ts";
import { createPuzzle } from "../../../domains/chess-puzzles/puzzle.ts";
import { parseBoard } from "../../../domains/chess-puzzles/board.ts";
import { createRng } from "../../../src/base/rng.ts";
import type { DiagnosableTrace } from "../../../src/rollout/domain.ts";

test("phrases stand in constants of h0, keep their placeholder and never repeat", () => {
  for (const [name, phrases] of Object.entries(chessPuzzles.phrases)) {
    const [, constant = ""] = new RegExp(`^export const ${name} = "(.*)";$`, "m").exec(chessPuzzles.seedHarness) ?? [];
    expect(constant).not.toBe("");
    expect(new Set(phrases).size).toBe(phrases.length);
    const placeholder = /\{\w+\}/.exec(constant)?.[0] ?? "";
    expect(phrases.filter((phrase) => !phrase.includes(placeholder))).toEqual([]);
  }
});

test("every cause but those of a broken harness has a variant, and every variant has a known axis, target and causes", () => {
  const addressed = new Set(chessPuzzles.variants.flatMap((variant) => variant.addresses));
  const broken = ["harness fault", "provenance"];
  expect(chessPuzzles.causes.filter((cause) => !addressed.has(cause))).toEqual(broken);
  for (const { axis, target, addresses } of chessPuzzles.variants) {
    expect(chessPuzzles.axes).toContain(axis);
    expect(chessPuzzles.seedHarness).toContain(`function ${target}(`);
    expect(addresses.filter((cause) => !chessPuzzles.causes.includes(cause))).toEqual([]);
  }
});

test("guide explains each axis", () => {
  for (const axis of chessPuzzles.axes) expect(chessPuzzles.guide).toContain(`**${axis}**`);
});

const TASK = createPuzzle(parseBoard("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1"), ["a1a8"], { source: "test" });
const LEGAL = (TASK.view["legal"] as { uci: string }[]).map(({ uci }) => uci);

/** Share of null replies that hold `move`. */
function shareOf(move: string, screen: string): number {
  const rng = createRng("null chess");
  const replies = Array.from({ length: 400 }, () => drawNullReply(TASK, rng.uniform, screen));
  return replies.filter((reply) => reply.includes(move)).length / replies.length;
}

test("drawNullReply is even where moves are listed as they were given", () => {
  const even = 1 / LEGAL.length;
  for (const screen of ["", `user\n${LEGAL.join("\n")}\nassistant\n`, `user\na1b1 a1c1\nuser\n${LEGAL.join(" ")}\n`]) {
    expect(shareOf("a1a8", screen)).toBeLessThan(even + 0.05);
    expect(shareOf("a1a8", screen)).toBeGreaterThan(even - 0.05);
  }
});

test.each([
  ["says a move", [...LEGAL, "a1a8"]],
  ["puts it first", ["a1a8", ...LEGAL.filter((move) => move !== "a1a8")]],
  ["puts it last", [...LEGAL.filter((move) => move !== "a1a8"), "a1a8"]],
])("drawNullReply follows a harness that %s", (_, moves) => {
  expect(shareOf("a1a8", `user\n${moves.join("\n")}\nassistant\n`)).toBeGreaterThan(0.35);
});

test.each([
  [{ outcome: "limit" }, "", "budget spent"],
  [{ outcome: "fault" }, "", "harness fault"],
  [{ reason: "a legal move was replaced" }, "", "provenance"],
  [{ reason: "wrong move" }, "<move>a1a2</move>", "wrong move"],
  [{ reason: "no move" }, "<move>a1a2</move>", "illegal move"],
  [{ reason: "no move" }, "<move>Ra2</move>", "malformed move"],
  [{ reason: "no move" }, "<move>", "malformed move"],
  [{ reason: "no move" }, "a1a2 or a1a3", "ambiguous move"],
  [{ reason: "no move" }, "I do not know.", "no move"],
] as const)("diagnoseRollout reads %j after %j as %s", (part, text, cause) => {
  const trace: DiagnosableTrace = {
    outcome: "judged",
    reason: "",
    turns: [{ text, finish: "end" }],
    toolCalls: [],
    returned: undefined,
    ...part,
  };
  expect(diagnoseRollout(trace)).toBe(cause);
});
