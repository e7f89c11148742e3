/** Where things stand in the pictures, apart from how they are drawn. */
import type { CurvePoint } from "../../../src/index.ts";
import type { StepPoint } from "../../protocol/runs.ts";
import { adoptedHarnesses, type RunView } from "./run-view.ts";

/** A state that was measured, by its place in the picture. */
export type PlaneCell = {
  readonly column: number;
  readonly row: number;
  readonly point: CurvePoint;
  /** Index in the curve of the newest point of this state. */
  readonly index: number;
};

/** The measured states of `view`, each once, with the columns (training steps) and rows (harnesses) they stand in. */
export function planeCells(view: Pick<RunView, "curve" | "phases">): {
  readonly columns: readonly number[];
  readonly rows: readonly string[];
  readonly cells: readonly PlaneCell[];
} {
  const columns = [...new Set(view.curve.map(({ step }) => step))].sort((a, b) => a - b);
  const rows = adoptedHarnesses({ curve: view.curve, phases: [] });
  const cells = new Map<string, PlaneCell>();
  view.curve.forEach((point, index) => {
    const [column, row] = [columns.indexOf(point.step), rows.indexOf(point.harness)];
    cells.set(`${String(column)}/${String(row)}`, { column, row, point, index });
  });
  return { columns, rows, cells: [...cells.values()] };
}

/** Index of the point nearest to `rollouts`; undefined on an empty curve. */
export function nearestPoint(curve: readonly CurvePoint[], rollouts: number): number | undefined {
  let best: number | undefined;
  curve.forEach((point, i) => {
    const far = Math.abs(point.rollouts - rollouts);
    // Of points at the same place the later one is meant: the earlier one lies under it.
    if (best === undefined || far <= Math.abs((curve[best]?.rollouts ?? 0) - rollouts)) best = i;
  });
  return best;
}

/** The step nearest to `rollouts`. */
export function nearestStep(steps: readonly StepPoint[], rollouts: number): StepPoint | undefined {
  return steps.reduce<StepPoint | undefined>(
    (best, step) =>
      best === undefined || Math.abs(step.spent - rollouts) < Math.abs(best.spent - rollouts) ? step : best,
    undefined,
  );
}

/** Values against rollouts, with a gap where a harness phase lies between two steps. */
export function stripData(
  steps: readonly StepPoint[],
  pick: (step: StepPoint) => number,
): [xs: number[], ys: (number | null)[]] {
  const xs: number[] = [];
  const ys: (number | null)[] = [];
  steps.forEach((step, i) => {
    const before = steps[i - 1];
    if (before !== undefined && before.phase !== step.phase) {
      xs.push((before.spent + step.spent) / 2);
      ys.push(null);
    }
    xs.push(step.spent);
    ys.push(pick(step));
  });
  return [xs, ys];
}

/** Two heights, at least `gap` apart, in the order they had. */
export function spread(a: number, b: number, gap: number): [number, number] {
  const missing = gap - Math.abs(a - b);
  if (missing <= 0) return [a, b];
  const push = missing / 2;
  return a <= b ? [a - push, b + push] : [a + push, b - push];
}
