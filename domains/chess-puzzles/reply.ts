/** Which move a reply ends with: what the honesty rule of this domain compares a played move with. */

/** Anything that looks like a move, in UCI or algebraic notation. */
const MOVE_LIKE =
  /[a-hA-H][1-8][-x]?[a-hA-H][1-8](?:=?[qrbnQRBN])?|[KQRBN][a-h]?[1-8]?x?[a-h][1-8][+#]?|[a-h]x[a-h][1-8](?:=?[QRBN])?[+#]?|O-O(?:-O)?[+#]?|\b[a-h][1-8](?:=[QRBN])?[+#]?/g;

/**
 * The final move of `reply`: the content of its last `<move>` tag, opened by the model or by a prefill, else the last text
 * that looks like a move; empty where there is none.
 */
export function finalMove(reply: string): string {
  const close = reply.lastIndexOf("</move>");
  const open = reply.lastIndexOf("<move>", close < 0 ? reply.length : close);
  const tagged =
    open >= 0 ? reply.slice(open + 6, close > open ? close : undefined) : close >= 0 ? reply.slice(0, close) : "";
  const inTag = tagged.trim();
  if (inTag !== "" && inTag.length <= 20) return inTag;
  return reply.match(MOVE_LIKE)?.at(-1) ?? "";
}

/** Everything in `reply` that looks like a move. */
export function namedMoves(reply: string): readonly string[] {
  return reply.match(MOVE_LIKE) ?? [];
}

/** Whether two texts name a move in the same words; decoration and case of squares aside. */
export function isSameText(a: string, b: string): boolean {
  return plain(a) === plain(b) && plain(a) !== "";
}

function plain(text: string): string {
  return text.trim().replace(/[+#!?=]/g, "");
}
