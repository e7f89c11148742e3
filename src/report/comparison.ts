/**
 * Many runs as conditions: runs with equal settings but for their seed are one condition, conditions of one domain are
 * compared. Runs that cannot be used are named with the reason, never dropped in silence.
 */
import { describeError } from "../base/errors.ts";
import { canonicalJson, isJsonObject, type JsonValue } from "../base/json.ts";
import {
  compareConditions,
  rolloutsToPass,
  type ConditionDifference,
  type PeakPassed,
} from "../evaluation/compare-conditions.ts";
import {
  commonBudget,
  describeCondition,
  type ConditionRuns,
  type ConditionSummary,
  type ScoredRun,
} from "../evaluation/condition-scores.ts";
import { configLeaves } from "../experiment/config.ts";
import type { CurvePoint } from "../experiment/summary.ts";
import type { RunView } from "../store/run-view.ts";
import { readScores } from "./read-run.ts";
import type { RunRecord } from "./run-record.ts";

/** A run with the scores of its points on test. */
export type ComparedRun = { readonly record: RunRecord; readonly scores: ScoredRun };

/** A run that is not part of the comparison. */
export type LeftOut = { readonly folder: string; readonly reason: string };

/** One condition of a domain. */
export type ComparedCondition = ConditionSummary & {
  readonly condition: string;
  readonly preset: string;
  readonly runs: readonly RunRecord[];
  /** Whether its runs had not ended, so that its figures are not its last word. */
  readonly unfinished: boolean;
};

/** The conditions of one domain. */
export type DomainComparison = {
  readonly domain: string;
  /** Rollouts that all of them spent, over which areas are taken. */
  readonly budget: number;
  readonly confidence: number;
  /** In the order in which they were given. */
  readonly conditions: readonly ComparedCondition[];
  /** Every condition minus every one that was given before it. */
  readonly differences: readonly ConditionDifference[];
  readonly passes: readonly PeakPassed[];
  /** What a reader must know: unpaired, different settings. */
  readonly notes: readonly string[];
};

/** Everything that was compared. */
export type Comparison = { readonly domains: readonly DomainComparison[]; readonly leftOut: readonly LeftOut[] };

/**
 * Reads the test scores of every point of `record`, whose files `view` holds.
 * @throws {StoreError} If the run keeps none for a point, or a file is damaged.
 */
export async function readComparedRun(view: RunView, record: RunRecord): Promise<ComparedRun> {
  const curve: ScoredRun["curve"][number][] = [];
  for (const point of record.curve)
    curve.push({ rollouts: point.rollouts, scores: await readScores(view, point, "test") });
  const indexOf = (point: CurvePoint | undefined): number =>
    Math.max(
      0,
      record.curve.findIndex((other) => other === point || canonicalJson(other) === canonicalJson(point ?? null)),
    );
  return {
    record,
    scores: {
      name: record.folder,
      seed: record.seed,
      curve,
      chosen: indexOf(record.chosen),
      bestOnTest: indexOf(record.bestOnTest),
    },
  };
}

/** How `compareRuns` draws. */
export type CompareRunsOptions = {
  /** @default 2000 */
  readonly resamples?: number;
  /** Runs that could not be read. @default none */
  readonly leftOut?: readonly LeftOut[];
};

/** Compares `runs`. */
export function compareRuns(runs: readonly ComparedRun[], options: CompareRunsOptions = {}): Comparison {
  const { resamples = 2000 } = options;
  const leftOut = [...(options.leftOut ?? [])];
  const usable = runs.filter(({ record, scores }) => {
    if (scores.curve.length > 0) return true;
    leftOut.push({ folder: record.folder, reason: "it has not been evaluated yet" });
    return false;
  });
  const names = [...new Set(usable.map(({ record }) => record.domain))];
  const domains = names.map((domain) => {
    const groups = groupRuns(
      usable.filter(({ record }) => record.domain === domain),
      leftOut,
    );
    return compareDomain(domain, groups, resamples);
  });
  return { domains, leftOut };
}

type Group = { readonly label: string; readonly runs: readonly ComparedRun[] };

function compareDomain(domain: string, groups: readonly Group[], resamples: number): DomainComparison {
  const conditions: ConditionRuns[] = groups.map(({ label, runs }) => ({
    label,
    runs: runs.map(({ scores }) => scores),
  }));
  const confidence = groups[0]?.runs[0]?.record.confidence ?? 0.95;
  const options = { budget: commonBudget(conditions), resamples, confidence };
  const summaries = conditions.map((condition, i): ComparedCondition => {
    const records = groups[i]?.runs.map(({ record }) => record) ?? [];
    const [first] = records;
    return {
      ...describeCondition(condition, options),
      condition: first?.condition ?? "",
      preset: first?.preset ?? "",
      runs: records,
      unfinished: records.some(({ isComplete }) => !isComplete),
    };
  });
  const pairs = conditions.flatMap((first, i) => conditions.slice(0, i).map((second) => [first, second] as const));
  const differences = pairs.map(([first, second]) => compareConditions(first, second, options));
  const passes = summaries.flatMap((first) =>
    summaries.filter((second) => second !== first).map((second) => rolloutsToPass(first, second)),
  );
  return {
    domain,
    budget: options.budget,
    confidence,
    conditions: summaries,
    differences,
    passes,
    notes: describeDoubts(summaries, differences),
  };
}

/** Runs with equal settings but for the seed; a condition with runs that ended does without those that did not. */
function groupRuns(runs: readonly ComparedRun[], leftOut: LeftOut[]): Group[] {
  const groups = new Map<string, ComparedRun[]>();
  for (const run of runs) {
    const rivals = runs.filter(({ record }) => record.condition === run.record.condition);
    const shared = sharedSettings(rivals.map(({ record }) => record));
    const key = canonicalJson([run.record.modelHash, ...(shared.get(run.record) ?? [])]);
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    const twin = group.find(({ record }) => record.seed === run.record.seed);
    if (twin === undefined) group.push(run);
    else leftOut.push({ folder: run.record.folder, reason: `same settings and seed as ${twin.record.folder}` });
  }
  const all = [...groups.values()].map((group) => {
    const done = group.filter(({ record }) => record.isComplete);
    if (done.length === 0 || done.length === group.length) return group;
    for (const { record } of group)
      if (!record.isComplete)
        leftOut.push({ folder: record.folder, reason: `unfinished; go on with: spyhop resume ${record.folder}` });
    return done;
  });
  const labels = labelGroups(all.map((group) => (group[0] as ComparedRun).record));
  return all.map((group, i) => ({ label: labels[i] as string, runs: group }));
}

/** Settings by dotted path, in the order of the config. */
type Settings = readonly (readonly [path: string, value: JsonValue])[];

/** What decides a run's results beside its seed; how many rollouts run at once, and which are kept, does not. */
function settingsOf({ config }: RunRecord): Settings {
  const settings = isJsonObject(config) ? config : {};
  return configLeaves({ ...settings, seed: undefined, rollout: undefined });
}

/** The settings that all of `records` have: a version of the program that knew fewer says nothing of the others. */
function sharedSettings(records: readonly RunRecord[]): ReadonlyMap<RunRecord, Settings> {
  const all = records.map(settingsOf);
  const isShared = (path: string): boolean => all.every((settings) => settings.some(([other]) => other === path));
  return new Map(records.map((record, i) => [record, (all[i] ?? []).filter(([path]) => isShared(path))]));
}

/** Most settings that a label spells out. */
const MOST_NAMED = 3;

/** The condition, and what tells it from others of the same name: its model, its preset, or the settings that differ. */
export function labelGroups(records: readonly RunRecord[]): string[] {
  const labels = records.map((record) => {
    const rivals = records.filter((other) => other.condition === record.condition);
    const parts = [record.condition];
    if (new Set(rivals.map(({ model, modelHash }) => `${model} ${modelHash}`)).size > 1) parts.push(record.model);
    if (new Set(rivals.map(({ preset }) => preset)).size > 1) return [...parts, record.preset].join(", ");
    const shared = sharedSettings(rivals);
    const valueOf = (rival: RunRecord, path: string): JsonValue =>
      shared.get(rival)?.find(([other]) => other === path)?.[1] ?? null;
    const paths = (shared.get(record) ?? []).map(([path]) => path).filter((path) => path !== "model");
    const differing = paths.filter(
      (path) => new Set(rivals.map((rival) => formatSetting(valueOf(rival, path)))).size > 1,
    );
    const named = differing.slice(0, MOST_NAMED);
    return [
      ...parts,
      ...named.map((path) => `${path.split(".").at(-1) ?? path} ${formatSetting(valueOf(record, path))}`),
    ].join(", ");
  });
  return labels.map((label, i) => {
    const copies = labels.slice(0, i).filter((other) => other === label).length;
    return copies === 0 ? label : `${label} (${String(copies + 1)})`;
  });
}

function formatSetting(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function describeDoubts(
  conditions: readonly ComparedCondition[],
  differences: readonly ConditionDifference[],
): string[] {
  const notes: string[] = [];
  const unpaired = differences.filter(({ paired }) => !paired);
  if (unpaired.length > 0)
    notes.push(
      `Compared without pairing, since they share no seed with the same tasks: ${unpaired.map(({ first, second }) => `${first} and ${second}`).join("; ")}.`,
    );
  const presets = [...new Set(conditions.map(({ preset }) => preset))];
  if (presets.length > 1) notes.push(`The presets differ (${presets.join(", ")}): budgets and sizes are not alike.`);
  const models = [...new Set(conditions.flatMap(({ runs }) => runs.map(({ modelHash }) => modelHash)))];
  if (models.length > 1) notes.push("The base models differ.");
  const settings = conditions.flatMap(({ runs }) =>
    runs.map((run) =>
      settingsOf(run)
        .map(([path]) => path)
        .join(),
    ),
  );
  if (new Set(settings).size > 1)
    notes.push(
      "Versions of Spyhop with different settings wrote these runs; only settings that both know are compared.",
    );
  const few = conditions.filter(({ seeds }) => seeds.length < 2).map(({ label }) => label);
  if (few.length > 0) notes.push(`One seed only, so the interval covers tasks and not seeds: ${few.join(", ")}.`);
  const partial = differences.filter(({ paired, seeds, first, second }) => {
    const most = Math.max(
      ...conditions.filter(({ label }) => label === first || label === second).map((c) => c.seeds.length),
    );
    return paired && seeds < most;
  });
  if (partial.length > 0)
    notes.push(
      `Paired on the seeds that both have, which are not all: ${partial.map(({ first, second, seeds }) => `${first} and ${second} (${String(seeds)})`).join("; ")}.`,
    );
  const unfinished = conditions.filter((condition) => condition.unfinished).map(({ label }) => label);
  if (unfinished.length > 0) notes.push(`Unfinished, shown as far as it went: ${unfinished.join(", ")}.`);
  return notes;
}

/** Why a run cannot be part of a comparison, from the error that reading it gave. */
export function leaveOut(folder: string, error: unknown): LeftOut {
  return { folder, reason: describeError(error) };
}
