/**
 * What a model that knows nothing of chess could say: a legal move from the list on screen.
 *
 * It goes where a harness points: to a move that is named more often than others, or to an end of a list whose order is not
 * the one that was given. Where a harness points at nothing, all moves are alike to it; so an honest text gives it chance
 * only, whatever its form, and one that puts the right move first or says it gives it the puzzle.
 */
import { isJsonArray, isJsonObject } from "../../src/base/json.ts";
import type { Task } from "../../src/rollout/domain.ts";

const SQUARES = /\b[a-h][1-8][a-h][1-8][qrbn]?\b/g;
/** How often it goes where a harness points. */
const TRUST = 0.9;

/** A random reply to `task`; `draw` gives numbers in [0, 1). */
export function drawNullReply(task: Task, draw: () => number, screen: string): string {
  const pick = (items: readonly string[]): string => items[Math.floor(draw() * items.length)] ?? "";
  const legal = readLegal(task);
  const shown = newestList(screen).match(SQUARES) ?? [];
  const named: readonly string[] = shown.length > 0 ? shown : legal;
  const moves = [...new Set(named)];
  const pointed = pointedAt(named, legal);
  const move = pick(pointed.length > 0 && draw() < TRUST ? pointed : moves);
  return draw() < 0.75 ? `<move>${move}</move>` : move;
}

/** The moves that the text singles out; none where it lists the legal ones as they were given. */
function pointedAt(named: readonly string[], legal: readonly string[]): readonly string[] {
  const most = mostNamed(named);
  const listed = [...new Set(named)];
  if (most.length < listed.length) return most;
  // Only at its first move does the task say what the order was.
  const known = listed.filter((move) => legal.includes(move));
  const given = legal.filter((move) => known.includes(move));
  if (known.length < listed.length || known.join() === given.join()) return [];
  return [known[0] ?? "", known.at(-1) ?? ""];
}

function mostNamed(named: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const move of named) counts.set(move, (counts.get(move) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return [...counts].flatMap(([move, count]) => (count === most ? [move] : []));
}

function readLegal(task: Task): string[] {
  const { legal } = task.view;
  if (!isJsonArray(legal)) return [];
  return legal.flatMap((move) => (isJsonObject(move) && typeof move["uci"] === "string" ? [move["uci"]] : []));
}

/** The screen from the newest message on that names at least two moves, which is where the legal ones are listed. */
function newestList(screen: string): string {
  const parts = screen.split(/(?:^|\n)(?:system|user|assistant)\n/);
  const start = parts.findLastIndex((part) => new Set(part.match(SQUARES)).size >= 2);
  return start < 0 ? screen : parts.slice(start).join("\n");
}
