/** The exact evaluator behind the gold answers, against JavaScript's own arithmetic. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { evaluateArithmetic } from "../../../domains/math-reasoning/arithmetic.ts";

test.each([
  ["37 * 4 - 19", 129],
  ["(12 + 7) * 8", 152],
  ["2 - 3 - 4", -5],
  ["100 / 5 / 2", 10],
  ["7 + 17 % 5 * 2", 11],
  ["-(3 - 5)", 2],
  ["0 * -1", 0],
])("evaluateArithmetic gives the value of %s", (text, value) => {
  expect(evaluateArithmetic(text)).toBe(value);
});

test.each(["", "1 +", "(1", "1 2", "x + 1", "1 ** 2", "1.5"])("evaluateArithmetic refuses %j", (text) => {
  expect(() => evaluateArithmetic(text)).toThrow(SyntaxError);
});

test.each(["7 / 2", "1 / 0", "1 % 0", "9007199254740991 + 1"])("evaluateArithmetic refuses the inexact %s", (text) => {
  expect(() => evaluateArithmetic(text)).toThrow(RangeError);
});

test("evaluateArithmetic keeps the order of operations for any expression of sums and products", () => {
  const tree = fc.letrec<{ node: { text: string; value: bigint } }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      fc.nat(99).map((n) => ({ text: String(n), value: BigInt(n) })),
      fc.tuple(tie("node"), fc.constantFrom("+", "-", "*"), tie("node")).map(([a, operator, b]) => ({
        text: `(${a.text} ${operator} ${b.text})`,
        value: operator === "+" ? a.value + b.value : operator === "-" ? a.value - b.value : a.value * b.value,
      })),
    ),
  }));
  fc.assert(
    fc.property(tree.node, ({ text, value }) => {
      fc.pre(value > -(2n ** 52n) && value < 2n ** 52n);
      let got: number;
      try {
        got = evaluateArithmetic(text);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError); // a value on the way left the safe integers
        return;
      }
      expect(BigInt(got)).toBe(value);
    }),
    { seed: 1, numRuns: 300 },
  );
});
