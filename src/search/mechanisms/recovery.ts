/**
 * Mechanisms that remind the model instead of giving up: where the loop of turns would return without an answer, the
 * harness says once more what is wanted. The answer still comes out of the model.
 */
import { insertConstant, setConstant } from "../syntax/edit.ts";
import type { TextEdit } from "../syntax/edit.ts";
import type { HarnessTree } from "../syntax/harness-tree.ts";
import { findChats, findPushes, findReturns, textOf, type ChatSite, type ReturnSite } from "../syntax/sites.ts";
import { answerKeyEdits } from "./answer-key.ts";
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
