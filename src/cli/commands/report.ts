/** `report DIR…`: one self-contained page for one run or for several drawn over each other. */
import { join } from "node:path";
import type { Arguments } from "../args.ts";
import { writeTextFile } from "../files.ts";
import { renderReport } from "../../report/page.ts";
import { readRunFolder } from "../saved-run.ts";
import { printJson, type Terminal } from "../terminal.ts";

/** Name of the page in a run folder. */
const REPORT_FILE = "report.html";

/** Writes the report of the given runs. */
export async function report(args: Arguments, terminal: Terminal): Promise<number> {
  const path = await writeReport(args.positionals, args.text("out"));
  if (args.flag("json")) printJson(terminal, { report: path, runs: args.positionals });
  else terminal.out(`${path}\n`);
  return 0;
}

/**
 * Writes the report of the runs in `folders` to `out`, or into the first folder, and returns where it is.
 * @throws {StoreError} If a folder holds no run, or the page cannot be written.
 */
export async function writeReport(folders: readonly string[], out?: string): Promise<string> {
  const runs = await Promise.all(folders.map(readRunFolder));
  const path = out ?? join(folders[0] ?? ".", REPORT_FILE);
  await writeTextFile(path, renderReport(runs));
  return path;
}
