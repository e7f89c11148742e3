/**
 * The pretraining corpus: an endless stream of chats, each a function of (seed, index).
 *
 * The mix follows measurements with a model of this size: look-up chats make half of chess, and copying from the
 * prompt is trained on its own, because every tool answer must be copied.
 */
import { chessTranscript } from "./chess.ts";
import { copyTranscript } from "./copy.ts";
import { createDraw, type Draw, type Transcript } from "./draw.ts";
import { generalTranscript } from "./general.ts";
import { mathTranscript } from "./math.ts";
import { searchTranscript } from "./search.ts";

/** Families in report order. */
export const FAMILIES = ["search", "math", "chess", "copy", "general"] as const;
/** One of `FAMILIES`. */
export type Family = (typeof FAMILIES)[number];

/** Share of each family, by document. */
const MIX: Readonly<Record<Family, number>> = {
  search: 0.32,
  math: 0.25,
  chess: 0.22,
  copy: 0.16,
  general: 0.05,
};

const MAKERS: Readonly<Record<Family, (draw: Draw) => Transcript>> = {
  search: searchTranscript,
  math: mathTranscript,
  chess: chessTranscript,
  copy: copyTranscript,
  general: generalTranscript,
};

/** Chat number `index` of the stream named by `seed`; with `family`, of that family's own stream. */
export function transcriptAt(seed: number, index: number, family?: Family): Transcript {
  const draw = family ? createDraw(seed, family, index) : createDraw(seed, index);
  return MAKERS[family ?? draw.weighted(FAMILIES.map((name) => [MIX[name], name]))](draw);
}

/** Chats from `start` on, without end. */
export function* transcripts(seed: number, start = 0, family?: Family): Generator<Transcript, never> {
  for (let index = start; ; index += 1) yield transcriptAt(seed, index, family);
}
