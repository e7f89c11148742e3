/** One cause for each failed rollout, by rule, from its trace. */
import type { DiagnosableTrace } from "../../src/rollout/domain.ts";
import { NOT_THE_MODELS, REPLACED } from "./episode.ts";
import { namedMoves } from "./reply.ts";

/** Every cause, most specific first. */
export const CAUSES = [
  "harness fault", // the harness threw, ran too long or returned what it may not
  "budget spent", // a limit of the rollout was broken
  "provenance", // a move was played on which no reply settles, or one was passed over
  "truncated", // the last reply was cut
  "ambiguous move", // the last reply names several moves, and none was played
  "malformed move", // the last reply holds no move that can be read, but something like one
  "no move", // no reply names a move
  "illegal move",
  "unfinished line", // right so far, then nothing was played
  "wrong move",
] as const;
/** One of `CAUSES`. */
export type Cause = (typeof CAUSES)[number];

/** The cause of a failed rollout; reasons are those of `episode.ts`. */
export function diagnoseRollout(trace: DiagnosableTrace): Cause {
  if (trace.outcome === "limit") return "budget spent";
  if (trace.outcome === "provenance" || [NOT_THE_MODELS, REPLACED].includes(trace.reason)) return "provenance";
  if (trace.outcome !== "judged") return "harness fault";
  if (trace.reason === "wrong move") return "wrong move";
  if (trace.reason === "illegal move") return "illegal move";
  const last = trace.turns.at(-1);
  if (last?.finish === "length" || last?.finish === "context") return "truncated";
  return diagnoseReply(trace, last?.text ?? "");
}

function diagnoseReply(trace: DiagnosableTrace, reply: string): Cause {
  const moves = new Set(namedMoves(reply));
  if (moves.size > 1) return "ambiguous move";
  const played = trace.toolCalls.filter(({ result }) => result.includes('"status":"next"')).length;
  if (moves.size === 1) return isPlainTag(reply) ? "illegal move" : "malformed move";
  if (trace.reason === "malformed move" || reply.includes("<move>")) return "malformed move";
  return played > 0 ? "unfinished line" : "no move";
}

/** A reply in the asked form whose move was not played can only have been refused as illegal. */
function isPlainTag(reply: string): boolean {
  return /<move>[a-h][1-8][a-h][1-8][qrbn]?<\/move>/.test(reply);
}
