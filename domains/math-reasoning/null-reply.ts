/**
 * What a model that knows nothing could say: the formats of the domain around numbers of the question, or around numbers
 * that stand elsewhere on screen. The latter is how a harness gives itself away that solves the task and shows the answer.
 */
import type { Task } from "../../src/rollout/domain.ts";

const OPERATORS = ["+", "-", "*", "/", "%"];
const NUMBER = /-?\d+(?:[./]\d+)?/g;

/** Share of replies that repeat a number from the screen, where it shows one that the question has not. */
const ECHO = 0.75;

/** A random reply to `task`; `draw` gives numbers in [0, 1), `screen` is the conversation so far. */
export function drawNullReply(task: Task, draw: () => number, screen: string): string {
  const question = typeof task.view["question"] === "string" ? task.view["question"] : "";
  const pick = (items: readonly string[]): string => items[Math.floor(draw() * items.length)] ?? "0";
  const shown = otherNumbers(question, screen);
  if (shown.length > 0 && draw() < ECHO) {
    const echo = pick(shown);
    return screen.endsWith("\\boxed{") ? `${echo}}` : `\\boxed{${echo}}`;
  }
  const numbers = question.match(/\d+/g) ?? ["0", "1"];
  const [a, b, operator] = [pick(numbers), pick(numbers), pick(OPERATORS)];
  const code = `<code>print(${a} ${operator} ${b})</code>`;
  const box = `\\boxed{${a}}`;
  const small = String(Math.floor(draw() * 100));
  return pick([box, `The answer is ${a}.`, code, `${code}\n${box}`, `\\boxed{${small}}`, `${a}}`]);
}

/** The numbers on `screen` that the question does not hold, each once. */
function otherNumbers(question: string, screen: string): string[] {
  const own = new Set(question.match(NUMBER));
  return [...new Set(screen.match(NUMBER))].filter((number) => !own.has(number));
}
