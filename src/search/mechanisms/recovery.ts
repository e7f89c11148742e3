/**
 * Mechanisms that change the course of a rollout in code: remind instead of giving up, ask once more at the end, make a
 * fresh attempt, let several attempts vote. Each answer still comes out of the model.
 */
import { insertConstant, renameDeclaration, setConstant } from "../syntax/edit.ts";
import type { TextEdit } from "../syntax/edit.ts";
import type { HarnessTree } from "../syntax/harness-tree.ts";
import { findChats, findPushes, findReturns, textOf, type ChatSite, type ReturnSite } from "../syntax/sites.ts";
import { readMarkers, type Markers } from "./markers.ts";
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
        causes: ["noAnswer", "badAnswer", "noTool", "badCall"],
        edit: (tree) => remind(tree, text, space),
      }),
    ),
    make("ask-at-end", {
      hypothesis: "One last question when the turns are used up gets the answer that is already in view.",
      causes: ["budget", "noAnswer", "truncated"],
      edit: (tree) => askAtEnd(tree, reminders[0] as string, space),
    }),
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

type Loop = { readonly chat: ChatSite; readonly list: string; readonly reply: string; readonly exit: ReturnSite };

/** A loop of turns that leaves by returning an answer read from the reply. */
function findLoop(tree: HarnessTree): Loop | undefined {
  for (const chat of findChats(tree)) {
    if (!chat.loop || chat.reply === undefined || chat.messages.type !== "Identifier") continue;
    const { reply, messages } = chat;
    const mentions = new RegExp(`\\b${reply}\\b`);
    const exit = findReturns(chat.loop).find(({ statement }) => mentions.test(textOf(tree, statement)));
    if (exit) return { chat, list: messages.name, reply, exit };
  }
  return undefined;
}

function remind(tree: HarnessTree, text: string, space: SearchSpace): TextEdit[] | undefined {
  const loop = findLoop(tree);
  const declare = insertConstant(tree, "RETRY_PROMPT", text);
  if (!loop || !declare || tree.source.includes("const given =")) return undefined;
  const { statement } = loop.exit;
  const indent = indentAt(tree, statement.start);
  const value = statement.argument ? textOf(tree, statement.argument) : "undefined";
  const lines = [
    "{",
    `  const given = ${value};`,
    '  if (given !== undefined && given !== null && given !== "") return given;',
    ...(hasReply(loop) ? [] : [`  ${loop.list}.push({ role: "assistant", content: ${loop.reply}.text });`]),
    `  ${loop.list}.push({ role: "user", content: RETRY_PROMPT });`,
    "  continue;",
    "}",
  ];
  return [
    declare,
    { start: statement.start, end: statement.end, text: lines.join(`\n${indent}`) },
    ...moreTurns(tree, space),
  ];
}

function askAtEnd(tree: HarnessTree, text: string, space: SearchSpace): TextEdit[] | undefined {
  const loop = findLoop(tree);
  const declare = insertConstant(tree, "FINAL_PROMPT", text);
  const body = loop?.chat.within.body;
  if (!loop?.chat.loop || !declare || body?.type !== "BlockStatement" || /\blastReply\b/.test(tree.source))
    return undefined;
  if (turnsOf(tree) + 1 > space.limits.turns) return undefined;
  const value = loop.exit.statement.argument;
  const last = body.body.at(-1);
  if (!value || !last || last.start < loop.chat.loop.start) return undefined;
  const answer = textOf(tree, value).replaceAll(new RegExp(`\\b${loop.reply}\\b`, "g"), "lastReply");
  const lines = [
    `${loop.list}.push({ role: "user", content: FINAL_PROMPT });`,
    `const lastReply = await ${textOf(tree, loop.chat.call.callee)}(${loop.list});`,
    `return ${answer};`,
  ].map((line) => `  ${line}`);
  const closing = loop.chat.within.end - 1;
  // A return behind the loop is what the question replaces.
  const start = last.type === "ReturnStatement" ? last.start : closing;
  const end = last.type === "ReturnStatement" ? last.end : closing;
  const block = last.type === "ReturnStatement" ? lines.join("\n").trimStart() : `${lines.join("\n")}\n`;
  return [declare, { start, end, text: block }];
}

const ATTEMPT = (attempt: string): string => `export async function solve(task, env) {
  let answer;
  for (let round = 0; round < ATTEMPTS; round += 1) {
    answer = await ${attempt}(task, env);
    if (answer !== undefined && answer !== null && answer !== "") return answer;
  }
  return answer;
}`;

const VOTE = (attempt: string): string => `export async function solve(task, env) {
  const answers = [];
  for (let round = 0; round < ATTEMPTS; round += 1) {
    const answer = await ${attempt}(task, env);
    if (answer !== undefined && answer !== null && answer !== "") answers.push(answer);
  }
  const votes = (answer) => answers.filter((other) => String(other) === String(answer)).length;
  let best = answers[0];
  for (const answer of answers) if (votes(answer) > votes(best)) best = answer;
  return best;
}`;

/** Tools of a domain whose harness returns nothing have lasting effects, so its rollout cannot start again. */
function repeatSolve(
  tree: HarnessTree,
  write: (attempt: string) => string,
  space: SearchSpace,
): TextEdit[] | undefined {
  const site = tree.functions.get("solve");
  const attempts = Math.min(3, Math.floor(space.limits.turns / turnsOf(tree)));
  const text = site && tree.source.slice(site.start, site.end);
  if (!text || !/\breturn\s+[^;\s]/.test(text) || attempts < 2) return undefined;
  const rename = renameDeclaration(tree, "solve", "attemptOnce");
  const declare = insertConstant(tree, "ATTEMPTS", attempts);
  if (!rename || !declare || /\battemptOnce\b/.test(tree.source)) return undefined;
  const at = site.end;
  return [...rename, declare, { start: at, end: at, text: `\n\n${write("attemptOnce")}` }];
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

function hasReply({ chat, list, exit }: Loop): boolean {
  if (!chat.loop) return false;
  return findPushes(chat.loop).some(
    (push) => push.list === list && push.role === "assistant" && push.content.start < exit.statement.start,
  );
}

function indentAt(tree: HarnessTree, at: number): string {
  const line = tree.source.slice(tree.source.lastIndexOf("\n", at - 1) + 1, at);
  return /^\s*/.exec(line)?.[0] ?? "";
}
