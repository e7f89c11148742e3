/**
 * The static rules of a harness: one ES module that exports a function `solve` and reaches for nothing outside itself.
 *
 * They are a first fence, which gives a proposer a clear line to mend. What holds is the isolate: there is no host object
 * in it to reach (`sandbox/`).
 */
import { parse, type AnyNode, type Node, type Program } from "acorn";
import { full } from "acorn-walk";
import { HarnessError, describeError } from "../base/errors.ts";
import { hashContent } from "../base/hash.ts";

/** Largest source, in characters. */
const LONGEST_HARNESS = 65_536;

/** The rules, as messages name them. */
export const HARNESS_RULES = ["size", "syntax", "no-import", "no-global", "no-constructor", "solve"] as const;
/** One of `HARNESS_RULES`. */
export type HarnessRule = (typeof HARNESS_RULES)[number];

/** A harness that keeps the static rules. */
export type Harness = {
  readonly source: string;
  /** SHA-256 of the source, 64 hex digits. */
  readonly hash: string;
  /** Top-level UPPER_CASE constants that hold text, by name. */
  readonly constants: Readonly<Record<string, string>>;
};

const FORBIDDEN_NAMES = new Set([
  "eval",
  "Function",
  "globalThis",
  "global",
  "window",
  "self",
  "process",
  "require",
  "module",
  "WebAssembly",
]);
const FORBIDDEN_PROPERTIES = new Set(["constructor", "__proto__"]);

/**
 * Checks `source` against the static rules.
 * @throws {HarnessError} Where a rule is broken; the message names line and rule.
 */
export function parseHarness(source: string): Harness {
  if (source.length > LONGEST_HARNESS)
    throw broken("size", 1, `at most ${String(LONGEST_HARNESS)} characters, got ${String(source.length)}`);
  const program = parseModule(source);
  full(program, (node) => {
    checkNode(node);
  });
  checkSolve(program);
  return { source, hash: hashContent(source), constants: textConstants(program) };
}

function parseModule(source: string): Program {
  try {
    return parse(source, { ecmaVersion: 2023, sourceType: "module", locations: true });
  } catch (error) {
    const place: unknown = error instanceof SyntaxError ? Reflect.get(error, "loc") : undefined;
    const line: unknown = typeof place === "object" && place !== null ? Reflect.get(place, "line") : undefined;
    throw broken("syntax", typeof line === "number" ? line : 1, describeError(error));
  }
}

function checkNode(node: AnyNode): void {
  const isImport = node.type === "ImportDeclaration" || node.type === "ImportExpression";
  const isReexport = node.type === "ExportAllDeclaration" || (node.type === "ExportNamedDeclaration" && node.source);
  if (isImport || isReexport) throw broken("no-import", lineOf(node), "a harness is one module and imports nothing");
  if (node.type === "MetaProperty" && node.meta.name === "import")
    throw broken("no-import", lineOf(node), "import.meta is not available");
  if (node.type === "Identifier" && FORBIDDEN_NAMES.has(node.name))
    throw broken("no-global", lineOf(node), `${node.name} is not available`);
  if (node.type === "MemberExpression" && FORBIDDEN_PROPERTIES.has(propertyName(node.property, node.computed)))
    throw broken("no-constructor", lineOf(node), `.${propertyName(node.property, node.computed)} may not be used`);
}

function propertyName(node: AnyNode, computed: boolean): string {
  if (node.type === "Identifier" && !computed) return node.name;
  return node.type === "Literal" && typeof node.value === "string" ? node.value : "";
}

function checkSolve(program: Program): void {
  for (const statement of program.body) {
    if (statement.type !== "ExportNamedDeclaration") continue;
    const local = exportedAsSolve(statement.specifiers.map((specifier) => [specifier.local, specifier.exported]));
    const found = statement.declaration ? functionNamed(statement.declaration, "solve") : undefined;
    const named = local === undefined ? undefined : findFunction(program, local);
    const solve = found ?? named;
    if (solve === undefined) continue;
    if (solve.generator) throw broken("solve", lineOf(statement), "solve must not be a generator");
    return;
  }
  throw broken("solve", 1, "the module must export a function named solve");
}

function exportedAsSolve(pairs: readonly (readonly [AnyNode, AnyNode])[]): string | undefined {
  const pair = pairs.find(([, exported]) => exported.type === "Identifier" && exported.name === "solve");
  return pair?.[0].type === "Identifier" ? pair[0].name : undefined;
}

function findFunction(program: Program, name: string): { readonly generator: boolean } | undefined {
  for (const statement of program.body) {
    const found = functionNamed(statement, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

function functionNamed(node: AnyNode, name: string): { readonly generator: boolean } | undefined {
  if (node.type === "FunctionDeclaration") return node.id?.name === name ? node : undefined;
  if (node.type !== "VariableDeclaration") return undefined;
  for (const { id, init } of node.declarations) {
    const isFunction = init?.type === "ArrowFunctionExpression" || init?.type === "FunctionExpression";
    if (isFunction && id.type === "Identifier" && id.name === name) return init;
  }
  return undefined;
}

function textConstants(program: Program): Record<string, string> {
  const found: Record<string, string> = {};
  for (const statement of program.body) {
    const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declaration?.type !== "VariableDeclaration" || declaration.kind !== "const") continue;
    for (const { id, init } of declaration.declarations) {
      const text = init ? textOf(init) : undefined;
      if (id.type === "Identifier" && /^[A-Z][A-Z0-9_]*$/.test(id.name) && text !== undefined) found[id.name] = text;
    }
  }
  return found;
}

function textOf(node: AnyNode): string | undefined {
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : undefined;
  if (node.type !== "TemplateLiteral" || node.expressions.length > 0) return undefined;
  return node.quasis[0]?.value.cooked ?? undefined;
}

function lineOf(node: Node): number {
  return node.loc?.start.line ?? 1;
}

function broken(rule: HarnessRule, line: number, message: string): HarnessError {
  return new HarnessError(`harness: line ${String(line)}: ${rule}: ${message}`);
}
