import { describe, expect, test } from "vitest";
import { areaUnderCurve } from "../../src/stats/area-under-curve.ts";

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
