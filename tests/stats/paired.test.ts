import { describe, expect, test } from "vitest";
import { createRng } from "../../src/base/rng.ts";
import { comparePaired, signFlipPValue } from "../../src/stats/paired.ts";

describe("signFlipPValue", () => {
  test.each([
    [[1], 1],
    [[1, 1], 0.5],
    [[1, 1, 1, 1, 1], 2 / 32],
    [[1, 1, 1, 1, -1], 12 / 32],
    [[1, 2, 3], 2 / 8],
    [[3, -1, -2], 1],
    [[0, 0, 0], 1],
    [[0, 1, 0, 1, 1], 2 / 8],
    [[0.1, 0.2, 0.3], 2 / 8],
  ])("signFlipPValue is exact when there are few differences: %j", (differences, expected) => {
    expect(signFlipPValue(differences, createRng(1))).toBe(expected);
  });

  test("signFlipPValue follows the binomial tail when it draws and all differences have one size", () => {
    // 20 tasks, 15 won and 5 lost: P(at least 15 or at most 5 of 20) = 2 * 21700 / 2^20.
    const differences = Array.from({ length: 20 }, (_, i) => (i < 15 ? 1 : -1));
    const expected = (2 * 21700) / 2 ** 20;
    const drawn = signFlipPValue(differences, createRng(3), { permutations: 20_000 });
    expect(Math.abs(drawn - expected)).toBeLessThan(0.005);
  });

  test("signFlipPValue never is 0 when it draws", () => {
    const differences = Array.from({ length: 100 }, () => 1);
    expect(signFlipPValue(differences, createRng(1), { permutations: 99 })).toBe(0.01);
  });

  test("signFlipPValue falls below 0.05 about once in twenty when there is no difference", () => {
    const trials = 400;
    let rejected = 0;
    for (let trial = 0; trial < trials; trial += 1) {
      const rng = createRng(5, trial);
      const differences = Array.from({ length: 30 }, () => rng.normal());
      if (signFlipPValue(differences, rng, { permutations: 400 }) < 0.05) rejected += 1;
    }
    expect(rejected / trials).toBeGreaterThan(0.02);
    expect(rejected / trials).toBeLessThan(0.085);
  });

  test("signFlipPValue throws RangeError when there is nothing to compare", () => {
    expect(() => signFlipPValue([], createRng(1))).toThrow(RangeError);
    expect(() => signFlipPValue([1], createRng(1), { permutations: 0 })).toThrow(RangeError);
  });
});

describe("comparePaired", () => {
  test("comparePaired mirrors its result when the sides are swapped", () => {
    const first = [1, 0.5, 0.75, 1, 0.25, 1];
    const second = [0.5, 0.5, 0.25, 0.75, 0.5, 0];
    const forward = comparePaired([first, second], createRng(2));
    const backward = comparePaired([second, first], createRng(2));
    expect(forward.difference).toBeCloseTo(1.75 / 6 + 0.25 / 6, 12);
    expect(forward.tasks).toBe(6);
    expect(backward.difference).toBeCloseTo(-forward.difference, 12);
    expect(backward.low).toBeCloseTo(-forward.high, 1);
    expect(backward.pValue).toBe(forward.pValue);
    expect(forward).toEqual(comparePaired([first, second], createRng(2)));
  });

  test("comparePaired sees a small steady gain when the tasks themselves differ much", () => {
    const rng = createRng(9);
    const second = Array.from({ length: 50 }, () => rng.uniform());
    const first = second.map((score) => score + 0.05 + 0.05 * rng.normal());
    const { difference, low, high, pValue } = comparePaired([first, second], rng);
    expect(Math.abs(difference - 0.05)).toBeLessThan(0.02);
    expect(low).toBeGreaterThan(0);
    expect(high).toBeLessThan(0.1);
    expect(pValue).toBeLessThan(0.01);
  });

  test("comparePaired throws RangeError when the tasks are not the same", () => {
    expect(() => comparePaired([[1], [1, 2]], createRng(1))).toThrow(/expected scores of the same tasks, got 1 and 2/);
  });
});
