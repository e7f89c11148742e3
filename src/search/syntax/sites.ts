/**
 * The places in a harness's control flow that mechanisms look for: model calls, tool calls, message lists, and the loop
 * of `solve`. A hand-written harness without a place simply has none; nothing is guessed.
 */
import type {
  AnyNode,
  ArrayExpression,
  CallExpression,
  Expression,
  Function as FunctionNode,
  IfStatement,
  ObjectExpression,
  ReturnStatement,
} from "acorn";
import { fullAncestor } from "acorn-walk";
import type { HarnessTree } from "./harness-tree.ts";

/** One `env.chat(messages, options)`. */
export type ChatSite = {
  readonly call: CallExpression;
  readonly messages: Expression;
  /** The literal options object, or undefined where none is given. */
  readonly options: ObjectExpression | undefined;
  /** The variable that the awaited reply is bound to. */
  readonly reply: string | undefined;
  /** The innermost loop around it within its function. */
  readonly loop: LoopNode | undefined;
  readonly within: FunctionNode;
};

/** One `env.tools.NAME(...)`. */
export type ToolSite = { readonly call: CallExpression; readonly name: string; readonly within: FunctionNode };

/** A list of messages written out, such as `[{ role: "user", content: ... }]`. */
export type MessageList = {
  readonly array: ArrayExpression;
  readonly items: readonly { readonly node: ObjectExpression; readonly role: string; readonly content: Expression }[];
};

/** A message appended to a list: `messages.push({ role, content })`. */
export type PushSite = { readonly list: string; readonly role: string; readonly content: Expression };

/** An early return in a loop: `if (...) return value;`. */
export type ReturnSite = { readonly branch: IfStatement; readonly statement: ReturnStatement };

type LoopNode = Extract<AnyNode, { type: "ForStatement" | "WhileStatement" | "DoWhileStatement" | "ForOfStatement" }>;

/** The model calls, in source order. */
export function findChats(tree: HarnessTree): ChatSite[] {
  const sites: ChatSite[] = [];
  eachCall(tree, (call, ancestors) => {
    const [messages, options] = call.arguments;
    const within = ancestors.findLast(isFunction);
    if (memberPath(call.callee).at(-1) !== "chat" || !messages || messages.type === "SpreadElement" || !within) return;
    if (options && options.type !== "ObjectExpression") return;
    const inside = ancestors.slice(ancestors.indexOf(within));
    sites.push({ call, messages, options, reply: boundName(ancestors), loop: inside.findLast(isLoop), within });
  });
  return sites;
}

/** The tool calls, in source order. */
export function findTools(tree: HarnessTree): ToolSite[] {
  const sites: ToolSite[] = [];
  eachCall(tree, (call, ancestors) => {
    const path = memberPath(call.callee);
    const within = ancestors.findLast(isFunction);
    const name = path.at(-1);
    if (path.at(-2) === "tools" && name !== undefined && within) sites.push({ call, name, within });
  });
  return sites;
}

/** Every written-out list of messages with at least one message. */
export function findMessageLists(tree: HarnessTree): MessageList[] {
  const lists: MessageList[] = [];
  for (const { node } of nodesUnder(tree.program)) {
    if (node.type !== "ArrayExpression") continue;
    const items = node.elements.flatMap((element) => readMessage(element) ?? []);
    if (items.length > 0) lists.push({ array: node, items });
  }
  return lists.sort((a, b) => a.array.start - b.array.start);
}

/** The messages pushed inside `node`. */
export function findPushes(node: AnyNode): PushSite[] {
  const sites: PushSite[] = [];
  for (const { node: call } of nodesUnder(node)) {
    if (call.type !== "CallExpression") continue;
    const [list, method] = memberPath(call.callee);
    if (method !== "push" || list === undefined) continue;
    for (const argument of call.arguments) {
      const message = readMessage(argument);
      if (message) sites.push({ list, role: message.role, content: message.content });
    }
  }
  return sites.sort((a, b) => a.content.start - b.content.start);
}

/** The guarded returns with a value inside `loop`, not those of functions nested in it. */
export function findReturns(loop: AnyNode): ReturnSite[] {
  const sites: ReturnSite[] = [];
  for (const { node: statement, ancestors } of nodesUnder(loop)) {
    if (statement.type !== "ReturnStatement" || !statement.argument || ancestors.some(isFunction)) continue;
    const parents = ancestors.slice(0, -1);
    const parent = parents.at(-1);
    const branch = parent?.type === "BlockStatement" ? parents.at(-2) : parent;
    if (branch?.type === "IfStatement") sites.push({ branch, statement });
  }
  return sites.sort((a, b) => a.statement.start - b.statement.start);
}

/** The property `name` of an object literal. */
export function findProperty(object: ObjectExpression | undefined, name: string): Expression | undefined {
  for (const property of object?.properties ?? [])
    if (property.type === "Property" && propertyName(property.key) === name) return property.value;
  return undefined;
}

/** Source text of a node. */
export function textOf(tree: HarnessTree, node: { readonly start: number; readonly end: number }): string {
  return tree.source.slice(node.start, node.end);
}

type NodeSite = { readonly node: AnyNode; readonly ancestors: readonly AnyNode[] };

/** Every node under `root` in source order, each with its ancestors, itself last. */
function nodesUnder(root: AnyNode): NodeSite[] {
  const sites: NodeSite[] = [];
  fullAncestor(root, (node, _state, ancestors) => {
    sites.push({ node, ancestors: [...ancestors] });
  });
  return sites.sort((a, b) => a.node.start - b.node.start || b.node.end - a.node.end);
}

function eachCall(tree: HarnessTree, visit: (call: CallExpression, ancestors: readonly AnyNode[]) => void): void {
  for (const { node, ancestors } of nodesUnder(tree.program))
    if (node.type === "CallExpression") visit(node, ancestors);
}

/** `env.tools.run` as ["env", "tools", "run"]; empty for anything else. */
function memberPath(node: AnyNode): string[] {
  if (node.type === "Identifier") return [node.name];
  if (node.type !== "MemberExpression" || node.computed || node.property.type !== "Identifier") return [];
  const left = memberPath(node.object);
  return left.length === 0 ? [] : [...left, node.property.name];
}

function boundName(ancestors: readonly AnyNode[]): string | undefined {
  const parents = ancestors.slice(0, -1);
  const last = parents.at(-1);
  const holder = last?.type === "AwaitExpression" ? parents.at(-2) : last;
  if (holder?.type === "VariableDeclarator" && holder.id.type === "Identifier") return holder.id.name;
  if (holder?.type === "AssignmentExpression" && holder.left.type === "Identifier") return holder.left.name;
  return undefined;
}

function readMessage(node: AnyNode | null): MessageList["items"][number] | undefined {
  if (node?.type !== "ObjectExpression") return undefined;
  const role = findProperty(node, "role");
  const content = findProperty(node, "content");
  if (role?.type !== "Literal" || typeof role.value !== "string" || !content) return undefined;
  return { node, role: role.value, content };
}

function propertyName(key: AnyNode): string | undefined {
  if (key.type === "Identifier") return key.name;
  return key.type === "Literal" ? String(key.value) : undefined;
}

function isFunction(node: AnyNode): node is FunctionNode & AnyNode {
  return (
    node.type === "FunctionDeclaration" || node.type === "FunctionExpression" || node.type === "ArrowFunctionExpression"
  );
}

function isLoop(node: AnyNode): node is LoopNode {
  return (
    node.type === "ForStatement" ||
    node.type === "WhileStatement" ||
    node.type === "DoWhileStatement" ||
    node.type === "ForOfStatement"
  );
}
