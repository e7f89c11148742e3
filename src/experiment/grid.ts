/**
 * Every pair of weights and harness that a run kept, scored: the two-axis picture of the WHALE paper (arXiv 2609.00196,
 * figure a), which shows what either part is worth without the other.
 *
 * Weights are those of the points of the curve, harnesses all that the run saved; base and h0 are among both. A cell is
 * played with the streams of the run's own evaluations, so that cells can be compared pairwise, and is written as soon as
 * it is done.
 */
import { StoreError } from "../base/errors.ts";
import { isJsonArray, type JsonObject } from "../base/json.ts";
import { evaluate } from "../evaluation/evaluate.ts";
import type { Task } from "../rollout/domain.ts";
import { checkpointFolder, type RunStore } from "../store/run-store.ts";
import { loadCheckpoint } from "./checkpoints.ts";
import { harnessPath } from "./context.ts";
import type { CurvePoint } from "./summary.ts";
import { playBatches, type RolloutHost } from "./rollouts.ts";
import type { NamedHarness } from "./state.ts";

/** Version of the file. */
export const GRID_SCHEMA = 1;
/** The file in the run folder. */
export const GRID_FILE = "grid.json";

/** Score of one pair: mean reward with its bootstrap interval over tasks. */
export type GridCell = {
  /** RSFT steps of the weights; 0 is the base. */
  readonly step: number;
  readonly harness: string;
  readonly mean: number;
  readonly low: number;
  readonly high: number;
};

/** The grid, complete or not; `cells` go weights by weights in the order of `weights`, `harnesses` within. */
export type Grid = {
  readonly schema: typeof GRID_SCHEMA;
  readonly split: "validation" | "test";
  /** Rollouts a task. */
  readonly samples: number;
  /** Number of tasks. */
  readonly tasks: number;
  readonly weights: readonly { readonly step: number }[];
  readonly harnesses: readonly { readonly name: string }[];
  readonly cells: readonly GridCell[];
};

/** What a grid is wanted of. */
export type GridRequest = Pick<Grid, "split" | "samples"> & {
  readonly tasks: readonly Task[];
  readonly curve: readonly CurvePoint[];
};

/** What it is computed with: rollouts, and the files of the run. */
export type GridHost = RolloutHost & { readonly parts: { readonly store: RunStore } };

/**
 * Computes the cells that `grid.json` of the run lacks; one that was made for another split, or other samples or tasks, is
 * begun anew. `onCell` hears of each cell with the grid so far.
 * @throws {StoreError} If the run has kept no checkpoint, or a file is missing.
 */
export async function computeGrid(
  host: GridHost,
  request: GridRequest,
  onCell: (cell: GridCell, grid: Grid) => void,
): Promise<Grid> {
  const { store, policy } = host.parts;
  const steps = await keptWeights(store, request.curve);
  const harnesses = await keptHarnesses(store);
  const shape = {
    schema: GRID_SCHEMA,
    split: request.split,
    samples: request.samples,
    tasks: request.tasks.length,
    weights: steps.map((step) => ({ step })),
    harnesses: harnesses.map(({ name }) => ({ name })),
  } as const;
  const known = readCells(await store.readJson(GRID_FILE), shape);
  const cells: GridCell[] = [];
  for (const step of steps) {
    let isLoaded = false;
    for (const harness of harnesses) {
      const found = known.find((cell) => cell.step === step && cell.harness === harness.name);
      if (found !== undefined) {
        cells.push(found);
        continue;
      }
      if (!isLoaded) await loadCheckpoint(store, policy, step);
      isLoaded = true;
      const cell = { step, harness: harness.name, ...(await score(host, request, harness)) };
      cells.push(cell);
      const later = known.filter(
        (one) => !cells.some((done) => done.step === one.step && done.harness === one.harness),
      );
      const grid = { ...shape, cells: [...cells, ...later] };
      await store.writeJson(GRID_FILE, grid);
      onCell(cell, grid);
    }
  }
  return { ...shape, cells };
}

async function score(
  host: GridHost,
  { split, samples, tasks }: GridRequest,
  harness: NamedHarness,
): Promise<Pick<GridCell, "mean" | "low" | "high">> {
  const { evaluation, seed } = host.config;
  const { mean, low, high } = await evaluate(tasks, {
    ...evaluation,
    samples,
    seed,
    rollouts: async (wanted) =>
      (await playBatches(host, "evaluation", [{ harness, purpose: [split], wanted }]))[0] ?? [],
  });
  // Caches of this harness are of no use to the next one.
  await host.parts.policy.settle();
  return { mean, low, high };
}

/** Steps of the checkpoints behind the points of the curve; a step that learnt nothing has none and is that before it. */
async function keptWeights(store: RunStore, curve: readonly CurvePoint[]): Promise<number[]> {
  const folders = new Set((await store.listBlobs("checkpoints")).map((path) => path.split("/").slice(0, 2).join("/")));
  const hasCheckpoint = (step: number): boolean => folders.has(checkpointFolder(step));
  const steps = curve.map((point) => {
    let step = point.step;
    while (step > 0 && !hasCheckpoint(step)) step -= 1;
    return step;
  });
  if (!hasCheckpoint(0))
    throw new StoreError(`${store.name}: the run has kept no checkpoints; give a run folder as run made it`);
  return [...new Set([0, ...steps])].sort((a, b) => a - b);
}

/** All harnesses of the run in the order in which they came up. */
async function keptHarnesses(store: RunStore): Promise<NamedHarness[]> {
  const folder = harnessPath("").split("/")[0] ?? "";
  const names = (await store.listBlobs(folder)).map((path) => path.slice(folder.length + 1).replace(/\.js$/, ""));
  // p10-h3 comes after p2-h7, and h0 before both.
  const numbers = (name: string): number[] => (name.match(/\d+/g) ?? []).map(Number);
  const order = ([phase = 0, candidate = 0]: number[]): number => 1e6 * phase + candidate;
  const sorted = names.sort((a, b) => order(numbers(a)) - order(numbers(b)));
  return Promise.all(
    sorted.map(async (name) => {
      const bytes = await store.readBlob(harnessPath(name));
      if (bytes === undefined) throw new StoreError(`${store.name}/${harnessPath(name)}: missing`);
      return { name, source: new TextDecoder().decode(bytes) };
    }),
  );
}

/** The cells of an earlier grid of the same shape; its axes may have been shorter when the run had not ended. */
function readCells(
  saved: JsonObject | undefined,
  shape: Pick<Grid, "schema" | "split" | "samples" | "tasks">,
): GridCell[] {
  const isSame = (["schema", "split", "samples", "tasks"] as const).every((key) => saved?.[key] === shape[key]);
  const cells = saved?.["cells"];
  return isSame && isJsonArray(cells) ? (cells as unknown as GridCell[]) : [];
}
