/**
 * Seeded arithmetic problems in four tiers: half bare expressions, half word problems. Pure: the same stream gives the same
 * problem. From `standard` on the numbers are too long for a tiny model to work out unaided, so it has to run code.
 */
import type { Rng } from "../../src/base/rng.ts";
import { evaluateArithmetic } from "./arithmetic.ts";
import { EXPRESSION_TEMPLATES } from "./expression-templates.ts";
import type { Template, Tier } from "./template.ts";
import { WORD_TEMPLATES } from "./word-templates.ts";

/** One problem with its solution. */
export type Problem = {
  readonly question: string;
  /** JavaScript that evaluates exactly to the answer, such as `(12 + 7) * 8`. */
  readonly expression: string;
  /** An integer in decimal digits, with a minus sign where negative. */
  readonly answer: string;
  /** Name of its template, such as `bracket-sum`. */
  readonly kind: string;
};

/** First names that the word problems use. */
const NAMES: readonly string[] = [
  ...["Ana", "Ben", "Carla", "Dev", "Elif", "Farid", "Grace", "Hugo", "Ines", "Jonas", "Kavya", "Liam", "Mei", "Noor"],
  ...["Olga", "Pablo", "Quinn", "Rosa", "Samir", "Tara", "Umar", "Vera", "Wen", "Xenia", "Yusuf", "Zoe"],
];

const ITEMS: readonly string[] = [
  ...["pencils", "apples", "stickers", "marbles", "books", "cards", "stamps", "tickets", "cups", "eggs", "coins"],
  ...["beads", "balls", "flowers", "cookies", "shells"],
];

const PLACES: readonly string[] = [
  ...["school", "library", "museum", "park", "farm", "market", "bakery", "station", "theatre", "garden"],
];

/** Draws one problem of `tier`. */
export function generateProblem(rng: Rng, tier: Tier): Problem {
  const table = rng.uniform() < 0.5 ? EXPRESSION_TEMPLATES : WORD_TEMPLATES;
  return fillTemplate(rng, rng.pick(table[tier]));
}

/**
 * Draws one problem of `template`.
 * @throws {SyntaxError} If the template names a letter that it does not draw.
 */
export function fillTemplate(rng: Rng, template: Template): Problem {
  const letters = new Map<string, string>();
  for (const [letter, draw] of Object.entries(template.draws)) {
    const value =
      typeof draw === "string"
        ? evaluateArithmetic(substitute(draw, letters))
        : draw[0] + rng.int(draw[1] - draw[0] + 1);
    letters.set(letter, String(value));
  }
  const expression = substitute(template.expression, letters);
  const words = new Map([...letters, ["e", expression], ...drawWords(rng)]);
  const question = rng
    .pick(template.texts)
    .replace(/\{(\w+)\}/g, (placeholder, word: string) => words.get(word) ?? placeholder);
  return { question, expression, answer: String(evaluateArithmetic(expression)), kind: template.kind };
}

function substitute(expression: string, letters: ReadonlyMap<string, string>): string {
  return expression.replace(/[a-z]/g, (letter) => letters.get(letter) ?? letter);
}

function drawWords(rng: Rng): [string, string][] {
  const [name, other] = drawPair(rng, NAMES);
  const [item, thing] = drawPair(rng, ITEMS);
  const [place, town] = drawPair(rng, PLACES);
  return [
    ["name", name],
    ["other", other],
    ["item", item],
    ["thing", thing],
    ["place", place],
    ["town", town],
  ];
}

function drawPair(rng: Rng, words: readonly string[]): [string, string] {
  const first = rng.pick(words);
  return [first, rng.pick(words.filter((word) => word !== first))];
}
