/** One number for a learning curve: its mean height over the budget, by the trapezoidal rule. */

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
