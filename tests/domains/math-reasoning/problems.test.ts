/** The generator: its questions, expressions and answers agree, and repeat. */
import vm from "node:vm";
import { describe, expect, test } from "vitest";
import { EXPRESSION_TEMPLATES } from "../../../domains/math-reasoning/expression-templates.ts";
import { fillTemplate, generateProblem, type Problem } from "../../../domains/math-reasoning/problems.ts";
import { TIERS } from "../../../domains/math-reasoning/template.ts";
import { WORD_TEMPLATES } from "../../../domains/math-reasoning/word-templates.ts";
import { createRng } from "../../../src/base/rng.ts";

const draw = (tier: (typeof TIERS)[number], count: number, seed = 1): Problem[] => {
  const rng = createRng(seed, tier);
  return Array.from({ length: count }, () => generateProblem(rng, tier));
};

describe.each(TIERS)("generateProblem of tier %s", (tier) => {
  const problems = draw(tier, 1000);

  test("gives an answer that JavaScript finds by its expression", () => {
    const context = vm.createContext();
    const wrong = problems.filter(({ expression, answer }) => String(vm.runInContext(expression, context)) !== answer);
    expect(wrong).toEqual([]);
  });

  test("leaves no placeholder and only integers as answers", () => {
    const isWhole = ({ question, expression, answer }: Problem): boolean =>
      !/[{}]|undefined/.test(question) && !/[a-z]/.test(expression) && /^(0|-?[1-9]\d*)$/.test(answer);
    expect(problems.filter((problem) => !isWhole(problem))).toEqual([]);
  });

  test("repeats with equal streams and differs with others", () => {
    expect(draw(tier, 20)).toEqual(draw(tier, 20));
    expect(draw(tier, 20, 2)).not.toEqual(draw(tier, 20));
  });

  test("gives bare expressions and word problems, mostly different ones", () => {
    const words = new Set(WORD_TEMPLATES[tier].map((template) => template.kind));
    const share = problems.filter((problem) => words.has(problem.kind)).length / problems.length;
    expect(share).toBeGreaterThan(0.4);
    expect(share).toBeLessThan(0.6);
    expect(new Set(problems.map((problem) => problem.question)).size).toBeGreaterThan(900);
  });

  test("names every number of its expression in the question", () => {
    const hidden = problems.filter(({ question, expression, kind }) => {
      const said: readonly string[] = question.match(/\d+/g) ?? [];
      // The age problem doubles the years, since two people grow older.
      const needed = (expression.match(/\d+/g) ?? []).filter((number) => kind !== "ages-four" || number !== "2");
      return needed.some((number) => !said.includes(number));
    });
    expect(hidden).toEqual([]);
  });

  test("has unique kinds, and every text of a template can be filled", () => {
    const templates = [...EXPRESSION_TEMPLATES[tier], ...WORD_TEMPLATES[tier]];
    expect(new Set(templates.map((template) => template.kind)).size).toBe(templates.length);
    const questions = templates.flatMap((template) =>
      template.texts.flatMap((text) =>
        [0, 1, 2, 3, 4].map((i) => fillTemplate(createRng(i, text), { ...template, texts: [text] }).question),
      ),
    );
    expect(questions.filter((question) => /[{}]/.test(question))).toEqual([]);
  });
});

test("generateProblem asks for three numbers in most standard problems and four in the hard ones", () => {
  const operands = (problem: Problem): number => (problem.expression.match(/\d+/g) ?? []).length;
  const standard = draw("standard", 1000);
  expect(standard.filter((problem) => operands(problem) === 3).length).toBeGreaterThan(900);
  expect(Math.min(...draw("hard", 1000).map(operands))).toBeGreaterThanOrEqual(4);
  expect(Math.max(...draw("easy", 1000).map(operands))).toBe(2);
});
