/**
 * A harness as a syntax tree with the places that mechanisms edit: UPPER_CASE constants and named top-level functions.
 *
 * The tree only says where things stand; edits are made on the text (`edit.ts`), so that what an edit does not touch
 * keeps its layout and its comments, and a difference between two harnesses stays readable.
 */
import { parse, type AnyNode, type Expression, type Program, type VariableDeclaration } from "acorn";
import { HarnessError, describeError } from "../../base/errors.ts";

/** A top-level `const NAME = literal`; `start` and `end` delimit the literal. */
export type ConstantSite = {
  readonly name: string;
  readonly value: string | number;
  readonly start: number;
  readonly end: number;
};

/** A named top-level function; `start` and `end` delimit its declaration without `export`. */
export type FunctionSite = {
  readonly name: string;
  /** Names of plain parameters, in order; a pattern is "". */
  readonly params: readonly string[];
  readonly async: boolean;
  readonly start: number;
  readonly end: number;
};

/** A parsed harness. Offsets are UTF-16 indices into `source`. */
export type HarnessTree = {
  readonly source: string;
  readonly program: Program;
  readonly constants: ReadonlyMap<string, ConstantSite>;
  readonly functions: ReadonlyMap<string, FunctionSite>;
  /** Names that the module exports. */
  readonly exports: ReadonlySet<string>;
};

/** Names of constants that hold prompt text or settings. */
const UPPER_CASE = /^[A-Z][A-Z0-9_]*$/;

/**
 * Parses `source` as one ES module.
 * @throws {HarnessError} If it does not parse.
 */
export function parseHarness(source: string): HarnessTree {
  let program: Program;
  try {
    program = parse(source, { ecmaVersion: 2023, sourceType: "module" });
  } catch (error) {
    throw new HarnessError(`harness: does not parse, ${describeError(error)}`, { cause: error });
  }
  const constants = new Map<string, ConstantSite>();
  const functions = new Map<string, FunctionSite>();
  const exports = new Set<string>();
  for (const statement of program.body) {
    const isExport = statement.type === "ExportNamedDeclaration";
    if (isExport) for (const { exported } of statement.specifiers) exports.add(nameOf(exported));
    const declaration = isExport ? statement.declaration : statement;
    if (!declaration) continue;
    const found = readDeclaration(declaration);
    for (const site of found.constants) constants.set(site.name, site);
    for (const site of found.functions) functions.set(site.name, site);
    if (isExport) for (const name of found.names) exports.add(name);
  }
  return { source, program, constants, functions, exports };
}

/** The text that an expression always has, or undefined where it is not a constant text. */
export function constantText(node: AnyNode): string | undefined {
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : undefined;
  if (node.type === "TemplateLiteral")
    return node.expressions.length === 0 ? (node.quasis[0]?.value.cooked ?? undefined) : undefined;
  if (node.type !== "BinaryExpression" || node.operator !== "+") return undefined;
  const left = constantText(node.left);
  const right = constantText(node.right);
  return left === undefined || right === undefined ? undefined : left + right;
}

/** Whether `name` is in the style that harnesses keep for constants. */
export function isConstantName(name: string): boolean {
  return UPPER_CASE.test(name);
}

type Found = {
  readonly names: readonly string[];
  readonly constants: readonly ConstantSite[];
  readonly functions: readonly FunctionSite[];
};

function readDeclaration(node: AnyNode): Found {
  if (node.type === "VariableDeclaration") return readVariables(node);
  const isNamed = node.type === "ClassDeclaration" || node.type === "FunctionDeclaration";
  const name = isNamed ? node.id?.name : undefined;
  if (name === undefined) return { names: [], constants: [], functions: [] };
  if (node.type !== "FunctionDeclaration") return { names: [name], constants: [], functions: [] };
  const site = { name, params: paramNames(node.params), async: node.async, start: node.start, end: node.end };
  return { names: [name], constants: [], functions: [site] };
}

function readVariables(node: VariableDeclaration): Found {
  const names: string[] = [];
  const constants: ConstantSite[] = [];
  const functions: FunctionSite[] = [];
  for (const { id, init } of node.declarations) {
    if (id.type !== "Identifier") continue;
    names.push(id.name);
    if (!init) continue;
    const value = constantText(init) ?? constantNumber(init);
    if (value !== undefined && isConstantName(id.name))
      constants.push({ name: id.name, value, start: init.start, end: init.end });
    const isFunction = init.type === "ArrowFunctionExpression" || init.type === "FunctionExpression";
    // A declaration of several names cannot give up one of them to a function declaration.
    if (isFunction && node.declarations.length === 1)
      functions.push({
        name: id.name,
        params: paramNames(init.params),
        async: init.async,
        start: node.start,
        end: node.end,
      });
  }
  return { names, constants, functions };
}

function constantNumber(node: Expression): number | undefined {
  if (node.type === "Literal") return typeof node.value === "number" ? node.value : undefined;
  if (node.type !== "UnaryExpression" || node.operator !== "-") return undefined;
  const value = constantNumber(node.argument);
  return value === undefined ? undefined : -value;
}

function paramNames(params: readonly AnyNode[]): string[] {
  return params.map((param) => (param.type === "Identifier" ? param.name : ""));
}

function nameOf(node: AnyNode): string {
  if (node.type === "Identifier") return node.name;
  return node.type === "Literal" ? String(node.value) : "";
}
