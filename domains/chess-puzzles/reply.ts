/** Which move a reply settles on: what the honesty rule of this domain compares a played move with. */

/** Longest text that is taken for a move, in characters. */
export const LONGEST_MOVE = 20;

/** Anything that looks like a move, in UCI or algebraic notation. */
const MOVE_LIKE =
  /[a-hA-H][1-8][-x]?[a-hA-H][1-8](?:=?[qrbnQRBN])?|[KQRBN][a-h]?[1-8]?x?[a-h][1-8][+#]?|[a-h]x[a-h][1-8](?:=?[QRBN])?[+#]?|O-O(?:-O)?[+#]?|\b[a-h][1-8](?:=[QRBN])?[+#]?/g;

/**
 * The move that `reply` settles on: the content of its last `<move>` tag, opened by the model or by a prefill, else the one
 * move that it names; empty where there is none or several. `identify` gives equal texts for names of one move.
 */
export function settledMove(reply: string, identify: (move: string) => string): string {
  const inTag = taggedText(reply).trim();
  if (inTag !== "" && inTag.length <= LONGEST_MOVE) return inTag;
  const named = namedMoves(reply);
  return new Set(named.map(identify)).size === 1 ? (named[0] ?? "") : "";
}

function taggedText(reply: string): string {
  const close = reply.lastIndexOf("</move>");
  const open = reply.lastIndexOf("<move>", close < 0 ? reply.length : close);
  if (open >= 0) return reply.slice(open + "<move>".length, close > open ? close : undefined);
  return close >= 0 ? reply.slice(0, close) : "";
}

/** Everything in `reply` that looks like a move. */
export function namedMoves(reply: string): readonly string[] {
  return reply.match(MOVE_LIKE) ?? [];
}
