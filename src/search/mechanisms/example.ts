/**
 * Worked examples: an accepted rollout of a training task, shown to the model as earlier turns of the chat or as text in
 * a prompt. The example is what the policy and the tools really said; nothing is written by hand.
 */
import type { RolloutTrace, TraceStep } from "../../rollout/trace.ts";
import { formatLiteral, insertSource, replaceFunction, setConstant, type TextEdit } from "../syntax/edit.ts";
import type { HarnessTree } from "../syntax/harness-tree.ts";
import { findMessageLists } from "../syntax/sites.ts";
import { matchAxis, matchCauses, type Mechanism, type MechanismContext, type SearchSpace } from "./mechanism.ts";

/** Longest example, in characters; a tiny model's context is short. */
const LONGEST_EXAMPLE = 600;

type ChatStep = Extract<TraceStep, { readonly kind: "chat" }>;
type Message = ChatStep["messages"][number];

/** Worked-example mechanisms. */
export function exampleMechanisms(space: SearchSpace): Mechanism[] {
  const axis = matchAxis(space.axes, "example", "prompt");
  if (axis === undefined) return [];
  const addresses = matchCauses(space.causes, "noTool", "badCall", "toolError", "noAnswer", "badAnswer", "wrong");
  const hypothesis = "A solved task of the training set, shown first, teaches the form by example.";
  return [
    { name: "worked-example", axis, addresses, hypothesis, promptOnly: false, edit: showAsTurns },
    { name: "example-text", axis, addresses, hypothesis, promptOnly: true, edit: showAsText },
  ];
}

/**
 * The conversation of a solved rollout from its question on: what was asked, said and observed. Undefined where the
 * rollout failed, its history was rewritten, or it never answered.
 */
function readExample(trace: RolloutTrace): readonly Message[] | undefined {
  if (!(trace.reward > 0.5) || trace.outcome !== "judged") return undefined;
  const chats = trace.steps.filter((step): step is ChatStep => step.kind === "chat");
  const [first, last] = [chats[0], chats.at(-1)];
  if (!first || !last) return undefined;
  const extendsFirst = first.messages.every(({ content }, i) => last.messages[i]?.content === content);
  const question = first.messages.findLast(({ role }) => role === "user");
  if (!question || !extendsFirst) return undefined;
  const { prefill, text } = last;
  const reply: Message = { role: "assistant", content: prefill + text };
  return [question, ...last.messages.slice(first.messages.length), reply];
}

/** One of the shortest examples, those that show a tool call before those that do not. */
function pickExample({ examples, random }: MechanismContext): readonly Message[] | undefined {
  const readable = examples.flatMap((trace) => {
    const messages = readExample(trace);
    if (!messages || sizeOf(messages) > LONGEST_EXAMPLE) return [];
    return [{ messages, usesTool: trace.steps.some((step) => step.kind === "tool" && step.ok) }];
  });
  const shown = readable.some(({ usesTool }) => usesTool) ? readable.filter(({ usesTool }) => usesTool) : readable;
  const shortest = shown.sort((a, b) => sizeOf(a.messages) - sizeOf(b.messages)).slice(0, 5);
  return shortest.length === 0 ? undefined : random.pick(shortest).messages;
}

function showAsTurns(tree: HarnessTree, context: MechanismContext): TextEdit[] | undefined {
  const example = pickExample(context);
  if (!example) return undefined;
  const rows = example.map(({ role, content }) => `{ role: "${role}", content: ${formatLiteral(content)} },\n`);
  if (tree.functions.get("exampleMessages")?.params.length === 0) {
    const body = `return [\n${rows.map((row) => `    ${row}`).join("")}  ];`;
    const edit = replaceFunction(tree, "exampleMessages", `function exampleMessages() {\n  ${body}\n}`);
    return edit && [edit];
  }
  const list = findMessageLists(tree).find(({ items }) => items.some(({ role }) => role === "user"));
  const user = list?.items.findLast(({ role }) => role === "user");
  if (!user) return undefined;
  const declare = insertSource(tree, "EXAMPLE", `[\n${rows.map((row) => `  ${row}`).join("")}]`);
  const at = user.node.start;
  return declare && [declare, { start: at, end: at, text: "...EXAMPLE, " }];
}

function showAsText(tree: HarnessTree, context: MechanismContext): TextEdit[] | undefined {
  const example = pickExample(context);
  const holder = [...tree.constants.values()].find(({ name }) => name === "SYSTEM_PROMPT") ?? promptWithQuestion(tree);
  if (!example || typeof holder?.value !== "string" || holder.value.includes("Example:")) return undefined;
  // The question's own placeholder must not be filled inside the example.
  const text = example.map(({ content }) => content.replaceAll(/[{](?=[a-z]+[}])/g, "{ ")).join("\n");
  const isSystem = holder.name === "SYSTEM_PROMPT";
  const joined = isSystem ? `${holder.value}\nExample:\n${text}` : `Example:\n${text}\n\n${holder.value}`;
  const edit = setConstant(tree, holder.name, joined.trimStart());
  return edit && [edit];
}

function promptWithQuestion(tree: HarnessTree): { readonly name: string; readonly value: string | number } | undefined {
  return [...tree.constants.values()].find(({ value }) => typeof value === "string" && /\{[a-z]+\}/.test(value));
}

function sizeOf(messages: readonly Message[]): number {
  return messages.reduce((all, { content }) => all + content.length, 0);
}
