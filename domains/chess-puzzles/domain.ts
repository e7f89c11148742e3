/**
 * The domain chess-puzzles: positions with one line to find, a tool that plays moves, and a verifier that wants the whole
 * line. Limits are those of the toy; real checkpoints get theirs from an experiment's settings.
 */
import type { Domain, LoadedTasks, LoadOptions } from "../../src/rollout/domain.ts";
import { collectTasks } from "../shared/collect.ts";
import { takeNeeded } from "../shared/splits.ts";
import { CAUSES, diagnoseRollout } from "./diagnose.ts";
import { openEpisode, playAnswer } from "./episode.ts";
import { GUIDE } from "./guide.ts";
import { readLichess } from "./lichess.ts";
import { drawNullReply } from "./null-reply.ts";
import { PHRASES } from "./phrases.ts";
import { SEED_HARNESS } from "./seed-harness.ts";
import { DEFAULT_TIER, generatePuzzles, TIERS } from "./toy.ts";
import { VARIANTS } from "./variants.ts";

/** The domain, as registered on the command line. */
export const chessPuzzles: Domain = {
  name: "chess-puzzles",
  title: "Chess puzzles",
  tiers: TIERS,
  defaultTier: DEFAULT_TIER,
  limits: { tokens: 64, turns: 8, toolCalls: 8, fuel: 500, memory: 16 * 1024 * 1024 },
  seedHarness: SEED_HARNESS,
  axes: [
    "prompt architecture",
    "observation formatting",
    "parser robustness",
    "retry feedback",
    "history compaction",
    "edge cases",
  ],
  guide: GUIDE,
  phrases: PHRASES,
  variants: VARIANTS,
  causes: CAUSES,
  diagnose: diagnoseRollout,
  read: readLichess,
  load: loadPuzzles,
  open: openEpisode,
  playAnswer,
  nullReply: drawNullReply,
};

async function loadPuzzles(options: LoadOptions): Promise<LoadedTasks> {
  const { data } = options;
  const loaded = data ? await collectTasks(data, readLichess(data), options) : generatePuzzles(options);
  return { ...loaded, tasks: takeNeeded("chess-puzzles", loaded.tasks, options), domain: chessPuzzles };
}
