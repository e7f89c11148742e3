import { describe, expect, test } from "vitest";
import { areaUnderCurve, clipCurve, firstAbove, heightAt } from "../../src/stats/area-under-curve.ts";

describe("areaUnderCurve", () => {
  test("areaUnderCurve is the mean height when the curve is a line or a step", () => {
    expect(
      areaUnderCurve([
        { x: 10, y: 0 },
        { x: 30, y: 1 },
      ]),
    ).toBe(0.5);
    expect(
      areaUnderCurve([
        { x: 0, y: 0 },
        { x: 1, y: 0 },
        { x: 1, y: 1 },
        { x: 4, y: 1 },
      ]),
    ).toBe(0.75);
  });

  test("areaUnderCurve is the mean of the heights when the curve has no width", () => {
    expect(areaUnderCurve([{ x: 3, y: 0.25 }])).toBe(0.25);
    expect(
      areaUnderCurve([
        { x: 3, y: 0 },
        { x: 3, y: 1 },
      ]),
    ).toBe(0.5);
  });

  test("areaUnderCurve throws RangeError when there are no points or x decreases", () => {
    expect(() => areaUnderCurve([])).toThrow(RangeError);
    expect(() =>
      areaUnderCurve([
        { x: 1, y: 0 },
        { x: 0, y: 0 },
      ]),
    ).toThrow(/x must not decrease, got 0 after 1/);
  });
});

const LINE = [
  { x: 0, y: 0.1 },
  { x: 100, y: 0.3 },
  { x: 200, y: 0.2 },
];

describe("heightAt", () => {
  test.each([
    [-5, 0.1],
    [0, 0.1],
    [50, 0.2],
    [100, 0.3],
    [175, 0.225],
    [200, 0.2],
    [900, 0.2],
  ])("at %d is %d", (x, y) => {
    expect(heightAt(LINE, x)).toBeCloseTo(y, 12);
  });

  test("takes the later of two points with one x", () => {
    expect(heightAt([...LINE, { x: 200, y: 0.6 }], 200)).toBe(0.6);
  });

  test("throws when there are no points", () => {
    expect(() => heightAt([], 0)).toThrow(RangeError);
  });
});

test("clipCurve ends the line where it is cut", () => {
  const clipped = clipCurve(LINE, 150);
  expect(clipped.map(({ x }) => x)).toEqual([0, 100, 150]);
  expect(clipped.at(-1)?.y).toBeCloseTo(0.25, 12);
  // (100 * 0.2 + 50 * 0.275) / 150
  expect(areaUnderCurve(clipped)).toBeCloseTo(0.225, 12);
});

describe("firstAbove", () => {
  test.each([
    [0.05, 0],
    [0.2, 50],
    [0.25, 75],
  ])("rises above %d at %d", (level, x) => {
    expect(firstAbove(LINE, level)).toBeCloseTo(x, 9);
  });

  test("is undefined when the line never rises above the level, even if it touches it", () => {
    expect(firstAbove(LINE, 0.3)).toBeUndefined();
  });
});
