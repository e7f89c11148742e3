/** The helper `answerKey` that recovery mechanisms put into a harness to tell an answer from none. */
import { formatLiteral, insertFunction, type TextEdit } from "../syntax/edit.ts";
import type { HarnessTree } from "../syntax/harness-tree.ts";
import { readMarkers } from "./markers.ts";
import type { SearchSpace } from "./mechanism.ts";

/** Declares `answerKey` unless an earlier mechanism did. */
export function answerKeyEdits(tree: HarnessTree, space: SearchSpace): TextEdit[] | undefined {
  if (tree.functions.has("answerKey")) return [];
  const edit = insertFunction(tree, answerKey(space));
  return edit && [edit];
}

/** Source of `answerKey`: what an answer says, or "" where there is none. */
function answerKey(space: SearchSpace): string {
  const { answer, returnsReply } = readMarkers(space.seedHarness);
  const head = 'function answerKey(answer) {\n  const text = String(answer ?? "");\n';
  if (!answer || !returnsReply) return `${head}  return text.trim();\n}`;
  const [open, close] = [formatLiteral(answer.open), formatLiteral(answer.close)];
  return `${head}  const start = text.lastIndexOf(${open});
  const end = text.indexOf(${close}, start);
  return start < 0 || end < 0 ? "" : text.slice(start + ${String(answer.open.length)}, end).trim();
}`;
}
