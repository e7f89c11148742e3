/**
 * Mechanisms over named functions: a domain's variant in place of the harness's function, or behind it as a fallback for
 * what it does not understand.
 */
import { applyEdits, insertFunction, isTaken, renameDeclaration, replaceFunction } from "../syntax/edit.ts";
import type { TextEdit } from "../syntax/edit.ts";
import { parseHarness, type HarnessTree } from "../syntax/harness-tree.ts";
import type { FunctionVariant } from "../../rollout/domain.ts";
import { readMarkers } from "./markers.ts";
import type { Mechanism, SearchSpace } from "./mechanism.ts";

/** A replacement for each variant, and a fallback for each variant of a parser. */
export function variantMechanisms(space: SearchSpace): Mechanism[] {
  const { returnsReply } = readMarkers(space.seedHarness);
  return space.variants.flatMap((variant, index) => {
    const { target, axis, addresses, hypothesis, source } = variant;
    const replace: Mechanism = {
      name: `variant:${target}:${String(index)}`,
      axis,
      addresses,
      hypothesis,
      promptOnly: false,
      edit: (tree) => {
        const edit = replaceFunction(tree, target, source);
        return edit && [edit];
      },
    };
    // A reader that always gives the whole reply leaves nothing to fall back from.
    const isWholeReply = returnsReply && /answer/i.test(target);
    if (!/^(parse|extract|read)/.test(target) || isWholeReply) return [replace];
    const fallback: Mechanism = {
      ...replace,
      name: `fallback:${target}:${String(index)}`,
      hypothesis: `Where ${target} finds nothing, a second reading helps: ${hypothesis}`,
      edit: (tree) => addFallback(tree, variant),
    };
    return [replace, fallback];
  });
}

function addFallback(tree: HarnessTree, { target, source }: FunctionVariant): TextEdit[] | undefined {
  const site = tree.functions.get(target);
  const [first, second] = [`${target}First`, `${target}Second`];
  if (!site || site.async || site.params.length !== 1 || site.params[0] === "") return undefined;
  if (isTaken(tree, first) || isTaken(tree, second)) return undefined;
  const wasExported = tree.exports.has(target);
  const rename = renameDeclaration(tree, target, first);
  const variant = parseHarness(source);
  const renamed = renameDeclaration(variant, target, second);
  if (!rename || !renamed) return undefined;
  const insert = insertFunction(tree, applyEdits(source, renamed));
  if (!insert) return undefined;
  const [parameter] = site.params;
  const body = `const found = ${first}(${String(parameter)});
  return found === undefined || found === null || found === "" ? ${second}(${String(parameter)}) : found;`;
  const joined = `${wasExported ? "export " : ""}function ${target}(${String(parameter)}) {\n  ${body}\n}`;
  return [...rename, { ...insert, text: `${insert.text}\n\n${joined}` }];
}
