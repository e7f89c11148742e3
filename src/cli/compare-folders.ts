/** Run folders compared, as text, page and document: what `compare` prints and what a sweep ends with. */
import { LabError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { compareScores, type ScoreComparison } from "../evaluation/compare.ts";
import { compareRuns, leaveOut, readComparedRun, type ComparedRun, type Comparison } from "../report/comparison.ts";
import { formatComparison } from "./comparison-text.ts";
import { percent, points } from "./progress/figures.ts";
import { openRunView, readRunFolder } from "./saved-run.ts";

/** The points of a run that are compared with those of another. */
const COMPARED = ["chosen", "final"] as const;
/** Most runs for which the text also compares run by run. */
const MOST_BY_RUN = 6;

/** A run against the first one. */
type RunComparison = {
  readonly folder: string;
  readonly condition: string;
  readonly seed: number;
  readonly chosen: ScoreComparison;
  readonly final: ScoreComparison;
};

/** Run folders compared. */
export type FolderComparison = {
  readonly comparison: Comparison;
  /** Runs that could be read. */
  readonly runs: readonly ComparedRun[];
  /** The first run that has been evaluated. */
  readonly reference: ComparedRun | undefined;
  /** Every other one of its tasks against it. */
  readonly byRun: readonly RunComparison[];
  /** Why the first folder that could not be read could not. */
  readonly failure: LabError | undefined;
};

/** Compares the runs in `folders`; one that cannot be read is named in the comparison and left out. */
export async function compareFolders(folders: readonly string[]): Promise<FolderComparison> {
  const runs: ComparedRun[] = [];
  const failures: { readonly folder: string; readonly error: LabError }[] = [];
  for (const folder of folders) {
    try {
      runs.push(await readComparedRun(await openRunView(folder), await readRunFolder(folder)));
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      failures.push({ folder, error });
    }
  }
  const leftOut = failures.map(({ folder, error }) => leaveOut(folder, error));
  const reference = runs.find(({ scores }) => scores.curve.length > 0);
  const others = runs.filter((run) => run !== reference && run.scores.curve.length > 0);
  return {
    comparison: compareRuns(runs, { leftOut }),
    runs,
    reference,
    byRun: reference === undefined ? [] : compareEach(reference, others),
    failure: failures[0]?.error,
  };
}

/** Those of `others` that share tasks with `reference`, at the chosen and at the final point. */
function compareEach(reference: ComparedRun, others: readonly ComparedRun[]): RunComparison[] {
  const known = new Set(reference.scores.curve[0]?.scores.tasks);
  return others.flatMap((run) => {
    const { folder, condition, seed, domain } = run.record;
    const shares = run.scores.curve[0]?.scores.tasks.some((task) => known.has(task)) === true;
    if (!shares || domain !== reference.record.domain) return [];
    const at = (name: (typeof COMPARED)[number]): ScoreComparison =>
      compareScores(scoresAt(run, name), scoresAt(reference, name));
    return [{ folder, condition, seed, chosen: at("chosen"), final: at("final") }];
  });
}

function scoresAt(
  { scores }: ComparedRun,
  name: (typeof COMPARED)[number],
): ComparedRun["scores"]["curve"][number]["scores"] {
  const point = name === "final" ? scores.curve.at(-1) : scores.curve[scores.chosen];
  return (point as ComparedRun["scores"]["curve"][number]).scores;
}

/** The comparison as a document; `page` is where it was written as a page. */
export function describeFolders({ comparison, reference, byRun }: FolderComparison, page?: string): JsonObject {
  const { folder, domain, condition, seed } = reference?.record ?? {};
  return {
    schema: 1,
    domain,
    split: "test",
    reference: { folder, condition, seed },
    comparisons: byRun,
    domains: comparison.domains.map((compared) => ({
      ...compared,
      conditions: compared.conditions.map((summary) => ({
        ...summary,
        runs: summary.runs.map((run) => ({ folder: run.folder, seed: run.seed, complete: run.isComplete })),
      })),
    })),
    leftOut: comparison.leftOut,
    page,
  };
}

/** The comparison as a person reads it in a terminal; with few runs also run by run. */
export function formatFolders({ comparison, runs, reference, byRun }: FolderComparison): string {
  const hasByRun = byRun.length > 0 && runs.length <= MOST_BY_RUN;
  return `${formatComparison(comparison)}\n${reference !== undefined && hasByRun ? formatByRun(reference, byRun) : ""}`;
}

function formatByRun({ record }: ComparedRun, comparisons: readonly RunComparison[]): string {
  const lines = [
    `\nRun by run on test against ${record.folder} (${record.condition}, seed ${String(record.seed)}), in points:`,
  ];
  for (const { folder, condition, seed, ...compared } of comparisons) {
    lines.push(`${folder} (${condition}, seed ${String(seed)})`);
    for (const name of COMPARED) lines.push(`  ${name.padEnd(7)} ${formatScores(compared[name])}`);
  }
  return `${lines.join("\n")}\n`;
}

function formatScores(comparison: ScoreComparison): string {
  const { difference, low, high, pValue, tasks, unshared, first, second } = comparison;
  const scores = `${percent(first)} against ${percent(second)}`;
  const apart = low > 0 || high < 0 ? "" : ", not told apart";
  const left = unshared > 0 ? `, ${String(unshared)} unshared` : "";
  return `${points(difference)} [${points(low)}, ${points(high)}], p ${pValue.toFixed(4)}${apart}: ${scores} on ${String(tasks)} tasks${left}`;
}
