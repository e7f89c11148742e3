/**
 * The domain math-reasoning: questions with an exact answer, a tool that runs JavaScript, and a `\boxed{}` verifier. Limits
 * are those of the toy; real checkpoints get theirs from an experiment's settings.
 */
import type {
  Domain,
  Episode,
  EpisodeContext,
  LoadedTasks,
  LoadOptions,
  Task,
  Verdict,
} from "../../src/rollout/domain.ts";
import { isJsonObject } from "../../src/base/json.ts";
import { TaskError } from "../../src/base/errors.ts";
import { collectTasks } from "../shared/collect.ts";
import { takeNeeded } from "../shared/splits.ts";
import { CAUSES, diagnoseRollout } from "./diagnose.ts";
import { GUIDE } from "./guide.ts";
import { readTasks } from "./load.ts";
import { drawNullReply } from "./null-reply.ts";
import { PHRASES } from "./phrases.ts";
import { createRunTool } from "./run-tool.ts";
import { SEED_HARNESS } from "./seed-harness.ts";
import { DEFAULT_TIER, generateTasks } from "./tasks.ts";
import { TIERS } from "./template.ts";
import { CODE_VARIANTS } from "./variants-code.ts";
import { TALK_VARIANTS } from "./variants-talk.ts";
import { claimAnswer, judgeAnswer } from "./verify.ts";

/** The domain, as registered on the command line. */
export const mathReasoning: Domain = {
  name: "math-reasoning",
  title: "Mathematical reasoning with code",
  tiers: TIERS,
  defaultTier: DEFAULT_TIER,
  limits: { tokens: 80, turns: 8, toolCalls: 8, fuel: 500, memory: 16 * 1024 * 1024 },
  seedHarness: SEED_HARNESS,
  axes: [
    "prompt text",
    "worked example",
    "code normalisation",
    "tool feedback",
    "retry",
    "turn budget",
    "prefill",
    "answer parsing",
  ],
  guide: GUIDE,
  phrases: PHRASES,
  variants: [...CODE_VARIANTS, ...TALK_VARIANTS],
  causes: CAUSES,
  diagnose: diagnoseRollout,
  read: readTasks,
  load: loadMathTasks,
  open: openEpisode,
  playAnswer,
  nullReply: drawNullReply,
};

async function loadMathTasks(options: LoadOptions): Promise<LoadedTasks> {
  const { data } = options;
  const loaded = data ? await collectTasks(data, readTasks(data), options) : generateTasks(options);
  return { ...loaded, tasks: takeNeeded("math-reasoning", loaded.tasks, options), domain: mathReasoning };
}

function openEpisode(task: Task, context: EpisodeContext): Episode {
  const gold = goldAnswer(task);
  return {
    tools: { run: createRunTool(context) },
    judge: (end) => judgeAnswer(end.returned, gold),
    claims: claimAnswer,
  };
}

function playAnswer(task: Task, answer: "gold" | "corrupted", context: EpisodeContext): Promise<Verdict> {
  const gold = goldAnswer(task);
  // One more digit makes another number of any number, and another text of any text.
  const text = `\\boxed{${answer === "gold" ? gold : `${gold}1`}}`;
  return Promise.resolve(openEpisode(task, context).judge({ returned: text, sampled: [text] }));
}

function goldAnswer(task: Task): string {
  const answer = isJsonObject(task.gold) ? task.gold["answer"] : undefined;
  if (typeof answer !== "string") throw new TaskError(`math-reasoning: task ${task.id} has no gold answer`);
  return answer;
}
