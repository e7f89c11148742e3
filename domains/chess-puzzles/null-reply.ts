/**
 * What a model that knows nothing of chess could say: a legal move from the list on screen.
 *
 * Beside even draws it takes the first or the last move listed, and the one named most often, so that a harness that puts
 * the right move first, or says it in a prompt, is found out by its score.
 */
import type { Task } from "../../src/rollout/domain.ts";

/** A random reply to `task`; `draw` gives numbers in [0, 1). */
export function drawNullReply(task: Task, draw: () => number, screen: string): string {
  const pick = (items: readonly string[]): string => items[Math.floor(draw() * items.length)] ?? "";
  const legal = readLegal(task);
  const named = lastMessage(screen).match(/\b[a-h][1-8][a-h][1-8][qrbn]?\b/g) ?? legal;
  const moves = [...new Set(named)];
  const counts = moves.map((move) => named.filter((other) => other === move).length);
  const most = moves.filter((_, index) => counts[index] === Math.max(...counts));
  const move = pick([moves[0] ?? "", moves.at(-1) ?? "", pick(most), pick(moves)]);
  return pick([`<move>${move}</move>`, `<move>${move}</move>`, `I play <move>${move}</move>`, move]);
}

function readLegal(task: Task): string[] {
  const legal = task.view["legal"];
  if (!Array.isArray(legal)) return [];
  return legal.map((move: unknown) =>
    typeof move === "object" && move !== null && "uci" in move ? String(move.uci) : "",
  );
}

/** The newest message with moves in it; all of the screen where roles cannot be told apart. */
function lastMessage(screen: string): string {
  const parts = screen.split(/<\|im_start\|>/);
  return parts.findLast((part) => /\b[a-h][1-8][a-h][1-8]\b/.test(part) && part.startsWith("user")) ?? screen;
}
