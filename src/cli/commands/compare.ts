/**
 * `compare DIR…`: what each condition reached over its runs, how conditions differ, and each run against the first. A run
 * that cannot be read is named and left out; only where none is left does the command fail. What a sweep wrote beside its
 * runs is passed over, so that `DIR/*` means the runs.
 */
import { renderComparison } from "../../report/comparison-page.ts";
import type { Arguments } from "../args.ts";
import { compareFolders, describeFolders, formatFolders } from "../compare-folders.ts";
import { writeTextFile } from "../files.ts";
import { withoutSweepFiles } from "../sweep/own-files.ts";
import { printJson, printNote, type Terminal } from "../terminal.ts";

/** Compares the given runs; with `--out` also as a page. */
export async function compare(args: Arguments, terminal: Terminal): Promise<number> {
  const paths = await withoutSweepFiles(args.positionals);
  const compared = await compareFolders(paths.length === 0 ? args.positionals : paths);
  if (compared.runs.length === 0 && compared.failure !== undefined) throw compared.failure;
  const out = args.text("out");
  if (out !== undefined) await writeTextFile(out, renderComparison(compared.comparison));
  if (args.flag("json")) printJson(terminal, describeFolders(compared, out));
  else {
    terminal.out(formatFolders(compared));
    if (out !== undefined) printNote(terminal, `page: ${out}`);
  }
  return 0;
}
