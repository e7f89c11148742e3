/**
 * The toy task set: generated puzzles, solved exhaustively. Which split a puzzle belongs to follows from its position, so
 * no seed can make splits overlap.
 */
import { TaskError } from "../../src/base/errors.ts";
import { createRng, type Rng } from "../../src/base/rng.ts";
import { SPLITS, type LoadedTasks, type LoadOptions, type Split, type Task } from "../../src/rollout/domain.ts";
import { neededSizes, splitOfId } from "../shared/splits.ts";
import { formatPlacement, formatUci, givesCheck, legalMoves, playMove, type Board, type BoardMove } from "./board.ts";
import { createPuzzle, positionId } from "./puzzle.ts";
import { findMates, findMatesInTwo, gainOf, isReckless } from "./solve.ts";
import {
  CAPTURE_SETS,
  classOf,
  drawPosition,
  isHeldOut,
  MATING_SETS,
  TWO_MOVE_SETS,
  turnedForms,
  type PieceSet,
  type TurnedBoard,
} from "./toy-positions.ts";

/** Kinds of puzzles, easiest first, then the mixture of them. */
export const TIERS = ["mate-in-1", "mate-in-1-wide", "capture", "mate-in-2", "mixed"] as const;
/** One of `TIERS`. */
export type Tier = (typeof TIERS)[number];
/** Tier of the toy set where none is asked for. */
export const DEFAULT_TIER: Tier = "mixed";

type Kind = Exclude<Tier, "mixed">;

/** Finds a puzzle's line at a position, the solver's moves and the opponent's in turn; undefined where there is none. */
type Finder = (board: Board, rng: Rng) => readonly BoardMove[] | undefined;

const FEW_MOVES = 17;
const MOST_MOVES = 28;

const FINDERS: Readonly<Record<Kind, Finder>> = {
  "mate-in-1": findNarrowMate,
  "mate-in-1-wide": findWideMate,
  capture: findCaptureLine,
  "mate-in-2": findTwoMoveLine,
};

/** Kinds of the tier `mixed` in the order in which they come, each as often as it stands here. */
const MIXTURE: readonly Kind[] = [
  "mate-in-1",
  "mate-in-1",
  "mate-in-1-wide",
  "mate-in-1",
  "mate-in-1",
  "mate-in-2",
  "mate-in-1",
  "mate-in-1",
  "mate-in-1",
  "mate-in-2",
];

const SETS: Readonly<Record<Kind, readonly PieceSet[]>> = {
  "mate-in-1": MATING_SETS,
  "mate-in-1-wide": MATING_SETS,
  capture: CAPTURE_SETS,
  "mate-in-2": TWO_MOVE_SETS,
};

/**
 * Generates the toy tasks that `options` ask for. Equal options give equal tasks in equal order, and `needed` cuts that
 * order short: the stream of positions is the same, it only ends sooner.
 * @throws {TaskError} If the tier does not exist.
 */
export function generatePuzzles(options: LoadOptions): Omit<LoadedTasks, "domain"> {
  const tier = resolveTier(options.tier ?? DEFAULT_TIER);
  const rng = createRng(options.seed, "chess-puzzles", tier);
  const tasks: Record<Split, Task[]> = { weight: [], harness: [], validation: [], test: [] };
  const seen = new Set<string>();
  const wanted = SPLITS.reduce((sum, split) => sum + options.sizes[split], 0);
  let draws = 20_000 + 4_000 * wanted;
  let count = 0;
  const isFull = (split: Split): boolean => tasks[split].length >= options.sizes[split];
  const needed = neededSizes(options);
  while (draws > 0 && SPLITS.some((split) => tasks[split].length < needed[split])) {
    draws -= 1;
    const kind = tier === "mixed" ? (MIXTURE[count % MIXTURE.length] ?? "mate-in-1") : tier;
    const board = drawPosition(rng, SETS[kind], kind !== "capture");
    const line = FINDERS[kind](board, rng);
    if (!line) continue;
    const forms = turnedForms(board);
    const id = classOf(forms);
    const split = splitOfId(id);
    if (isFull(split) || seen.has(id)) continue;
    seen.add(id);
    count += 1;
    for (const form of drawForms(rng, forms, FORMS[split]))
      if (!isFull(split)) tasks[split].push(turnPuzzle(form, line, kind));
  }
  return { tasks, skipped: [] };
}

function resolveTier(name: string): Tier {
  const tier = TIERS.find((known) => known === name);
  if (tier === undefined) throw new TaskError(`chess-puzzles: no tier ${name}, the tiers are ${TIERS.join(", ")}`);
  return tier;
}

/** Forms of one position that a split may hold; those that are reported and chosen on hold one, so that tasks are independent. */
const FORMS: Readonly<Record<Split, number>> = { weight: 2, harness: 2, validation: 1, test: 1 };

function drawForms(rng: Rng, forms: readonly TurnedBoard[], most: number): TurnedBoard[] {
  const usable = forms.filter(({ board }) => isHeldOut(formatPlacement(board.squares)));
  const different = new Map(rng.shuffle(usable).map((form) => [positionId(form.board), form]));
  return [...different.values()].slice(0, most);
}

function turnPuzzle({ board, turn }: TurnedBoard, line: readonly BoardMove[], kind: Kind): Task {
  const turned = line.map(({ from, to }) => formatUci({ from: turn(from), to: turn(to), promotion: 0 }));
  return createPuzzle(board, turned, { source: `toy/${kind}` });
}

function findNarrowMate(board: Board): BoardMove[] | undefined {
  return findMateLine(board, 6, FEW_MOVES);
}

function findWideMate(board: Board): BoardMove[] | undefined {
  return findMateLine(board, FEW_MOVES + 1, MOST_MOVES);
}

function findMateLine(board: Board, least: number, most: number): BoardMove[] | undefined {
  const moves = legalMoves(board);
  if (moves.length < least || moves.length > most) return undefined;
  const mates = findMates(board, moves);
  return mates.length === 1 ? mates : undefined;
}

/** One capture that wins at least a minor piece, two pawns better than any other, and safe against a mate in reply. */
function findCaptureLine(board: Board): BoardMove[] | undefined {
  const moves = legalMoves(board);
  if (moves.length < 6 || moves.length > MOST_MOVES || findMates(board, moves).length > 0) return undefined;
  const gains = moves.map((move) => ({ move, gain: gainOf(board, move) })).sort((a, b) => b.gain - a.gain);
  const [best, second] = gains;
  const captures = moves.filter(({ to }) => board.squares[to] !== 0).length;
  if (!best || captures < 2 || best.gain < 3 || best.gain - (second?.gain ?? 0) < 2) return undefined;
  return isReckless(board, best.move) ? undefined : [best.move];
}

/** A check that alone forces mate, the defence to it that leaves one mating move, and that move. */
function findTwoMoveLine(board: Board, rng: Rng): BoardMove[] | undefined {
  const moves = legalMoves(board);
  if (moves.length < 6 || moves.length > MOST_MOVES || findMates(board, moves).length > 0) return undefined;
  const checks = moves.filter((move) => givesCheck(board, move));
  const keys = checks.length === 0 ? [] : findMatesInTwo(board, checks);
  const [key] = keys;
  if (keys.length !== 1 || !key) return undefined;
  if (
    findMatesInTwo(
      board,
      moves.filter((move) => !checks.includes(move)),
    ).length > 0
  )
    return undefined;
  const next = playMove(board, key);
  const lines = legalMoves(next).flatMap((reply) => {
    const last = playMove(next, reply);
    const mates = findMates(last, legalMoves(last));
    return mates.length === 1 ? [[key, reply, ...mates]] : [];
  });
  return lines.length > 0 ? rng.pick(lines) : undefined;
}
