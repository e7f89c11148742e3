/**
 * Mechanisms that change the course of a rollout in code: remind instead of giving up, make a
 * fresh attempt, let several attempts vote. Each answer still comes out of the model.
 */
import { formatLiteral, insertConstant, insertFunction, renameDeclaration, setConstant } from "../syntax/edit.ts";
import type { TextEdit } from "../syntax/edit.ts";
import type { HarnessTree } from "../syntax/harness-tree.ts";
import { findChats, findPushes, findReturns, textOf, type ChatSite, type ReturnSite } from "../syntax/sites.ts";
import { readMarkers, type Markers } from "./markers.ts";
import { phraseCauses } from "./phrases.ts";
import { matchAxis, matchCauses, type CauseKind, type Mechanism, type SearchSpace } from "./mechanism.ts";

/** The recovery mechanisms that fit a domain's limits. */
export function recoveryMechanisms(space: SearchSpace): Mechanism[] {
  const axis = matchAxis(space.axes, "retry", "turns");
  if (axis === undefined) return [];
  const reminders = reminderTexts(space);
  const make = (name: string, idea: Idea): Mechanism => {
    const { hypothesis, causes, edit } = idea;
    return { name, axis, hypothesis, edit, addresses: matchCauses(space.causes, ...causes), promptOnly: false };
  };
  return [
    ...reminders.map((text, index) =>
      make(`remind:${String(index)}`, {
        hypothesis: "Reminding the model of the form instead of ending without an answer gives it a second chance.",
        causes: phraseCauses("RETRY_PROMPT", text, readMarkers(space.seedHarness)),
        edit: (tree) => remind(tree, text, space),
      }),
    ),
    make("fresh-attempts", {
      hypothesis: "A fresh attempt when the first ends without an answer costs little and often works.",
      causes: ["noAnswer", "badAnswer", "truncated", "toolError", "badCall", "budget"],
      edit: (tree) => repeatSolve(tree, ATTEMPT, space),
    }),
    make("vote", {
      hypothesis: "The answer that several independent attempts agree on is right more often than one alone.",
      causes: ["wrong", "noAnswer", "badAnswer"],
      edit: (tree) => repeatSolve(tree, VOTE, space),
    }),
  ];
}

type Idea = Pick<Mechanism, "hypothesis" | "edit"> & { readonly causes: readonly CauseKind[] };

/** The domain's own reminders, or one made from its markers. */
function reminderTexts(space: SearchSpace): string[] {
  const fromBank = Object.entries(space.phrases).flatMap(([name, phrases]) =>
    /RETRY|REMIND|NUDGE/.test(name) ? phrases : [],
  );
  const texts = fromBank.filter((text) => text !== "" && !/\{[a-zA-Z]+\}/.test(text.replaceAll("\\boxed{", "")));
  return texts.length > 0 ? texts : [reminderFrom(readMarkers(space.seedHarness))];
}

function reminderFrom({ tool, answer }: Markers): string {
  const parts = [
    ...(tool ? [`use ${tool.open}...${tool.close}`] : []),
    ...(answer ? [`give the final answer in ${answer.open}...${answer.close}`] : ["give the final answer"]),
  ];
  const text = parts.join(" or ");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

type Loop = {
  readonly chat: ChatSite;
  readonly list: string;
  /** The expression that holds the whole reply. */
  readonly reply: string;
  /** Whether the reply is in the list where the loop leaves. */
  readonly isListed: boolean;
  readonly exit: ReturnSite;
};

/** A loop of turns over a list of messages that leaves by returning an answer. */
function findLoop(tree: HarnessTree): Loop | undefined {
  for (const chat of findChats(tree)) {
    if (!chat.loop || chat.reply === undefined || chat.messages.type !== "Identifier") continue;
    const exit = findReturns(chat.loop).find(({ statement }) => statement.start > chat.call.end);
    if (!exit) continue;
    const list = chat.messages.name;
    const push = findPushes(chat.loop).find((site) => site.list === list && site.role === "assistant");
    const isNamed = push?.content.type === "Identifier";
    const reply = push && isNamed ? textOf(tree, push.content) : `${chat.reply}.text`;
    return { chat, list, reply, isListed: push !== undefined && push.content.start < exit.statement.start, exit };
  }
  return undefined;
}

function remind(tree: HarnessTree, text: string, space: SearchSpace): TextEdit[] | undefined {
  const loop = findLoop(tree);
  const declare = insertConstant(tree, "RETRY_PROMPT", text);
  const helper = answerKeyEdits(tree, space);
  if (!loop || !declare || !helper) return undefined;
  const { statement } = loop.exit;
  const indent = indentAt(tree, statement.start);
  const value = statement.argument ? textOf(tree, statement.argument) : "undefined";
  const lines = [
    "{",
    `  const given = ${value};`,
    // One reminder, so that a harness whose loop is bounded by this very return still ends.
    `  const isReminded = ${loop.list}.some((message) => message.content === RETRY_PROMPT);`,
    '  if (answerKey(given) !== "" || isReminded) return given;',
    ...(loop.isListed ? [] : [`  ${loop.list}.push({ role: "assistant", content: ${loop.reply} });`]),
    `  ${loop.list}.push({ role: "user", content: RETRY_PROMPT });`,
    "  continue;",
    "}",
  ];
  const block = { start: statement.start, end: statement.end, text: lines.join(`\n${indent}`) };
  return [declare, ...helper, block, ...moreTurns(tree, space)];
}

/** Declares `answerKey` unless an earlier mechanism did. */
function answerKeyEdits(tree: HarnessTree, space: SearchSpace): TextEdit[] | undefined {
  if (tree.functions.has("answerKey")) return [];
  const edit = insertFunction(tree, answerKey(space));
  return edit && [edit];
}

/** Source of `answerKey`: what an answer says, or "" where there is none. */
function answerKey(space: SearchSpace): string {
  const { answer, returnsReply } = readMarkers(space.seedHarness);
  const head = 'function answerKey(answer) {\n  const text = String(answer ?? "");\n';
  if (!answer || !returnsReply) return `${head}  return text.trim();\n}`;
  const [open, close] = [formatLiteral(answer.open), formatLiteral(answer.close)];
  return `${head}  const start = text.lastIndexOf(${open});
  const end = text.indexOf(${close}, start);
  return start < 0 || end < 0 ? "" : text.slice(start + ${String(answer.open.length)}, end).trim();
}`;
}

const ATTEMPT = `export async function solve(task, env) {
  let answer = await attemptOnce(task, env);
  for (let round = 1; round < ATTEMPTS && answerKey(answer) === "" && env.budget.turns >= ATTEMPT_TURNS; round += 1)
    answer = await attemptOnce(task, env);
  return answer;
}`;

const VOTE = `export async function solve(task, env) {
  const answers = [await attemptOnce(task, env)];
  while (answers.length < ATTEMPTS && env.budget.turns >= ATTEMPT_TURNS && env.budget.tokens >= ATTEMPT_TOKENS)
    answers.push(await attemptOnce(task, env));
  const votes = (answer) => answers.filter((other) => answerKey(other) === answerKey(answer)).length;
  const given = answers.filter((answer) => answerKey(answer) !== "");
  return given.reduce((best, answer) => (votes(answer) > votes(best) ? answer : best), given[0] ?? answers[0]);
}`;

/** Tools of a domain whose harness returns nothing have lasting effects, so its rollout cannot start again. */
function repeatSolve(tree: HarnessTree, solve: string, space: SearchSpace): TextEdit[] | undefined {
  const site = tree.functions.get("solve");
  const turns = turnsOf(tree);
  const attempts = Math.min(3, Math.floor(space.limits.turns / turns));
  const tokens = Math.floor(space.limits.tokens / Math.max(1, attempts));
  const text = site && tree.source.slice(site.start, site.end);
  if (!text || !/\breturn\s+[^;\s]/.test(text) || attempts < 2) return undefined;
  const rename = renameDeclaration(tree, "solve", "attemptOnce");
  const settings = [
    insertConstant(tree, "ATTEMPTS", attempts),
    insertConstant(tree, "ATTEMPT_TURNS", turns),
    ...(solve.includes("ATTEMPT_TOKENS") ? [insertConstant(tree, "ATTEMPT_TOKENS", tokens)] : []),
  ].filter((edit) => edit !== undefined);
  const helper = answerKeyEdits(tree, space);
  if (!rename || !helper || settings.length < 2 || /\bATTEMPTS\b/.test(tree.source)) return undefined;
  return [...rename, ...settings, ...helper, { start: site.end, end: site.end, text: `\n\n${solve}` }];
}

/** Turns of one `solve` as its constant says; 2 where none does. */
function turnsOf(tree: HarnessTree): number {
  const site = [...tree.constants.values()].find(({ name }) => name.includes("TURN"));
  return typeof site?.value === "number" ? Math.max(1, site.value) : 2;
}

function moreTurns(tree: HarnessTree, space: SearchSpace): TextEdit[] {
  const site = [...tree.constants.values()].find(({ name }) => name.includes("TURN"));
  if (typeof site?.value !== "number" || site.value >= space.limits.turns) return [];
  const edit = setConstant(tree, site.name, site.value + 1);
  return edit ? [edit] : [];
}

function indentAt(tree: HarnessTree, at: number): string {
  const line = tree.source.slice(tree.source.lastIndexOf("\n", at - 1) + 1, at);
  return /^\s*/.exec(line)?.[0] ?? "";
}
