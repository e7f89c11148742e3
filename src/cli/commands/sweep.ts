/** `sweep`: conditions, schedules, domains and seeds in one resumable command, with a closing comparison. */
import { availableParallelism } from "node:os";
import { withRunLock } from "../../platform/node/run-lock.ts";
import { parseAssignments, requireValue, type Arguments } from "../args.ts";
import { DOMAIN_NAMES, findModelFolder } from "../registry.ts";
import { chooseConditions, parseNames, parseSeeds, planCells, type Cell } from "../sweep/cells.ts";
import { concludeSweep } from "../sweep/conclude.ts";
import { needOf, playCell } from "../sweep/play.ts";
import { describeSweep, readSeconds, startRecord, writeSweep, type CellRecord } from "../sweep/record.ts";
import { runCells } from "../sweep/run-cells.ts";
import { printNote, type Terminal } from "../terminal.ts";

/** Plays the runs that the options describe, and compares those that are done; 1 where one failed. */
export async function sweep(args: Arguments, terminal: Terminal): Promise<number> {
  const cells = readCells(args);
  const out = requireValue(args.text("out"), "--out");
  const preset = requireValue(args.text("preset"), "--preset");
  const stop = new AbortController();
  const interrupt = (): void => {
    printNote(terminal, "stopping; the same command goes on where it stops");
    stop.abort();
  };
  process.once("SIGINT", interrupt);
  const records = await withRunLock(out, () => play(args, terminal, { cells, out, preset, signal: stop.signal }));
  process.removeListener("SIGINT", interrupt);
  await concludeSweep({ records, out, isJson: args.flag("json") }, terminal);
  // 128 + SIGINT, as shells expect it.
  if (stop.signal.aborted) return 130;
  return records.every(({ status }) => status === "done") ? 0 : 1;
}

type Sweeping = {
  readonly cells: readonly Cell[];
  readonly out: string;
  readonly preset: string;
  readonly signal: AbortSignal;
};

async function play(args: Arguments, terminal: Terminal, sweeping: Sweeping): Promise<readonly CellRecord[]> {
  const { cells, out, preset, signal } = sweeping;
  const jobs = Math.min(requireValue(args.integer("jobs"), "--jobs"), cells.length);
  const threads = Math.max(1, Math.floor(availableParallelism() / jobs));
  const device = args.text("device");
  const earlier = await readSeconds(out);
  const records = cells.map((cell) => startRecord(cell, out, earlier.get(cell.name) ?? 0));
  return runCells(
    cells.map((cell, i) => ({ cell, record: records[i] as CellRecord })),
    {
      need: needOf,
      play: (one) => playCell(one, { device, threads, signal }),
      save: (all) => writeSweep(out, describeSweep(preset, jobs, all)),
      note: (line) => {
        printNote(terminal, line);
      },
      clock: terminal.clock,
      jobs,
      signal,
    },
  );
}

function readCells(args: Arguments): Cell[] {
  const domains = args.text("domains");
  const model = requireValue(args.text("model"), "--model");
  findModelFolder(model);
  return planCells({
    domains: domains === undefined ? DOMAIN_NAMES : parseNames(domains, "domain", DOMAIN_NAMES),
    ...chooseConditions(args.text("conditions"), args.flag("schedules")),
    seeds: parseSeeds(requireValue(args.text("seeds"), "--seeds")),
    model,
    preset: requireValue(args.text("preset"), "--preset"),
    settings: Object.fromEntries(parseAssignments(args.list("set"))),
  });
}
