/** The end of a sweep: its finished runs are compared as `compare` does, and what failed is named. */
import { join } from "node:path";
import { canonicalJson } from "../../base/json.ts";
import { renderComparison } from "../../report/comparison-page.ts";
import { compareFolders, describeFolders, formatFolders, type FolderComparison } from "../compare-folders.ts";
import { writeTextFile } from "../files.ts";
import { plural } from "../progress/figures.ts";
import { printJson, printNote, type Terminal } from "../terminal.ts";
import { COMPARISON_FILES, SWEEP_FILE } from "./own-files.ts";
import type { CellRecord } from "./record.ts";

/** Version of the document. */
const ENDING_SCHEMA = 2;

/** What a sweep has come to. */
export type SweepEnding = {
  readonly records: readonly CellRecord[];
  /** Folder of the runs. */
  readonly out: string;
  readonly isJson: boolean;
};

/**
 * Prints the comparison of the runs that are done, domain by domain, and writes it to `compare.html` and `compare.json` in
 * `out` where at least two of one domain are.
 * @throws {StoreError} If a file cannot be written.
 */
export async function concludeSweep({ records, out, isJson }: SweepEnding, terminal: Terminal): Promise<void> {
  const done = records.filter(({ status }) => status === "done");
  const compared = await compareFolders(done.map(({ folder }) => folder));
  const files = hasRivals(compared) ? await writeComparison(out, compared) : [];
  const comparison = describeFolders(compared, files[0]);
  if (isJson) printJson(terminal, { schema: ENDING_SCHEMA, out, cells: records, comparison });
  else {
    const written = files.length === 0 ? "" : `Comparison: ${files.join(", ")}\n`;
    const text = done.length === 0 ? "" : formatFolders(compared);
    terminal.out(`${text}${written}Runs: ${join(out, SWEEP_FILE)}\n`);
  }
  const failed = records.filter(({ status }) => status === "failed");
  for (const { name, error } of failed) printNote(terminal, `${name}: ${error}`);
  if (failed.length > 0)
    printNote(
      terminal,
      `${plural(failed.length, "run")} of ${String(records.length)} failed; the same command tries again`,
    );
}

/** Whether two runs of one domain are compared. */
function hasRivals({ comparison }: FolderComparison): boolean {
  return comparison.domains.some(({ conditions }) => conditions.reduce((sum, { runs }) => sum + runs.length, 0) >= 2);
}

async function writeComparison(out: string, compared: FolderComparison): Promise<string[]> {
  const page = join(out, COMPARISON_FILES.page);
  const document = join(out, COMPARISON_FILES.document);
  await writeTextFile(page, renderComparison(compared.comparison));
  await writeTextFile(document, `${canonicalJson(describeFolders(compared, page))}\n`);
  return [page, document];
}
