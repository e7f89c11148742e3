/** `compare DIR DIR…`: how much better each run is than the first, task by task on test. */
import { TaskError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import { compareScores, type ScoreComparison } from "../../evaluation/compare.ts";
import type { Arguments } from "../args.ts";
import { percent, points } from "../progress/figures.ts";
import { readScores } from "../../report/read-run.ts";
import type { RunRecord } from "../../report/run-record.ts";
import { openRunView, readRunFolder } from "../saved-run.ts";
import { printJson, type Terminal } from "../terminal.ts";

/** The points of a run that are compared. */
const COMPARED = ["chosen", "final"] as const;

/** A run against the first one. */
export type RunComparison = {
  readonly folder: string;
  readonly condition: string;
  readonly seed: number;
  readonly chosen: ScoreComparison;
  readonly final: ScoreComparison;
};

/** Prints the paired differences of the given runs against the first. */
export async function compare(args: Arguments, terminal: Terminal): Promise<number> {
  const runs = await Promise.all(args.positionals.map(readRunFolder));
  const [first, ...others] = runs;
  if (first === undefined) throw new TaskError("compare: no runs given");
  const comparisons: RunComparison[] = [];
  for (const run of others) comparisons.push(await compareRuns(run, first));
  if (args.flag("json")) printJson(terminal, formatDocument(first, comparisons));
  else terminal.out(formatText(first, comparisons));
  return 0;
}

/**
 * The paired difference of `run` minus `reference` on test, at the chosen and at the final point.
 * @throws {TaskError} If they are of different domains, share no task, or one has not been evaluated.
 */
export async function compareRuns(run: RunRecord, reference: RunRecord): Promise<RunComparison> {
  if (run.domain !== reference.domain)
    throw new TaskError(`compare: ${run.folder} is about ${run.domain}, ${reference.folder} about ${reference.domain}`);
  const at = async (name: (typeof COMPARED)[number]): Promise<ScoreComparison> => {
    const [mine, theirs] = [run[name], reference[name]];
    const missing = mine === undefined ? run : reference;
    if (mine === undefined || theirs === undefined)
      throw new TaskError(`compare: ${missing.folder} has not been evaluated yet`);
    const scores = await readScores(await openRunView(run.folder), mine, "test");
    return compareScores(scores, await readScores(await openRunView(reference.folder), theirs, "test"));
  };
  const { folder, condition, seed } = run;
  return { folder, condition, seed, chosen: await at("chosen"), final: await at("final") };
}

function formatDocument(reference: RunRecord, comparisons: readonly RunComparison[]): JsonObject {
  const { folder, domain, condition, seed } = reference;
  return { schema: 1, domain, split: "test", reference: { folder, condition, seed }, comparisons };
}

function formatText(reference: RunRecord, comparisons: readonly RunComparison[]): string {
  const lines = [
    `Differences on test against ${reference.folder} (${reference.condition}, seed ${String(reference.seed)}), in points:`,
  ];
  for (const { folder, condition, seed, ...compared } of comparisons) {
    lines.push(`${folder} (${condition}, seed ${String(seed)})`);
    for (const name of COMPARED) lines.push(`  ${name.padEnd(7)} ${formatComparison(compared[name])}`);
  }
  return `${lines.join("\n")}\n`;
}

function formatComparison(comparison: ScoreComparison): string {
  const { difference, low, high, pValue, tasks, unshared, first, second } = comparison;
  const scores = `${percent(first)} against ${percent(second)}`;
  const apart = low > 0 || high < 0 ? "" : ", not told apart";
  const left = unshared > 0 ? `, ${String(unshared)} unshared` : "";
  return `${points(difference)} [${points(low)}, ${points(high)}], p ${pValue.toFixed(4)}${apart}: ${scores} on ${String(tasks)} tasks${left}`;
}
