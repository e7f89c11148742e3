/** Bare arithmetic: an expression shown as such, or told in words. Data only; `problems.ts` draws from it. */
import { CHAIN_EXPRESSIONS } from "./chain-templates.ts";
import type { Draw, Template, TemplateTable } from "./template.ts";

const SHOWN = [
  "What is {e}?",
  "Compute {e}.",
  "Calculate {e}.",
  "Evaluate {e}.",
  "Find the value of {e}.",
  "Work out {e}.",
  "How much is {e}?",
  "{e} = ?",
];

function shown(kind: string, expression: string, draws: Readonly<Record<string, Draw>>): Template {
  return { kind, texts: SHOWN, expression, draws };
}

const EASY: readonly Template[] = [
  shown("sum", "a + b", { a: [11, 99], b: [11, 99] }),
  shown("difference", "a - b", { a: [11, 99], b: [11, 99] }),
  shown("product", "a * b", { a: [3, 29], b: [3, 12] }),
  shown("quotient", "a / b", { b: [2, 12], q: [3, 40], a: "b * q" }),
  shown("remainder", "a % b", { a: [20, 99], b: [3, 12] }),
  {
    kind: "told-sum",
    texts: ["Add {a} and {b}.", "What is the sum of {a} and {b}?", "What is {a} plus {b}?"],
    expression: "a + b",
    draws: { a: [11, 99], b: [11, 99] },
  },
  {
    kind: "told-difference",
    texts: ["Subtract {b} from {a}.", "What is {a} minus {b}?"],
    expression: "a - b",
    draws: { b: [11, 60], q: [3, 60], a: "b + q" },
  },
  {
    kind: "told-product",
    texts: ["Multiply {a} by {b}.", "What is the product of {a} and {b}?", "What is {a} times {b}?"],
    expression: "a * b",
    draws: { a: [3, 29], b: [3, 12] },
  },
  {
    kind: "told-remainder",
    texts: ["What is the remainder when {a} is divided by {b}?", "Divide {a} by {b}. What remains?"],
    expression: "a % b",
    draws: { a: [20, 99], b: [3, 12] },
  },
];

const STANDARD: readonly Template[] = [
  shown("product-sum", "a * b + c", { a: [12, 99], b: [3, 29], c: [11, 199] }),
  shown("product-difference", "a * b - c", { a: [12, 99], b: [3, 29], c: [11, 199] }),
  shown("sum-product", "a + b * c", { a: [11, 299], b: [12, 99], c: [3, 29] }),
  shown("difference-product", "a - b * c", { a: [50, 999], b: [12, 49], c: [3, 19] }),
  shown("bracket-sum", "(a + b) * c", { a: [11, 199], b: [11, 99], c: [3, 29] }),
  shown("bracket-difference", "(a - b) * c", { a: [11, 199], b: [11, 199], c: [3, 29] }),
  shown("bracket-right", "a * (b + c)", { a: [3, 29], b: [11, 99], c: [11, 99] }),
  shown("three-product", "a * b * c", { a: [11, 59], b: [3, 19], c: [3, 19] }),
  shown("sum-difference", "a + b - c", { a: [111, 999], b: [111, 999], c: [111, 999] }),
  shown("two-differences", "a - b - c", { a: [111, 999], b: [11, 499], c: [11, 499] }),
  shown("quotient-sum", "a / b + c", { b: [3, 19], q: [11, 99], a: "b * q", c: [11, 199] }),
  shown("bracket-quotient", "(a + b) / c", { c: [3, 19], q: [21, 99], b: [11, 60], a: "c * q - b" }),
  shown("product-remainder", "a * b % c", { a: [12, 99], b: [3, 49], c: [7, 29] }),
  shown("large-product", "a * b", { a: [112, 999], b: [12, 99] }),
  shown("large-remainder", "a % b", { a: [1001, 9999], b: [7, 49] }),
  {
    kind: "told-product-sum",
    texts: [
      "Multiply {a} by {b}, then add {c}.",
      "Add {c} to the product of {a} and {b}.",
      "What is {a} times {b}, plus {c}?",
    ],
    expression: "a * b + c",
    draws: { a: [12, 99], b: [3, 29], c: [11, 199] },
  },
  {
    kind: "told-product-difference",
    texts: [
      "Multiply {a} by {b}, then subtract {c}.",
      "Subtract {c} from the product of {a} and {b}.",
      "What is {a} times {b}, minus {c}?",
    ],
    expression: "a * b - c",
    draws: { a: [12, 99], b: [3, 29], c: [11, 199] },
  },
  {
    kind: "told-bracket-sum",
    texts: ["Add {a} and {b}, then multiply by {c}.", "Multiply the sum of {a} and {b} by {c}."],
    expression: "(a + b) * c",
    draws: { a: [11, 199], b: [11, 99], c: [3, 29] },
  },
  {
    kind: "told-bracket-difference",
    texts: ["Subtract {b} from {a}, then multiply by {c}.", "Multiply the difference {a} minus {b} by {c}."],
    expression: "(a - b) * c",
    draws: { b: [11, 99], q: [11, 99], a: "b + q", c: [3, 29] },
  },
  {
    kind: "told-product-remainder",
    texts: [
      "What is the remainder when {a} times {b} is divided by {c}?",
      "Multiply {a} by {b} and divide by {c}. What is the remainder?",
    ],
    expression: "a * b % c",
    draws: { a: [12, 99], b: [3, 49], c: [7, 29] },
  },
];

const HARD: readonly Template[] = [
  shown("two-products", "a * b + c * d", { a: [12, 99], b: [12, 99], c: [12, 99], d: [3, 49] }),
  shown("products-apart", "a * b - c * d", { a: [12, 99], b: [12, 99], c: [12, 99], d: [3, 49] }),
  shown("two-brackets", "(a + b) * (c - d)", { a: [11, 299], b: [11, 99], c: [21, 199], d: [11, 99] }),
  shown("nested", "(a * b - c) * d", { a: [12, 99], b: [3, 49], c: [11, 499], d: [3, 29] }),
  shown("long-sum", "a + b * c - d", { a: [111, 999], b: [12, 99], c: [12, 99], d: [111, 999] }),
  shown("four-product", "a * b * c - d", { a: [11, 99], b: [3, 29], c: [3, 29], d: [111, 999] }),
  shown("quotient-product", "(a + b) / c * d", { c: [3, 19], q: [21, 199], b: [11, 60], a: "c * q - b", d: [12, 99] }),
  shown("bracket-remainder", "(a * b + c) % d", { a: [12, 99], b: [12, 99], c: [11, 499], d: [13, 99] }),
  shown("five-operands", "(a + b) * c - d * f", { a: [11, 199], b: [11, 99], c: [3, 29], d: [12, 99], f: [3, 19] }),
  {
    kind: "told-two-products",
    texts: [
      "Add the product of {a} and {b} to the product of {c} and {d}.",
      "What is {a} times {b}, plus {c} times {d}?",
    ],
    expression: "a * b + c * d",
    draws: { a: [12, 99], b: [3, 49], c: [12, 99], d: [3, 49] },
  },
  {
    kind: "told-nested",
    texts: [
      "Multiply {a} by {b}, subtract {c}, then multiply by {d}.",
      "Take {a} times {b}, take away {c}, and multiply the result by {d}.",
    ],
    expression: "(a * b - c) * d",
    draws: { a: [12, 99], b: [3, 49], c: [11, 499], d: [3, 29] },
  },
  {
    kind: "told-bracket-remainder",
    texts: ["Multiply {a} by {b} and add {c}. What is the remainder after division by {d}?"],
    expression: "(a * b + c) % d",
    draws: { a: [12, 99], b: [12, 99], c: [11, 499], d: [13, 99] },
  },
];

/** Expression problems by tier. */
export const EXPRESSION_TEMPLATES: TemplateTable = {
  easy: EASY,
  standard: STANDARD,
  hard: HARD,
  chain: [...HARD, ...CHAIN_EXPRESSIONS],
};
