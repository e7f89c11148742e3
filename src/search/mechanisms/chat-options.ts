/**
 * Mechanisms over the model call itself: how the reply begins (prefill), where it stops, and which part of the history
 * the model sees.
 */
import { formatLiteral, insertConstant, insertFunction, type TextEdit } from "../syntax/edit.ts";
import type { HarnessTree } from "../syntax/harness-tree.ts";
import { findChats, findProperty, textOf, type ChatSite } from "../syntax/sites.ts";
import { readMarkers, type Markers } from "./markers.ts";
import { matchAxis, matchCauses, type CauseKind, type Mechanism, type SearchSpace } from "./mechanism.ts";

/** Prefill, stop and compaction mechanisms. */
export function chatMechanisms(space: SearchSpace): Mechanism[] {
  const markers = readMarkers(space.seedHarness);
  const prefillAxis = matchAxis(space.axes, "prefill", "prompt");
  const stopAxis = matchAxis(space.axes, "turns", "parameters", "parsing");
  const historyAxis = matchAxis(space.axes, "history");
  const make = (axis: string | undefined, idea: Idea): Mechanism[] => {
    if (axis === undefined) return [];
    const { name, hypothesis, edit } = idea;
    return [{ name, axis, hypothesis, edit, addresses: matchCauses(space.causes, ...idea.causes), promptOnly: false }];
  };
  return [
    ...prefillIdeas(space, markers).flatMap((idea) => make(prefillAxis, idea)),
    ...(markers.tool ? make(stopAxis, stopIdea(markers.tool.close)) : []),
    ...make(historyAxis, COMPACTION),
  ];
}

/** Puts `name: value` into the options of a chat call; undefined where the option is set. */
function withOption(tree: HarnessTree, chat: ChatSite, option: string): TextEdit | undefined {
  const name = option.slice(0, option.indexOf(":"));
  if (findProperty(chat.options, name)) return undefined;
  if (!chat.options) {
    const at = chat.messages.end;
    return { start: at, end: at, text: `, { ${option} }` };
  }
  const at = chat.options.start + 1;
  const isEmpty = chat.options.properties.length === 0;
  const isTight = /\S/.test(tree.source.charAt(at));
  return { start: at, end: at, text: isEmpty ? ` ${option} ` : ` ${option},${isTight ? " " : ""}` };
}

/** The counter of the loop around a chat call that starts at 0, such as `turn`. */
function loopCounter(chat: ChatSite): string | undefined {
  if (chat.loop?.type !== "ForStatement" || chat.loop.init?.type !== "VariableDeclaration") return undefined;
  const [first] = chat.loop.init.declarations;
  if (first?.id.type !== "Identifier" || first.init?.type !== "Literal" || first.init.value !== 0) return undefined;
  return first.id.name;
}

type Idea = Pick<Mechanism, "name" | "hypothesis" | "edit"> & { readonly causes: readonly CauseKind[] };

type Moment = "first" | "later" | "always";

function prefillIdeas(space: SearchSpace, markers: Markers): Idea[] {
  const fromBank = Object.entries(space.phrases).flatMap(([name, phrases]) => (/PREFILL/.test(name) ? phrases : []));
  const openers = [markers.tool?.open, markers.answer?.open, ...fromBank];
  const texts = new Set(openers.filter((text): text is string => text !== undefined && text !== ""));
  const single = [...texts].flatMap((text) => {
    const isAnswer = markers.answer !== undefined && text.includes(markers.answer.open);
    const moment: Moment = isAnswer ? "later" : "first";
    const causes: CauseKind[] = isAnswer
      ? ["noAnswer", "badAnswer", "truncated", "budget"]
      : ["noTool", "badCall", "noAnswer"];
    return [prefillIdea(text, moment, causes), prefillIdea(text, "always", causes)];
  });
  const { tool, answer } = markers;
  if (!tool || !answer) return single;
  const both: Idea = {
    name: `prefill:first:${tool.open}:later:${answer.open}`,
    hypothesis: `Starting the first reply with ${tool.open} and later ones with ${answer.open} makes the model call the tool, then answer.`,
    causes: ["noTool", "badCall", "noAnswer", "badAnswer"],
    edit: (tree) => {
      const chat = findChats(tree)[0];
      const counter = chat && loopCounter(chat);
      const option =
        chat && withOption(tree, chat, `prefill: ${String(counter)} === 0 ? FIRST_PREFILL : LATER_PREFILL`);
      const first = insertConstant(tree, "FIRST_PREFILL", tool.open);
      const later = insertConstant(tree, "LATER_PREFILL", answer.open);
      return counter !== undefined && option && first && later ? [first, later, option] : undefined;
    },
  };
  return [...single, both];
}

function prefillIdea(text: string, moment: Moment, causes: readonly CauseKind[]): Idea {
  const when = { first: "the first reply", later: "each reply after the first", always: "each reply" }[moment];
  const constant = { first: "FIRST_PREFILL", later: "LATER_PREFILL", always: "PREFILL" }[moment];
  return {
    name: `prefill:${moment}:${text}`,
    hypothesis: `Starting ${when} with ${formatLiteral(text)} keeps the model to the expected form.`,
    causes,
    edit: (tree) => {
      const chat = findChats(tree)[0];
      const counter = chat && loopCounter(chat);
      if (!chat || (moment !== "always" && counter === undefined)) return undefined;
      const test = moment === "first" ? "===" : ">";
      const value = moment === "always" ? constant : `${String(counter)} ${test} 0 ? ${constant} : ""`;
      const option = withOption(tree, chat, `prefill: ${value}`);
      const declare = insertConstant(tree, constant, text);
      return option && declare && [declare, option];
    },
  };
}

function stopIdea(close: string): Idea {
  return {
    name: `stop:${close}`,
    hypothesis: `Stopping the reply at ${close} keeps the model from making up what the tool says.`,
    causes: ["truncated", "wrong", "noAnswer", "budget"],
    edit: (tree) => {
      const edits = findChats(tree).flatMap((chat) => withOption(tree, chat, `stop: [${formatLiteral(close)}]`) ?? []);
      return edits;
    },
  };
}

const COMPACT = `function recentMessages(messages) {
  const start = messages.findIndex((message) => message.role === "assistant");
  if (start < 0 || messages.length - start <= 2) return messages;
  return [...messages.slice(0, start), ...messages.slice(-2)];
}`;

const COMPACTION: Idea = {
  name: "compact-history",
  hypothesis: "Showing the model only the task and the last exchange leaves it less to be confused by.",
  causes: ["truncated", "budget", "wrong"],
  edit: (tree) => {
    const chat = findChats(tree).find(({ loop, messages }) => loop !== undefined && messages.type === "Identifier");
    const declare = insertFunction(tree, COMPACT);
    if (!chat || !declare) return undefined;
    const { start, end } = chat.messages;
    return [declare, { start, end, text: `recentMessages(${textOf(tree, chat.messages)})` }];
  },
};
