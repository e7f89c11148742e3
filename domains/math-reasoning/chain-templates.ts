/**
 * Problems of five to seven numbers: longer than any in the tiny model's pretraining, so that even a good harness leaves
 * much for the weights to learn. Data only.
 */
import type { Draw, Template } from "./template.ts";

const SHOWN = [
  "What is {e}?",
  "Compute {e}.",
  "Calculate {e}.",
  "Evaluate {e}.",
  "Find the value of {e}.",
  "Work out {e}.",
];

function shown(kind: string, expression: string, draws: Readonly<Record<string, Draw>>): Template {
  return { kind, texts: SHOWN, expression, draws };
}

const SMALL: Draw = [3, 29];
const MIDDLE: Draw = [12, 99];
const LARGE: Draw = [111, 999];

/** Bare expressions of tier `chain`, and chains of steps told in words. */
export const CHAIN_EXPRESSIONS: readonly Template[] = [
  shown("three-products", "a * b + c * d - f * g", { a: MIDDLE, b: SMALL, c: MIDDLE, d: SMALL, f: MIDDLE, g: SMALL }),
  shown("nested-four", "((a + b) * c - d) * f + g", { a: MIDDLE, b: MIDDLE, c: SMALL, d: LARGE, f: SMALL, g: LARGE }),
  shown("brackets-and-product", "(a - b) * (c + d) + f * g", {
    a: LARGE,
    b: MIDDLE,
    c: SMALL,
    d: SMALL,
    f: MIDDLE,
    g: SMALL,
  }),
  shown("bracket-chain", "a - (b + c) * (d - f) - g", {
    a: LARGE,
    b: MIDDLE,
    c: MIDDLE,
    d: MIDDLE,
    f: SMALL,
    g: LARGE,
  }),
  shown("product-of-sums", "(a + b * c) * (d + f) - g", { a: LARGE, b: SMALL, c: SMALL, d: SMALL, f: SMALL, g: LARGE }),
  shown("long-remainder", "(a * b + c * d + f) % g", {
    a: MIDDLE,
    b: MIDDLE,
    c: MIDDLE,
    d: SMALL,
    f: LARGE,
    g: MIDDLE,
  }),
  {
    kind: "told-five-steps",
    texts: [
      "Take {a}. Add {b}, multiply by {c}, subtract {d}, and multiply by {f}. What do you get?",
      "Start with {a}. First add {b}. Then multiply by {c}. Then subtract {d}. Last, multiply by {f}. What is the result?",
    ],
    expression: "((a + b) * c - d) * f",
    draws: { a: MIDDLE, b: MIDDLE, c: SMALL, d: LARGE, f: SMALL },
  },
  {
    kind: "told-three-products",
    texts: [
      "Add {a} times {b}, {c} times {d}, and {f} times {g}.",
      "What is the sum of {a} times {b}, {c} times {d} and {f} times {g}?",
    ],
    expression: "a * b + c * d + f * g",
    draws: { a: MIDDLE, b: SMALL, c: MIDDLE, d: SMALL, f: MIDDLE, g: SMALL },
  },
  {
    kind: "told-long-remainder",
    texts: ["Multiply {a} by {b}, add {c} times {d}, and subtract {f}. What remains after division by {g}?"],
    expression: "(a * b + c * d - f) % g",
    draws: { a: MIDDLE, b: MIDDLE, c: SMALL, d: SMALL, f: MIDDLE, g: MIDDLE },
  },
];

/** Word problems of tier `chain`. */
export const CHAIN_WORDS: readonly Template[] = [
  {
    kind: "three-kinds-change",
    texts: [
      "{name} buys {a} {item} at {b} cents, {c} {thing} at {d} cents and {f} cups at {g} cents each, and pays {h} cents. How much change is that in cents?",
    ],
    expression: "h - a * b - c * d - f * g",
    draws: { a: SMALL, b: MIDDLE, c: SMALL, d: MIDDLE, f: SMALL, g: MIDDLE, q: LARGE, h: "a * b + c * d + f * g + q" },
  },
  {
    kind: "stock-week",
    texts: [
      "The {place} has {a} boxes of {b} {item}. It sells {c} {item} a day for {d} days and then gets {f} new boxes of {g} {item}. How many {item} are there now?",
    ],
    expression: "a * b - c * d + f * g",
    draws: { c: SMALL, d: [3, 9], a: [20, 99], b: SMALL, f: SMALL, g: SMALL },
  },
  {
    kind: "two-earners",
    texts: [
      "{name} works {a} hours at {b} dollars and spends {c} dollars. {other} works {d} hours at {f} dollars and spends {g} dollars. How many dollars do they have left together?",
    ],
    expression: "a * b - c + d * f - g",
    draws: { a: SMALL, b: [11, 39], c: [11, 99], d: SMALL, f: [11, 39], g: [11, 99] },
  },
  {
    kind: "shared-harvest",
    texts: [
      "{name} picks {a} baskets of {b} {item} and {other} picks {c} baskets of {d}. They throw {f} away and share the rest among {g} families. How many are left over?",
    ],
    expression: "(a * b + c * d - f) % g",
    draws: { a: [11, 49], b: SMALL, c: [11, 49], d: SMALL, f: SMALL, g: [4, 29] },
  },
  {
    kind: "rows-and-shelves",
    texts: [
      "A hall has {a} rows of {b} seats and {c} boxes of {d} seats. {f} groups of {g} people sit down. How many seats stay free?",
    ],
    expression: "a * b + c * d - f * g",
    draws: { a: [20, 99], b: [12, 49], c: SMALL, d: SMALL, f: SMALL, g: [3, 19] },
  },
  {
    kind: "trip-cost",
    texts: [
      "{a} children and {b} teachers go to the {place}. A ticket costs {c} cents, lunch {d} cents each, and the bus {f} cents. How many cents is that in all?",
    ],
    expression: "(a + b) * (c + d) + f",
    draws: { a: [11, 99], b: [3, 12], c: LARGE, d: LARGE, f: [1111, 9999] },
  },
  {
    kind: "savings-weeks",
    texts: [
      "{name} saves {a} dollars a week for {b} weeks, then {c} dollars a week for {d} weeks, and pays {f} dollars for each of {g} {item}. How many dollars remain?",
    ],
    expression: "a * b + c * d - f * g",
    draws: { a: MIDDLE, b: SMALL, c: MIDDLE, d: SMALL, f: [3, 19], g: [3, 19] },
  },
];
