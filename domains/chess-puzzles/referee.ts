/**
 * What becomes of a move that a harness plays: chess.js decides whether it is legal and whether it mates.
 *
 * A move is read in UCI or in standard algebraic notation, as the model wrote it, so that a harness need not translate.
 */
import { Chess } from "chess.js";

/** A move as the rules see it. */
export type Ruling =
  | { readonly kind: "malformed" | "illegal" }
  | { readonly kind: "legal"; readonly uci: string; readonly fen: string; readonly isMate: boolean };

const UCI = /^([a-h][1-8])[-x]?([a-h][1-8])=?([qrbn])?$/i;
const SAN = /^(?:[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](?:=?[QRBN])?|O-O(?:-O)?)[+#]?$/;

/** Rulings by position and move; puzzles are played many times over. */
const known = new Map<string, Ruling>();
const MOST_KNOWN = 20_000;

/** Rules on `text` as a move in the position `fen`. */
export function ruleMove(fen: string, text: string): Ruling {
  const key = `${fen}|${text}`;
  let ruling = known.get(key);
  if (ruling === undefined) {
    ruling = findRuling(fen, text);
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(key, ruling);
  }
  return ruling;
}

function findRuling(fen: string, text: string): Ruling {
  const written = text.trim().replace(/[!?]+$/, "");
  const squares = UCI.exec(written);
  if (!squares && !SAN.test(written)) return { kind: "malformed" };
  const [, from = "", to = "", promotion] = squares ?? [];
  const piece = promotion === undefined ? {} : { promotion: promotion.toLowerCase() };
  const game = new Chess(fen, { skipValidation: true });
  try {
    const move = game.move(squares ? { from: from.toLowerCase(), to: to.toLowerCase(), ...piece } : written);
    return { kind: "legal", uci: move.lan, fen: move.after, isMate: game.isCheckmate() };
  } catch {
    return { kind: "illegal" };
  }
}
