/**
 * The domain search-qa: questions whose answers stand in a corpus, a tool that searches it, and an exact-match verifier.
 * Limits are those of the toy; real checkpoints get theirs from an experiment's settings.
 */
import { TaskError } from "../../src/base/errors.ts";
import { isJsonArray, isJsonObject } from "../../src/base/json.ts";
import type { Domain, Episode, LoadedTasks, LoadOptions, Task, Verdict } from "../../src/rollout/domain.ts";
import { takeNeeded } from "../shared/splits.ts";
import { CAUSES, diagnoseRollout } from "./diagnose.ts";
import { GUIDE } from "./guide.ts";
import { createLibrary, NO_LIBRARY, type Library } from "./library.ts";
import { readTasks } from "./load.ts";
import { loadRealTasks } from "./real-tasks.ts";
import { drawNullReply } from "./null-reply.ts";
import { PHRASES } from "./phrases.ts";
import { createSearchTool } from "./search-tool.ts";
import { PASSAGE_TOKENS, seedHarness } from "./seed-harness.ts";
import { generateTasks } from "./toy/tasks.ts";
import { DEFAULT_TIER, TIERS } from "./toy/tiers.ts";
import { SEARCH_VARIANTS } from "./variants-search.ts";
import { TALK_VARIANTS } from "./variants-talk.ts";
import { claimAnswer, judgeAnswer, type SeenPassage } from "./verify.ts";

/** The domain, as registered on the command line; `load` gives it bound to the corpus of its tasks. */
export const searchQa: Domain = bindDomain(NO_LIBRARY, PASSAGE_TOKENS.toy);

function bindDomain(library: Library, passageTokens: number): Domain {
  return {
    name: "search-qa",
    title: "Question answering with search",
    tiers: TIERS,
    defaultTier: DEFAULT_TIER,
    limits: { tokens: 96, turns: 6, toolCalls: 6, fuel: 500, memory: 16 * 1024 * 1024 },
    seedHarness: seedHarness(passageTokens),
    axes: [
      "prompt text",
      "worked example",
      "query rewriting",
      "retrieval parameters",
      "observation format",
      "state line",
      "retry",
      "turn budget",
      "prefill",
      "answer parsing",
    ],
    guide: GUIDE,
    phrases: PHRASES,
    variants: [...SEARCH_VARIANTS, ...TALK_VARIANTS],
    causes: CAUSES,
    diagnose: diagnoseRollout,
    read: readTasks,
    load: loadSearchTasks,
    open: (task) => openEpisode(task, library),
    playAnswer,
    nullReply: drawNullReply,
  };
}

async function loadSearchTasks(options: LoadOptions): Promise<LoadedTasks> {
  const { data, embed } = options;
  const loaded = data ? await loadRealTasks(data, options) : { ...generateTasks(options), skipped: [] };
  const tasks = takeNeeded("search-qa", loaded.tasks, options);
  const library = await createLibrary(loaded.corpora, embed);
  return {
    tasks,
    skipped: loaded.skipped,
    domain: bindDomain(library, data ? PASSAGE_TOKENS.real : PASSAGE_TOKENS.toy),
  };
}

function openEpisode(task: Task, library: Library): Episode {
  const { answers, corpus } = readGold(task);
  let seen: SeenPassage[] | undefined;
  const search = async (args: Parameters<ReturnType<typeof createSearchTool>>[0]) =>
    createSearchTool(await library.index(corpus), (passages) => {
      seen = [...(seen ?? []), ...passages];
    })(args);
  return {
    tools: { search },
    judge: (end) => judgeAnswer(end.returned, answers, seen),
    claims: claimAnswer,
  };
}

function playAnswer(task: Task, answer: "gold" | "corrupted"): Promise<Verdict> {
  const { answers } = readGold(task);
  // The first answer with a word in front that no normalisation takes away; an alias could still equal it.
  const given = answer === "gold" ? (answers[0] ?? "") : `corrupted ${answers[0] ?? ""}`;
  const text = `<answer>${given}</answer>`;
  return Promise.resolve(judgeAnswer(text, answers, undefined));
}

type Gold = { readonly answers: readonly string[]; readonly corpus: string };

function readGold(task: Task): Gold {
  const gold = isJsonObject(task.gold) ? task.gold : {};
  const answers = isJsonArray(gold["answers"]) ? gold["answers"].filter((text) => typeof text === "string") : [];
  if (answers.length === 0) throw new TaskError(`search-qa: task ${task.id} has no gold answer`);
  return { answers, corpus: typeof gold["corpus"] === "string" ? gold["corpus"] : "" };
}
