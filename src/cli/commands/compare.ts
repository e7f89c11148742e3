/**
 * `compare DIR…`: what each condition reached over its runs, how conditions differ, and each run against the first. A run
 * that cannot be read is named and left out; only where none is left does the command fail.
 */
import { LabError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import { compareScores, type ScoreComparison } from "../../evaluation/compare.ts";
import {
  compareRuns,
  leaveOut,
  readComparedRun,
  type ComparedRun,
  type Comparison,
  type LeftOut,
} from "../../report/comparison.ts";
import { renderComparison } from "../../report/comparison-page.ts";
import { formatComparison } from "../comparison-text.ts";
import type { Arguments } from "../args.ts";
import { writeTextFile } from "../files.ts";
import { percent, points } from "../progress/figures.ts";
import { openRunView, readRunFolder } from "../saved-run.ts";
import { printJson, printNote, type Terminal } from "../terminal.ts";

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

/** Compares the given runs; with `--out` also as a page. */
export async function compare(args: Arguments, terminal: Terminal): Promise<number> {
  const { runs, leftOut } = await readRuns(args.positionals);
  const comparison = compareRuns(runs, { leftOut });
  const reference = runs.find(({ scores }) => scores.curve.length > 0);
  const others = runs.filter((run) => run !== reference && run.scores.curve.length > 0);
  const byRun = reference === undefined ? [] : compareEach(reference, others);
  const out = args.text("out");
  if (out !== undefined) await writeTextFile(out, renderComparison(comparison));
  if (args.flag("json")) printJson(terminal, formatDocument(comparison, { reference, byRun, out }));
  else {
    terminal.out(`${formatComparison(comparison)}\n`);
    if (reference !== undefined && byRun.length > 0 && runs.length <= MOST_BY_RUN)
      terminal.out(formatByRun(reference, byRun));
    if (out !== undefined) printNote(terminal, `page: ${out}`);
  }
  return 0;
}

/** @throws {LabError} If no folder holds a run that can be read. */
async function readRuns(folders: readonly string[]): Promise<{ runs: ComparedRun[]; leftOut: LeftOut[] }> {
  const runs: ComparedRun[] = [];
  const leftOut: LeftOut[] = [];
  let failure: LabError | undefined;
  for (const folder of folders) {
    try {
      runs.push(await readComparedRun(await openRunView(folder), await readRunFolder(folder)));
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      failure ??= error;
      leftOut.push(leaveOut(folder, error));
    }
  }
  if (runs.length === 0 && failure !== undefined) throw failure;
  return { runs, leftOut };
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

type ByRun = {
  readonly reference: ComparedRun | undefined;
  readonly byRun: readonly RunComparison[];
  readonly out: string | undefined;
};

function formatDocument({ domains, leftOut }: Comparison, { reference, byRun, out }: ByRun): JsonObject {
  const { folder, domain, condition, seed } = reference?.record ?? {};
  return {
    schema: 1,
    domain,
    split: "test",
    reference: { folder, condition, seed },
    comparisons: byRun,
    domains: domains.map((compared) => ({
      ...compared,
      conditions: compared.conditions.map((summary) => ({
        ...summary,
        runs: summary.runs.map((run) => ({ folder: run.folder, seed: run.seed, complete: run.isComplete })),
      })),
    })),
    leftOut,
    page: out,
  };
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
