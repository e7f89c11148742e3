/**
 * What a model that knows nothing of chess could say: a legal move from the list on screen.
 *
 * Beside even draws it takes the first and the last move named, and the one named most often, so that a harness that puts
 * the right move at an end of the list, or says it in a prompt, is found out by its score.
 */
import { isJsonArray, isJsonObject } from "../../src/base/json.ts";
import type { Task } from "../../src/rollout/domain.ts";

const SQUARES = /\b[a-h][1-8][a-h][1-8][qrbn]?\b/g;

/** A random reply to `task`; `draw` gives numbers in [0, 1). */
export function drawNullReply(task: Task, draw: () => number, screen: string): string {
  const pick = (items: readonly string[]): string => items[Math.floor(draw() * items.length)] ?? "";
  const shown = newestList(screen).match(SQUARES) ?? [];
  const named: readonly string[] = shown.length > 0 ? shown : readLegal(task);
  const moves = [...new Set(named)];
  const share = draw();
  let move = pick(moves);
  if (share < 0.3) move = named[0] ?? "";
  else if (share < 0.6) move = named.at(-1) ?? "";
  else if (share < 0.8) move = pick(mostNamed(named));
  return pick([`<move>${move}</move>`, `<move>${move}</move>`, `I play <move>${move}</move>`, move]);
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
