/**
 * Edits of harness text by source range: whatever lies outside a range stays as the author wrote it.
 *
 * Each function gives a `TextEdit` against one tree, or undefined where the tree lacks the place; edits of one tree are
 * applied together, so that no offset goes stale.
 */
import type { AnyNode } from "acorn";
import { parseHarness, type HarnessTree } from "./harness-tree.ts";

/** Puts `text` in place of the characters [start, end). */
export type TextEdit = { readonly start: number; readonly end: number; readonly text: string };

/**
 * Applies `edits` to `source`; of two insertions at one place the earlier in the list comes first.
 * @throws {RangeError} If two edits overlap, or one lies outside the text.
 */
export function applyEdits(source: string, edits: readonly TextEdit[]): string {
  const sorted = edits.map((edit, order) => ({ ...edit, order }));
  sorted.sort((a, b) => a.start - b.start || a.end - b.end || a.order - b.order);
  let out = "";
  let at = 0;
  for (const { start, end, text } of sorted) {
    if (start < at || end < start || end > source.length)
      throw new RangeError(`applyEdits: edit [${String(start)}, ${String(end)}) overlaps another or leaves the text`);
    out += source.slice(at, start) + text;
    at = end;
  }
  return out + source.slice(at);
}

/** Gives the constant `name` another value; undefined where there is none, or it has that value or another kind. */
export function setConstant(tree: HarnessTree, name: string, value: string | number): TextEdit | undefined {
  const site = tree.constants.get(name);
  if (!site || site.value === value || typeof site.value !== typeof value) return undefined;
  return { start: site.start, end: site.end, text: formatLiteral(value) };
}

/**
 * Puts the function declaration `declaration` in place of the function `name`, whose export it keeps.
 * @throws {HarnessError} If `declaration` does not parse.
 */
export function replaceFunction(tree: HarnessTree, name: string, declaration: string): TextEdit | undefined {
  const site = tree.functions.get(name);
  return site && { start: site.start, end: site.end, text: functionText(declaration) };
}

/**
 * Renames the function `name` where it is declared, not where it is called, so that a new one can take its place and
 * call it. The old one is no longer exported.
 */
export function renameDeclaration(tree: HarnessTree, name: string, to: string): TextEdit[] | undefined {
  const statement = tree.program.body.find((node) => declaredFunction(node) === name);
  if (!statement) return undefined;
  const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
  const id =
    declaration?.type === "FunctionDeclaration"
      ? declaration.id
      : declaration?.type === "VariableDeclaration"
        ? declaration.declarations[0]?.id
        : undefined;
  if (!id || !declaration) return undefined;
  const rename = { start: id.start, end: id.end, text: to };
  if (statement === declaration) return [rename];
  return [{ start: statement.start, end: declaration.start, text: "" }, rename];
}

/** Adds a constant after the last one (or at the top); undefined where the name is taken. */
export function insertConstant(tree: HarnessTree, name: string, value: string | number): TextEdit | undefined {
  return insertSource(tree, name, formatLiteral(value));
}

/** Adds a constant whose initializer is the source text `init`, where `insertConstant` would put it. */
export function insertSource(tree: HarnessTree, name: string, init: string): TextEdit | undefined {
  if (isTaken(tree, name)) return undefined;
  const text = `const ${name} = ${init};`;
  const holders = tree.program.body.filter((node) =>
    [...tree.constants.values()].some((site) => site.start >= node.start && site.end <= node.end),
  );
  const last = holders.at(-1);
  if (last) return insertAfterLine(tree, last, `\n${text}`);
  const first = tree.program.body.find((node) => node.type !== "ImportDeclaration");
  const at = first?.start ?? tree.source.length;
  return { start: at, end: at, text: `${text}\n\n` };
}

/**
 * Adds the function declaration `declaration` ahead of `before`, and ahead of the comments that belong to that; undefined
 * where there is no such function or the new name is taken.
 */
export function insertFunction(tree: HarnessTree, declaration: string, before = "solve"): TextEdit | undefined {
  const text = functionText(declaration);
  const [name] = parseHarness(text).functions.keys();
  const index = tree.program.body.findIndex((node) => declaredFunction(node) === before);
  if (index < 0 || name === undefined || isTaken(tree, name)) return undefined;
  const previous = tree.program.body[index - 1];
  if (previous) return insertAfterLine(tree, previous, `\n\n${text}`);
  const at = (tree.program.body[index] as AnyNode).start;
  return { start: at, end: at, text: `${text}\n\n` };
}

/** Whether a top-level declaration of `name` would clash. */
export function isTaken(tree: HarnessTree, name: string): boolean {
  return new RegExp(`\\b${name}\\b`).test(tree.source);
}

/** JavaScript source of a value. */
export function formatLiteral(value: string | number): string {
  return JSON.stringify(value).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

/** The declaration alone, whatever export or comment stands around it. */
function functionText(declaration: string): string {
  const [site] = parseHarness(declaration).functions.values();
  return site ? declaration.slice(site.start, site.end) : declaration.trim();
}

function declaredFunction(node: AnyNode): string | undefined {
  const declaration = node.type === "ExportNamedDeclaration" ? node.declaration : node;
  if (declaration?.type === "FunctionDeclaration") return declaration.id?.name;
  if (declaration?.type !== "VariableDeclaration") return undefined;
  const [only] = declaration.declarations;
  return only?.id.type === "Identifier" ? only.id.name : undefined;
}

function insertAfterLine(tree: HarnessTree, node: AnyNode, text: string): TextEdit {
  const newline = tree.source.indexOf("\n", node.end);
  const rest = tree.source.slice(node.end, newline < 0 ? undefined : newline);
  // A comment that trails on the same line belongs to the statement.
  const at = /^\s*\/\//.test(rest) ? node.end + rest.length : node.end;
  return { start: at, end: at, text };
}
