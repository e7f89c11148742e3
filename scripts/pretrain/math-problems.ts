/** Arithmetic questions in many wordings, each with the JavaScript expression that answers it. */
import { generateProblem } from "../../domains/math-reasoning/problems.ts";
import { createTask, splitOfId } from "../../domains/shared/splits.ts";
import { evaluate } from "./arithmetic.ts";
import { fill, type Draw } from "./draw.ts";
import { ITEMS, ONE_STEP, THREE_STEP, TWO_STEP, type WordTemplate } from "./math-words.ts";
import { drawGivenName } from "./names.ts";

/** A question and its solution. */
export type MathProblem = {
  readonly question: string;
  /** JavaScript expression with spaces around operators. */
  readonly expression: string;
  readonly value: number;
};

/**
 * A question; about one in six is from the hard tail. A third come from the domain math-reasoning, so that its wordings
 * are among many; no question that belongs to its validation or test split is ever used.
 */
export function drawProblem(draw: Draw): MathProblem {
  const isHard = draw.chance(0.17);
  for (;;) {
    const problem = draw.weighted<(draw: Draw, isHard: boolean) => MathProblem | undefined>([
      [0.34, domainProblem],
      [0.36, wordProblem],
      [0.3, expressionProblem],
    ])(draw, isHard);
    if (problem && Number.isFinite(problem.value) && Math.abs(problem.value) < 1e7 && !isReserved(problem))
      return problem;
  }
}

function isReserved({ question, value }: MathProblem): boolean {
  const split = splitOfId(createTask({ question }, { answer: String(value) }, "pretrain").id);
  return split === "validation" || split === "test";
}

function domainProblem(draw: Draw, isHard: boolean): MathProblem {
  const { question, expression } = generateProblem(draw, isHard ? "hard" : draw.chance(0.4) ? "easy" : "standard");
  return { question, expression, value: evaluate(expression) };
}

function wordProblem(draw: Draw, hard: boolean): MathProblem | undefined {
  const template = draw.pick(hard ? THREE_STEP : draw.chance(0.45) ? ONE_STEP : TWO_STEP);
  const numbers = drawNumbers(draw, template, hard);
  const expression = template.expression.replace(/[a-e]/g, (name) => String(numbers[name]));
  const value = evaluate(expression);
  if (!Number.isInteger(value) || value < 0) return undefined;
  const [first, second, third] = drawPeople(draw);
  const question = fill(template.text, { ...numbers, A: first, B: second, C: third, item: draw.pick(ITEMS) });
  return { question, expression, value };
}

function drawPeople(draw: Draw): [string, string, string] {
  for (;;) {
    const people: [string, string, string] = [drawGivenName(draw), drawGivenName(draw), drawGivenName(draw)];
    if (new Set(people).size === 3) return people;
  }
}

function drawNumbers(draw: Draw, { expression, of }: WordTemplate, hard: boolean): Record<string, number> {
  const numbers: Record<string, number> = {};
  const products = new Set([...expression.matchAll(/([a-e]) \* ([a-e])/g)].flatMap((match) => [match[1], match[2]]));
  for (const name of new Set(expression.match(/[a-e]/g))) {
    const isFactor = products.has(name) || expression.includes(`/ ${name}`);
    numbers[name] = isFactor ? draw.between(2, hard ? 60 : draw.chance(0.2) ? 99 : 20) : drawTerm(draw, hard);
  }
  for (const [name, factor] of Object.entries(of ?? {}))
    numbers[name] = (numbers[factor] ?? 1) * draw.between(2, hard ? 60 : 20);
  return numbers;
}

function drawTerm(draw: Draw, hard: boolean): number {
  return draw.chance(hard ? 0.6 : 0.3)
    ? draw.between(100, 999)
    : draw.chance(0.8)
      ? draw.between(10, 99)
      : draw.between(2, 12);
}

const QUESTIONS = [
  "What is {e}?",
  "Compute {e}.",
  "Calculate {e}.",
  "Evaluate {e}.",
  "{e} = ?",
  "{e}",
  "How much is {e}?",
  "Find the value of {e}.",
  "Work out {e}.",
  "What does {e} equal?",
  "Give the value of {e}.",
  "Solve: {e}",
  "What is the value of {e}?",
  "Simplify {e}.",
];

const SPOKEN: readonly (readonly [text: string, expression: string, evenly?: boolean])[] = [
  ["the sum of {a} and {b}", "a + b"],
  ["the sum of {a}, {b} and {c}", "a + b + c"],
  ["the difference of {a} and {b}", "a - b"],
  ["the product of {a} and {b}", "a * b"],
  ["{a} plus {b}", "a + b"],
  ["{a} minus {b}", "a - b"],
  ["{a} times {b}", "a * b"],
  ["{a} times {b} plus {c}", "a * b + c"],
  ["{a} plus {b} times {c}", "a + b * c"],
  ["{a} divided by {b}", "a / b", true],
  ["the remainder when {a} is divided by {b}", "a % b"],
  ["{c} more than the product of {a} and {b}", "a * b + c"],
  ["{c} less than the product of {a} and {b}", "a * b - c"],
  ["twice {a} plus {b}", "2 * a + b"],
  ["half of {a}", "a / 2", true],
  ["the square of {a}", "a * a"],
  ["{a} times the sum of {b} and {c}", "a * (b + c)"],
];

function expressionProblem(draw: Draw, hard: boolean): MathProblem | undefined {
  if (!hard && draw.chance(0.3)) return spokenProblem(draw);
  const operands = hard
    ? draw.between(4, 5)
    : draw.weighted([
        [0.4, 2],
        [0.4, 3],
        [0.2, 4],
      ]);
  const expression = drawExpression(draw, operands, hard);
  const value = evaluate(expression);
  if (!Number.isInteger(value)) return undefined;
  const shown = showExpression(draw, expression);
  return { question: fill(draw.pick(QUESTIONS), { e: shown }), expression, value };
}

function spokenProblem(draw: Draw): MathProblem | undefined {
  const [text, template, evenly = false] = draw.pick(SPOKEN);
  const isFactor = template.includes("*");
  const b = draw.between(2, isFactor ? 40 : 99);
  const divisor = template.includes("/ 2") ? 2 : b;
  const a = evenly ? divisor * draw.between(2, 40) : draw.between(2, isFactor ? 99 : 300);
  const numbers: Record<string, number> = { a, b, c: draw.between(2, 99) };
  const expression = template.replace(/[abc]/g, (name) => String(numbers[name]));
  const question = fill(
    draw.pick(["What is {e}?", "Compute {e}.", "Find {e}.", "Calculate {e}.", "How much is {e}?"]),
    { e: fill(text, numbers) },
  );
  return { question, expression, value: evaluate(expression) };
}

/** A random expression with `operands` numbers; parentheses only where they change the value. */
function drawExpression(draw: Draw, operands: number, hard: boolean): string {
  if (operands === 1) return String(drawTerm(draw, hard && draw.chance(0.5)));
  if (operands === 2 && draw.chance(0.12)) {
    const divisor = draw.between(2, 25);
    return draw.chance(0.7)
      ? `${String(divisor * draw.between(2, 40))} / ${String(divisor)}`
      : `${String(draw.between(20, 400))} % ${String(divisor)}`;
  }
  const left = draw.between(1, operands - 1);
  const operator = draw.weighted([
    [0.4, "+"],
    [0.3, "-"],
    [0.3, "*"],
  ]);
  const parts = [drawExpression(draw, left, hard), drawExpression(draw, operands - left, hard)];
  const wrap = (part: string, isRight: boolean): string => {
    const isLow = /[+-]/.test(stripGroups(part));
    const isAny = / /.test(stripGroups(part));
    const needed = operator === "*" ? isLow || (isRight && isAny) : operator === "-" && isRight && isLow;
    return needed ? `(${part})` : part;
  };
  return `${wrap(parts[0] ?? "", false)} ${operator} ${wrap(parts[1] ?? "", true)}`;
}

function stripGroups(expression: string): string {
  let depth = 0;
  let out = "";
  for (const char of expression) {
    if (char === ")") depth -= 1;
    if (depth === 0) out += char;
    if (char === "(") depth += 1;
  }
  return out;
}

/** The expression as a person might write it. */
function showExpression(draw: Draw, expression: string): string {
  const style = draw.weighted([
    [0.6, "spaced"],
    [0.2, "tight"],
    [0.1, "×"],
    [0.05, "x"],
    [0.05, "\\times"],
  ]);
  if (style === "spaced") return expression;
  if (style === "tight") return expression.replaceAll(" ", "");
  return expression.replaceAll("*", style);
}
