/** The toy puzzles: repeatable, disjoint, solved, kept out of pretraining. */
import { Chess } from "chess.js";
import { beforeAll, describe, expect, test } from "vitest";
import { playAnswer } from "../../../domains/chess-puzzles/episode.ts";
import { generatePuzzles, TIERS } from "../../../domains/chess-puzzles/toy.ts";
import { isHeldOut, turnedForms, classOf } from "../../../domains/chess-puzzles/toy-positions.ts";
import { parseBoard } from "../../../domains/chess-puzzles/board.ts";
import { SPLITS, type Task, type TaskSet } from "../../../src/rollout/domain.ts";

const SIZES = { weight: 6, harness: 2, validation: 2, test: 2 };
const fenOf = (task: Task): string => task.view["fen"] as string;
const lineOf = (task: Task): string[] => (task.gold as { line: string[] }).line;

describe.each(TIERS)("tier %s", (tier) => {
  let set: TaskSet;
  let all: readonly Task[];
  beforeAll(() => {
    set = generatePuzzles({ seed: 3, sizes: SIZES, tier }).tasks;
    all = SPLITS.flatMap((split) => set[split]);
  });

  test("fills each split with different positions that pretraining leaves out", () => {
    expect(SPLITS.map((split) => set[split].length)).toEqual(Object.values(SIZES));
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    for (const task of all) expect(isHeldOut(fenOf(task).split(" ")[0] ?? "")).toBe(true);
  });

  test("takes the gold line and refuses a corrupted one", async () => {
    for (const task of all) {
      expect(await playAnswer(task, "gold")).toEqual({ reward: 1, reason: "solved" });
      expect(await playAnswer(task, "corrupted")).toMatchObject({ reward: 0 });
    }
  });

  test("has one right first move by chess.js", () => {
    for (const task of all.slice(0, 6)) {
      const mates = new Chess(fenOf(task)).moves().filter((san) => san.endsWith("#"));
      expect(mates).toHaveLength(task.source.includes("mate-in-1") ? 1 : 0);
      if (task.source.endsWith("mate-in-2")) expect(keysOfMateInTwo(fenOf(task))).toEqual([lineOf(task)[0]]);
    }
  });
});

/** First moves that force mate in two, by brute force with chess.js. */
function keysOfMateInTwo(fen: string): string[] {
  const canMate = (game: Chess): boolean => game.moves().some((san) => san.endsWith("#"));
  return new Chess(fen).moves().flatMap((san) => {
    const game = new Chess(fen);
    const { lan } = game.move(san);
    const replies = game.moves();
    const forced = replies.every((reply) => {
      game.move(reply);
      const mates = canMate(game);
      game.undo();
      return mates;
    });
    return replies.length > 0 && forced ? [lan] : [];
  });
}

test("generatePuzzles repeats with its seed and differs with another", () => {
  const make = (seed: number): unknown => generatePuzzles({ seed, sizes: SIZES }).tasks;
  expect(make(1)).toEqual(make(1));
  expect(make(1)).not.toEqual(make(2));
});

test("no two splits hold mirror images of one position, whatever the seeds", () => {
  const splitOf = new Map<string, string>();
  for (const seed of [1, 2, 3]) {
    const { tasks } = generatePuzzles({ seed, sizes: { ...SIZES, weight: 20 }, tier: "mate-in-1-wide" });
    for (const split of SPLITS)
      for (const task of tasks[split]) {
        const id = classOf(turnedForms(parseBoard(fenOf(task))));
        expect(splitOf.get(id) ?? split).toBe(split);
        splitOf.set(id, split);
      }
  }
});

test("isHeldOut is the rule by which the tiny model was pretrained", () => {
  const { tasks } = generatePuzzles({ seed: 9, sizes: SIZES, tier: "mate-in-1-wide" });
  const placements = tasks.weight.flatMap((task) =>
    turnedForms(parseBoard(fenOf(task))).map(({ board }) => formatted(board.squares)),
  );
  expect(placements.map(isHeldOut)).toEqual(placements.map((placement) => fnv1a(placement) % 5n === 0n));
  expect(placements.some(isHeldOut) && !placements.every(isHeldOut)).toBe(true);
});

function formatted(squares: Int8Array): string {
  const letters = ".KQRBNP";
  const letter = (piece: number): string => {
    const name = letters.charAt(Math.abs(piece));
    return piece === 0 ? "1" : piece > 0 ? name : name.toLowerCase();
  };
  const rows = Array.from({ length: 8 }, (_, row) =>
    [...squares.subarray((7 - row) * 8, (8 - row) * 8)].map(letter).join(""),
  );
  return rows.map((row) => row.replace(/1+/g, (ones) => String(ones.length))).join("/");
}

test("generatePuzzles rejects a tier that does not exist", () => {
  expect(() => generatePuzzles({ seed: 1, sizes: SIZES, tier: "x" })).toThrow(/no tier x, the tiers are mate-in-1/);
});

/** http://www.isthe.com/chongo/tech/comp/fnv/, 32 bits. */
function fnv1a(text: string): bigint {
  return [...new TextEncoder().encode(text)].reduce(
    (hash, byte) => ((hash ^ BigInt(byte)) * 16_777_619n) % 2n ** 32n,
    2_166_136_261n,
  );
}
