/**
 * Mechanisms that play a task more than once within the rollout's budget: a fresh attempt where the first gave no answer,
 * and a vote among attempts. An attempt that would break a limit ends quietly, since a broken limit loses the rollout.
 */
import { insertConstant, renameDeclaration, type TextEdit } from "../syntax/edit.ts";
import type { HarnessTree } from "../syntax/harness-tree.ts";
import { answerKeyEdits } from "./answer-key.ts";
import { matchAxis, matchCauses, type Mechanism, type SearchSpace } from "./mechanism.ts";

/** Most attempts at a task. */
const MOST_ATTEMPTS = 3;

/** The repetition mechanisms. */
export function attemptMechanisms(space: SearchSpace): Mechanism[] {
  const axis = matchAxis(space.axes, "retry", "turns");
  if (axis === undefined) return [];
  const fresh = matchCauses(space.causes, "noAnswer", "badAnswer", "truncated", "toolError", "badCall", "budget");
  const vote = matchCauses(space.causes, "wrong", "noAnswer", "badAnswer");
  return [
    {
      name: "fresh-attempts",
      axis,
      addresses: fresh,
      hypothesis: "A fresh attempt when the first ends without an answer costs little and often works.",
      promptOnly: false,
      edit: (tree) => repeatSolve(tree, FRESH, space),
    },
    {
      name: "vote",
      axis,
      addresses: vote,
      hypothesis: "The answer that several independent attempts agree on is right more often than one alone.",
      promptOnly: false,
      edit: (tree) => repeatSolve(tree, VOTE, space),
    },
  ];
}

const BOUNDED = `// One attempt; "" where the budget of the rollout ran out in it.
async function boundedAttempt(task, env) {
  const guard = (isLeft, call) => (...args) => {
    if (!isLeft()) throw OUT_OF_BUDGET;
    return call(...args);
  };
  const chat = guard(() => env.budget.turns > 0 && env.budget.tokens > 0, env.chat);
  const tools = {};
  for (const name of Object.keys(env.tools)) tools[name] = guard(() => env.budget.toolCalls > 0, env.tools[name]);
  try {
    return await attemptOnce(task, { chat, tools, note: env.note, get budget() { return env.budget; } });
  } catch (error) {
    if (error === OUT_OF_BUDGET) return "";
    throw error;
  }
}`;

const FRESH = `export async function solve(task, env) {
  let answer = "";
  for (let round = 0; round < ATTEMPTS && answerKey(answer) === ""; round += 1) answer = await boundedAttempt(task, env);
  return answer;
}`;

const VOTE = `export async function solve(task, env) {
  const answers = [];
  for (let round = 0; round < ATTEMPTS; round += 1) {
    const answer = await boundedAttempt(task, env);
    if (answerKey(answer) !== "") answers.push(answer);
  }
  const votes = (answer) => answers.filter((other) => answerKey(other) === answerKey(answer)).length;
  return answers.reduce((best, answer) => (votes(answer) > votes(best) ? answer : best), answers[0] ?? "");
}`;

/** Tools of a domain whose harness returns nothing have lasting effects, so its rollout cannot start again. */
function repeatSolve(tree: HarnessTree, solve: string, space: SearchSpace): TextEdit[] | undefined {
  const site = tree.functions.get("solve");
  const text = site && tree.source.slice(site.start, site.end);
  const attempts = Math.min(MOST_ATTEMPTS, space.limits.turns);
  if (!text || !/\breturn\s+[^;\s]/.test(text) || attempts < 2) return undefined;
  const rename = renameDeclaration(tree, "solve", "attemptOnce");
  const count = insertConstant(tree, "ATTEMPTS", attempts);
  const sentinel = insertConstant(tree, "OUT_OF_BUDGET", "the budget of the rollout is spent");
  const helper = answerKeyEdits(tree, space);
  if (!rename || !count || !sentinel || !helper || tree.source.includes("boundedAttempt")) return undefined;
  const added = { start: site.end, end: site.end, text: `\n\n${BOUNDED}\n\n${solve}` };
  return [...rename, count, sentinel, ...helper, added];
}
