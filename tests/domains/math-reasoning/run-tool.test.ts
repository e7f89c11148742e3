/** The `run` tool and its prelude, in real isolates. */
import { describe, expect, test } from "vitest";
import { PRELUDE_NAMES } from "../../../domains/math-reasoning/prelude.ts";
import { createRunTool, LONGEST_CODE, LONGEST_OUTPUT, readOutcome } from "../../../domains/math-reasoning/run-tool.ts";
import { TaskError } from "../../../src/base/errors.ts";
import type { JsonValue } from "../../../src/base/json.ts";
import { useSandbox } from "../../support/use-sandbox.ts";

const sandbox = useSandbox();

const run = async (code: string): Promise<JsonValue> => createRunTool({ sandbox, seed: "test" })([code]);

describe("run gives what the code prints:", () => {
  test.each([
    ["print(12*(3+4))", "84"],
    ["console.log(1, 'a', true)", "1 a true"],
    ["print(1); print(2)", "1\n2"],
    ["const x = 3; print(x)", "3"],
    ["12*3", ""],
    ["", ""],
    ["await 3; print('late')", "late"],
    ["new Promise(() => {}); print(1)", "1"],
    ["print(0.1 + 0.2, 1/3, 2.5, -0)", "0.3 0.333333333333 2.5 0"],
    ["print(2**53, 10**15, 1/0)", "9.00719925474e+15 1000000000000000 Infinity"],
    ["print(2n**64n, [1, [2n]], { a: 1 }, null)", "18446744073709551616 [1, [2]] {a: 1} null"],
  ])("%s", async (code, output) => {
    expect(await run(code)).toEqual({ ok: true, output });
  });
});

describe("the prelude computes exactly:", () => {
  test.each([
    ["gcd(12, 18), gcd(0, 5), lcm(4, 6, 10)", "6 5 60"],
    ["factorial(20), factorial(25)", "2432902008176640000 15511210043330985984000000"],
    ["comb(50, 25), comb(3, 5), perm(5, 2), comb(10, 3) * 2", "126410606437752 0 20 240"],
    ["modpow(2, 100, 97), modpow(3, -1, 11), modinv(3, 11)", "16 4 4"],
    ["isPrime(1), isPrime(2), isPrime(91), isPrime(1000000007)", "false true false true"],
    ["isPrime(3215031751), isPrime(2n**61n - 1n)", "false true"],
    ["factor(360), factor(1), factor(1000000016000000063n)", "[2, 2, 2, 3, 3, 5] [] [1000000007, 1000000009]"],
    ["divisors(28)", "[1, 2, 4, 7, 14, 28]"],
    ["frac(1, 3).add('1/6'), frac('0.75').mul(4), frac(2, -4).pow(-2), frac(0.1).add(0.2)", "1/2 3 4 3/10"],
    ["frac(1, 3).compare(frac(2, 6)), frac(7, 2) > 3", "0 true"],
    ["solveLinear([[1, 2], [3, 4]], [5, 6])", "[-4, 9/2]"],
    ["solveLinear([[0, 1], [2, 0]], [3, 4])", "[2, 3]"],
    ["sum(range(1, 101)), range(5, 8), range(0, 10, 4)", "5050 [5, 6, 7] [0, 4, 8]"],
  ])("%s", async (code, output) => {
    expect(await run(`print(${code})`)).toEqual({ ok: true, output });
  });

  test("and defines each name that it promises", async () => {
    for (const name of PRELUDE_NAMES)
      expect(await run(`print(typeof ${name})`)).toEqual({ ok: true, output: "function" });
    const indirect = `print(Object.keys(globalThis).filter((key) => typeof globalThis[key] === "function").length)`;
    expect(await run(indirect)).toEqual({ ok: true, output: String(PRELUDE_NAMES.length) });
  });
});

describe("run comes back with ok false and a short error for", () => {
  test.each([
    ["a name that is not declared", "x = 3", /^ReferenceError: .*x/],
    ["a syntax error", "print(", /^SyntaxError/],
    ["a thrown error, after what was printed", "print(5); throw new RangeError('bad')", /^5\nRangeError: bad$/],
    ["an endless loop", "while (true) {}", /^Error: the code ran too long$/],
    ["an endless recursion", "const f = () => f(); f()", /^Error: the recursion is too deep$/],
    ["a singular system", "solveLinear([[1, 2], [2, 4]], [1, 2])", /no single solution/],
    ["a division by zero", "frac(1, 0)", /division by zero/],
    ["an import", "import fs from 'fs'", /import/],
    ["a promise that never settles", "await new Promise(() => {})", /^Error: /],
    ["too much output", "print('a'.repeat(100000))", /^Error: the code printed too much$/],
  ])("%s", async (_name, code, message) => {
    const result = await run(code);
    expect(result).toEqual({ ok: false, output: expect.stringMatching(message) as string });
  });
});

test("run keeps nothing between two calls", async () => {
  const tool = createRunTool({ sandbox, seed: "s" });
  await tool(["globalThis.kept = 1; print = 2"]);
  expect(await tool(["print(typeof kept)"])).toEqual({ ok: true, output: "undefined" });
});

test("run repeats its random numbers for equal seeds and not for the next call", async () => {
  const draws = async (seed: string): Promise<JsonValue[]> => {
    const tool = createRunTool({ sandbox, seed });
    return [await tool(["print(Math.random())"]), await tool(["print(Math.random())"])];
  };
  const [first, second] = await draws("a");
  expect(await draws("a")).toEqual([first, second]);
  expect(first).not.toEqual(second);
  expect(await draws("b")).not.toEqual([first, second]);
});

test("run cuts a long output", async () => {
  const result = await run("for (let i = 0; i < 900; i += 1) print(i)");
  expect(result).toMatchObject({ ok: true, output: expect.stringMatching(/^0\n1\n2\n/) as string });
  expect((result as { output: string }).output).toHaveLength(LONGEST_OUTPUT);
});

test("readOutcome keeps the error at the end of a long output", () => {
  const outcome = { ok: false, fault: "thrown", message: "Error: bad", fuel: 1, log: ["a".repeat(5000)] } as const;
  const { output } = readOutcome(outcome);
  expect(output).toHaveLength(LONGEST_OUTPUT);
  expect(output).toMatch(/a\nError: bad$/);
});

test.each([[[]], [[1]], [["1", "2"]], [["x".repeat(LONGEST_CODE + 1)]]])(
  "run refuses bad arguments with a TaskError (case %#)",
  async (args: JsonValue[]) => {
    await expect(createRunTool({ sandbox, seed: "s" })(args)).rejects.toThrow(TaskError);
  },
);
