/** What a model that knows nothing could say: the formats of the domain around numbers that stand in the question. */
import type { Task } from "../../src/rollout/domain.ts";

const OPERATORS = ["+", "-", "*", "/", "%"];

/** A random reply to `task`; `draw` gives numbers in [0, 1). */
export function drawNullReply(task: Task, draw: () => number): string {
  const question = typeof task.view["question"] === "string" ? task.view["question"] : "";
  const numbers = question.match(/\d+/g) ?? ["0", "1"];
  const pick = (items: readonly string[]): string => items[Math.floor(draw() * items.length)] ?? "0";
  const [a, b, operator] = [pick(numbers), pick(numbers), pick(OPERATORS)];
  const code = `<code>print(${a} ${operator} ${b})</code>`;
  const box = `\\boxed{${a}}`;
  const small = String(Math.floor(draw() * 100));
  return pick([box, `The answer is ${a}.`, code, `${code}\n${box}`, `\\boxed{${small}}`, `${a}}`]);
}
