/** What a model that knows nothing could say: the formats of the domain around words that stand on the screen. */
import type { Task } from "../../src/rollout/domain.ts";

/** Most words of an answer. */
const LONGEST = 3;

/** Capitalised words and numbers in a row, not at the start of a sentence, where any word is capitalised. */
const NAME = /(?<=[\p{L}\p{N},;:] )[\p{Lu}\p{N}][\p{L}\p{N}]*(?: [\p{Lu}\p{N}][\p{L}\p{N}]*)*/gu;

/**
 * A random reply to `task`; `draw` gives numbers in [0, 1). Names that the screen shows beside those of the question are
 * likelier: that is how a harness gives itself away that finds the answer and shows it.
 */
export function drawNullReply(task: Task, draw: () => number, screen: string): string {
  const question = typeof task.view["question"] === "string" ? task.view["question"] : "";
  const asked = question.match(/[\p{L}\p{N}]+/gu) ?? ["what"];
  const found = /<information>([\s\S]*?)<\/information>/.exec(screen)?.[1] ?? "";
  const shown = (found === "" ? screen : found).match(/[\p{L}\p{N}]+/gu) ?? asked;
  const known = new Set(asked);
  const names = ((found === "" ? screen : found).match(NAME) ?? []).filter(
    (name) => !name.split(" ").some((word) => known.has(word)),
  );
  const pick = (words: readonly string[]): string => words[Math.floor(draw() * words.length)] ?? "yes";
  const run = (words: readonly string[]): string => {
    const start = Math.floor(draw() * words.length);
    return words.slice(start, start + 1 + Math.floor(draw() * LONGEST)).join(" ");
  };
  const answer = draw() < 0.6 && names.length > 0 ? pick(names) : run(shown);
  const search = `<search>${run(asked)}</search>`;
  const tagged = `<answer>${answer}</answer>`;
  return pick([
    search,
    search,
    tagged,
    tagged,
    `The answer is ${answer}.`,
    answer,
    `${search}\n${tagged}`,
    `${answer}</answer>`,
  ]);
}
