/** Learning curves as broken lines: their height at a budget, where they pass a level, and their mean height. */

/** A point of a curve. */
export type CurvePoint = { readonly x: number; readonly y: number };

/**
 * The area under the line through `points`, divided by its width: the mean height, in units of y. Where all points share
 * one x it is the mean of their heights.
 * @throws {RangeError} If there are no points, or x ever decreases.
 */
export function areaUnderCurve(points: readonly CurvePoint[]): number {
  const first = points[0];
  const last = points.at(-1);
  if (!first || !last) throw new RangeError("areaUnderCurve: expected one point or more, got none");
  let area = 0;
  let previous = first;
  for (const point of points) {
    const width = point.x - previous.x;
    if (!(width >= 0))
      throw new RangeError(`areaUnderCurve: x must not decrease, got ${String(point.x)} after ${String(previous.x)}`);
    area += (width * (previous.y + point.y)) / 2;
    previous = point;
  }
  const width = last.x - first.x;
  return width > 0 ? area / width : points.reduce((sum, { y }) => sum + y, 0) / points.length;
}

/**
 * The height of the line through `points` at `x`; before the first point and after the last the line is level.
 * @throws {RangeError} If there are no points.
 */
export function heightAt(points: readonly CurvePoint[], x: number): number {
  const after = points.findIndex((point) => point.x > x);
  const left = points.at(after < 0 ? -1 : Math.max(0, after - 1));
  if (!left) throw new RangeError("heightAt: expected one point or more, got none");
  const right = points[after];
  if (right === undefined || right.x === left.x || x <= left.x) return left.y;
  return left.y + ((right.y - left.y) * (x - left.x)) / (right.x - left.x);
}

/** The part of the line through `points` up to `x`, with a point there. */
export function clipCurve(points: readonly CurvePoint[], x: number): CurvePoint[] {
  return [...points.filter((point) => point.x < x), { x, y: heightAt(points, x) }];
}

/** The smallest x at which the line through `points` comes to lie above `level`; undefined where it never does. */
export function firstAbove(points: readonly CurvePoint[], level: number): number | undefined {
  const at = points.findIndex(({ y }) => y > level);
  const [before, after] = [points[at - 1], points[at]];
  if (after === undefined) return undefined;
  if (before === undefined) return after.x;
  return before.x + ((after.x - before.x) * (level - before.y)) / (after.y - before.y);
}
