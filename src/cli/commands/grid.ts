/** `grid DIR`: the score of every pair of weights and harness that a run kept, computed where it is not known yet. */
import { StoreError } from "../../base/errors.ts";
import { parseConfig } from "../../experiment/config.ts";
import { computeGrid, type Grid } from "../../experiment/grid.ts";
import { PRESET_TABLE } from "../../experiment/presets.ts";
import { createFsBlobStore } from "../../platform/node/fs-blob-store.ts";
import { withRunLock } from "../../platform/node/run-lock.ts";
import { openRun } from "../../store/run-store.ts";
import { requireValue, type Arguments } from "../args.ts";
import { loadTasks, requestSplit } from "../execute.ts";
import { parseDevice } from "../model-files.ts";
import { duration, interval, percent, plural } from "../progress/figures.ts";
import { findDomain } from "../registry.ts";
import { readRunFolder } from "../saved-run.ts";
import { printJson, printNote, type Terminal } from "../terminal.ts";
import { openWorkbench } from "../workbench.ts";

/** Computes and prints the grid of the given run. */
export async function grid(args: Arguments, terminal: Terminal): Promise<number> {
  const folder = requireValue(args.positionals[0], "DIR");
  await readRunFolder(folder);
  const result = await withRunLock(folder, () => compute(folder, args, terminal));
  if (args.flag("json")) printJson(terminal, result);
  else terminal.out(formatGrid(result));
  return 0;
}

async function compute(folder: string, args: Arguments, terminal: Terminal): Promise<Grid> {
  const { curve, device: earlier } = await readRunFolder(folder);
  if (curve.length === 0) throw new StoreError(`${folder}: the run has not been evaluated yet; resume it first`);
  const store = await openRun(createFsBlobStore(folder), folder);
  const config = parseConfig(store.config, PRESET_TABLE.toy);
  const split = args.text("split") === "test" ? "test" : "validation";
  const samples = args.integer("samples") ?? config.evaluation.samples;
  const { domain, tasks } = await loadTasks(
    findDomain(config.domain),
    requestSplit(config, split, args.integer("tasks")),
    terminal,
  );
  const device = parseDevice(args.text("device") ?? (earlier === "" ? "auto" : earlier));
  await using workbench = await openWorkbench(config, { device, threads: args.integer("threads") });
  const parts = { ...workbench, domain, store, progress: () => undefined };
  const chosen = tasks[split];
  const start = terminal.clock();
  let computed = 0;
  return await computeGrid({ config, parts }, { split, samples, tasks: chosen, curve }, (cell, { cells, ...axes }) => {
    computed += 1;
    const left = axes.weights.length * axes.harnesses.length - cells.length;
    const time = ((terminal.clock() - start) / computed) * left;
    const ending = left === 0 ? "" : `; ${plural(left, "cell")} left, about ${duration(time)}`;
    const score = interval(cell.mean, cell.low, cell.high);
    printNote(terminal, `step ${String(cell.step)} with ${cell.harness}: ${score}${ending}`);
  });
}

/** Weights down, harnesses across. */
function formatGrid({ split, samples, tasks, weights, harnesses, cells }: Grid): string {
  const head = harnesses.map(({ name }) => name.padStart(10)).join("");
  const rows = weights.map(({ step }) => {
    const row = harnesses.map(({ name }) => cells.find((cell) => cell.step === step && cell.harness === name));
    return `  step ${String(step).padEnd(6)}${row.map((cell) => percent(cell?.mean ?? 0).padStart(10)).join("")}`;
  });
  const title = `Accuracy on ${plural(tasks, "task")} of ${split}, mean@${String(samples)}, weights by harness:`;
  return `${[title, `  ${"".padEnd(11)}${head}`, ...rows].join("\n")}\n`;
}
