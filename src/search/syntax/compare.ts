/**
 * Two harnesses compared as programs: the text without layout and comments (for duplicates), and whether only prompt
 * text differs (the space of the FST baseline, whale-spec 2.11).
 */
import type { AnyNode } from "acorn";
import { generate } from "astring";
import { constantText, isConstantName, parseHarness, type HarnessTree } from "./harness-tree.ts";

/**
 * `source` printed in one fixed layout without comments; equal for programs with equal trees.
 * @throws {HarnessError} If it does not parse.
 */
export function normaliseSource(source: string): string {
  return normaliseTree(parseHarness(source));
}

/** `normaliseSource` of a harness that is parsed already. */
export function normaliseTree(tree: HarnessTree): string {
  return generate(tree.program);
}

/**
 * Whether `candidate` differs from `base` at most in the values of top-level UPPER_CASE text constants.
 * @throws {HarnessError} If one of them does not parse.
 */
export function isPromptOnlyEdit(base: string, candidate: string): boolean {
  return fingerprint(base) === fingerprint(candidate);
}

/** The tree as text, without positions and without the values of prompt constants. */
function fingerprint(source: string): string {
  const { program } = parseHarness(source);
  const masked = new Set<unknown>();
  for (const statement of program.body) {
    const declaration: AnyNode | null | undefined =
      statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declaration?.type !== "VariableDeclaration" || declaration.kind !== "const") continue;
    for (const { id, init } of declaration.declarations)
      if (id.type === "Identifier" && isConstantName(id.name) && init && constantText(init) !== undefined)
        masked.add(init);
  }
  return JSON.stringify(program, (key, value: unknown) => {
    if (key === "start" || key === "end" || key === "raw") return undefined;
    if (masked.has(value)) return "prompt text";
    return typeof value === "bigint" ? `${String(value)}n` : value;
  });
}
