/**
 * Mechanisms over what the model reads after a tool call: a reminder behind the result, the question said again, and the
 * question put into the call itself.
 */
import { formatLiteral, type TextEdit } from "../syntax/edit.ts";
import type { HarnessTree } from "../syntax/harness-tree.ts";
import { findChats, findPushes, findTools, textOf } from "../syntax/sites.ts";
import { readMarkers } from "./markers.ts";
import { matchAxis, matchCauses, type Mechanism, type SearchSpace } from "./mechanism.ts";

/** Reminder, state-line and query mechanisms. */
export function feedbackMechanisms(space: SearchSpace): Mechanism[] {
  const { answer } = readMarkers(space.seedHarness);
  const mechanisms: Mechanism[] = [];
  const observation = matchAxis(space.axes, "observation", "retry");
  if (observation !== undefined && answer)
    mechanisms.push({
      name: "observation-reminder",
      axis: observation,
      addresses: matchCauses(space.causes, "noAnswer", "badAnswer", "budget"),
      hypothesis: `Saying after each result how to answer gets the answer into ${answer.open}${answer.close}.`,
      promptOnly: false,
      edit: (tree) =>
        appendToResult(tree, formatLiteral(`\nGive the final answer in ${answer.open}...${answer.close}.`)),
    });
  const state = matchAxis(space.axes, "state", "observation", "retry");
  if (state !== undefined)
    mechanisms.push({
      name: "repeat-question",
      axis: state,
      addresses: matchCauses(space.causes, "wrong", "noAnswer"),
      hypothesis: "Saying the question again behind each result keeps a small model on it.",
      promptOnly: false,
      edit: (tree) => {
        const question = questionOf(tree);
        return question === undefined ? undefined : appendToResult(tree, `"\\nQuestion: " + ${question}`);
      },
    });
  const query = matchAxis(space.axes, "query");
  if (query !== undefined)
    mechanisms.push({
      name: "question-in-query",
      axis: query,
      addresses: matchCauses(space.causes, "notFound", "wrong"),
      hypothesis: "Words of the question in the query find passages that the model's own query misses.",
      promptOnly: false,
      edit: addQuestionToQuery,
    });
  return mechanisms;
}

/** Adds the expression `text` to the user message that the loop of turns sends after a reply. */
function appendToResult(tree: HarnessTree, text: string): TextEdit[] | undefined {
  const chat = findChats(tree).find(({ loop }) => loop !== undefined);
  const isInLoop = ({ start }: { readonly start: number }): boolean => start > (chat?.call.end ?? Infinity);
  const push = chat?.loop && findPushes(chat.loop).find(({ role, content }) => role === "user" && isInLoop(content));
  if (!push || findTools(tree).length === 0 || textOf(tree, push.content).includes(text)) return undefined;
  const { start, end, type } = push.content;
  // A lower operator, such as a condition, would swallow the addition.
  const binds = ["Identifier", "CallExpression", "MemberExpression", "TemplateLiteral", "Literal", "AwaitExpression"];
  const isPlus = push.content.type === "BinaryExpression" && push.content.operator === "+";
  if (binds.includes(type) || isPlus) return [{ start: end, end, text: ` + ${text}` }];
  return [
    { start, end: start, text: "(" },
    { start: end, end, text: `) + ${text}` },
  ];
}

/** The expression by which `solve` names the question, such as `task.question`. */
function questionOf(tree: HarnessTree): string | undefined {
  const task = tree.functions.get("solve")?.params[0];
  return task ? new RegExp(`\\b${task}\\.[a-zA-Z]+`).exec(tree.source)?.[0] : undefined;
}

function addQuestionToQuery(tree: HarnessTree): TextEdit[] | undefined {
  const question = questionOf(tree);
  const solve = tree.functions.get("solve");
  const tool = findTools(tree).find(({ name }) => /search|find|query|lookup/i.test(name));
  const [argument] = tool?.call.arguments ?? [];
  if (question === undefined || !solve || !tool || argument?.type !== "Identifier") return undefined;
  if (argument.start < solve.start || argument.end > solve.end) return undefined;
  return [{ start: argument.end, end: argument.end, text: ` + " " + ${question}` }];
}
