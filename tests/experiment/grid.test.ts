import { describe, expect, it } from "vitest";
import { computeGrid, GRID_FILE, type Grid, type GridCell } from "../../src/experiment/grid.ts";
import { runExperiment } from "../../src/experiment/run.ts";
import type { RunSummary } from "../../src/experiment/summary.ts";
import { createDirectSandbox } from "../support/direct-sandbox.ts";
import { makeParts, memoryFolder, smallConfig } from "../support/experiment.ts";
import type { ExperimentParts } from "../../src/experiment/context.ts";

const sandbox = createDirectSandbox();
const config = smallConfig("whale");

type Finished = { readonly summary: RunSummary; readonly open: () => Promise<ExperimentParts> };

async function finish(): Promise<Finished> {
  const folder = memoryFolder(config);
  const open = async (): Promise<ExperimentParts> => makeParts(config, { sandbox, store: await folder.open() });
  return { summary: await runExperiment(config, await open()), open };
}

async function grid(
  { summary, open }: Finished,
  onCell: (cell: GridCell, grid: Grid) => void = () => undefined,
  split: "validation" | "test" = "validation",
): Promise<Grid> {
  const parts = await open();
  const { curve } = summary;
  const request = { split, samples: config.evaluation.samples, tasks: parts.tasks[split], curve };
  return computeGrid({ config, parts }, request, onCell);
}

describe("computeGrid", () => {
  it("scores every pair of kept weights and harness, as the run did where it had that pair", async () => {
    const finished = await finish();
    const result = await grid(finished);
    expect(result.weights).toEqual([{ step: 0 }, { step: 2 }, { step: 3 }]);
    expect(result.harnesses).toEqual([{ name: "h0" }, { name: "p2-h2" }]);
    expect(result.cells.map(({ step, harness }) => [step, harness])).toEqual([
      [0, "h0"],
      [0, "p2-h2"],
      [2, "h0"],
      [2, "p2-h2"],
      [3, "h0"],
      [3, "p2-h2"],
    ]);
    for (const point of finished.summary.curve) {
      const cell = result.cells.find(({ step, harness }) => step === point.step && harness === point.harness);
      expect(cell?.mean).toBe(point.validation.meanAt8);
      expect(cell?.low).toBe(point.validation.low);
    }
    expect(result).toMatchObject({ schema: 1, split: "validation", samples: 2, tasks: 4 });
  });

  it("goes on where it was killed, and begins anew for another split", async () => {
    const finished = await finish();
    const whole = await grid(await finish());
    let computed = 0;
    const dies = (): void => {
      computed += 1;
      if (computed === 2) throw new RangeError("killed");
    };
    await expect(grid(finished, dies)).rejects.toThrow("killed");
    const { store } = await finished.open();
    expect((await store.readJson(GRID_FILE))?.["cells"]).toHaveLength(2);
    computed = 10;
    expect(await grid(finished, dies)).toEqual(whole);
    expect(computed).toBe(14);
    expect(await grid(finished, dies)).toEqual(whole);
    expect(computed).toBe(14);
    const test = await grid(finished, dies, "test");
    expect(computed).toBe(20);
    expect(test.tasks).toBe(6);
  });
});
