/**
 * The toy task set: generated puzzles, solved exhaustively. Which split a puzzle belongs to follows from its position, so
 * no seed can make splits overlap.
 */
import { TaskError } from "../../src/base/errors.ts";
import { createRng, type Rng } from "../../src/base/rng.ts";
import { SPLITS, type LoadedTasks, type LoadOptions, type Split, type Task } from "../../src/rollout/domain.ts";
import { splitOfId } from "../shared/splits.ts";
import { formatPlacement, formatUci, isInCheck, legalMoves, playMove, type Board, type BoardMove } from "./board.ts";
import { createPuzzle } from "./puzzle.ts";
import { findMates, findMatesInTwo, gainOf, isReckless } from "./solve.ts";
import {
  CAPTURE_SETS,
  classOf,
  drawPosition,
  isHeldOut,
  MATING_SETS,
  turnedForms,
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

/** Shares of the kinds in a mixture. */
const MIXTURE: readonly Kind[] = ["mate-in-1", "mate-in-1-wide", "capture", "mate-in-2"];

/**
 * Generates the toy tasks that `options` ask for. Equal options give equal tasks in equal order.
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
  while (draws > 0 && !SPLITS.every(isFull)) {
    draws -= 1;
    const kind = tier === "mixed" ? (MIXTURE[count % MIXTURE.length] ?? "mate-in-1") : tier;
    const board = drawPosition(rng, kind === "capture" ? CAPTURE_SETS : MATING_SETS, kind !== "capture");
    const line = FINDERS[kind](board, rng);
    if (!line) continue;
    const forms = turnedForms(board);
    const id = classOf(forms);
    const split = splitOfId(id);
    const form = drawForm(rng, forms);
    if (!form || isFull(split) || seen.has(id)) continue;
    seen.add(id);
    count += 1;
    const turned = line.map(({ from, to }) => formatUci({ from: form.turn(from), to: form.turn(to), promotion: 0 }));
    tasks[split].push(createPuzzle(form.board, turned, { source: `toy/${kind}` }));
  }
  return { tasks, skipped: [] };
}

function resolveTier(name: string): Tier {
  const tier = TIERS.find((known) => known === name);
  if (tier === undefined) throw new TaskError(`chess-puzzles: no tier ${name}, the tiers are ${TIERS.join(", ")}`);
  return tier;
}

function drawForm(rng: Rng, forms: readonly TurnedBoard[]): TurnedBoard | undefined {
  const usable = forms.filter(({ board }) => isHeldOut(formatPlacement(board.squares)));
  return usable.length > 0 ? rng.pick(usable) : undefined;
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
  const checks = moves.filter((move) => isCheck(board, move));
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

function isCheck(board: Board, move: BoardMove): boolean {
  const next = playMove(board, move);
  return isInCheck(next.squares, next.isWhite);
}
