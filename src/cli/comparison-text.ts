/** A comparison as a person reads it in a terminal. */
import type { ConditionDifference } from "../evaluation/compare-conditions.ts";
import type { Measure } from "../evaluation/condition-scores.ts";
import type { MeanInterval } from "../stats/bootstrap.ts";
import type { Comparison, DomainComparison } from "../report/comparison.ts";
import { grouped, percent, plural, points } from "./progress/figures.ts";

/** The tables of every domain, then what was left out. */
export function formatComparison({ domains, leftOut }: Comparison): string {
  return [
    ...domains.flatMap((domain) => [...formatDomain(domain), ""]),
    ...leftOut.map(({ folder, reason }) => `left out: ${folder}: ${reason.replace(`${folder}: `, "")}`),
  ].join("\n");
}

function formatDomain(domain: DomainComparison): string[] {
  const { conditions, budget, confidence } = domain;
  const head = [
    "condition",
    "seeds",
    "rollouts",
    "base",
    "chosen",
    "best on test",
    "final",
    `area to ${grouped(budget)}`,
  ];
  const rows = conditions.map(({ label, seeds, curve, measures, unfinished }) => [
    unfinished ? `${label} (unfinished)` : label,
    String(seeds.length),
    grouped(curve.at(-1)?.rollouts ?? 0),
    ...(["base", "chosen", "bestOnTest", "final", "area"] as const).map((measure) => bracketed(measures[measure])),
  ]);
  return [
    `${domain.domain}: accuracy on test in %, means over seeds and tasks [${percent(confidence)} of resamples]`,
    ...alignColumns([head, ...rows]).map((line) => `  ${line}`),
    "  chosen is best on validation, the figure to report; best on test is how the paper chose; area is the mean height",
    ...(conditions.length > 1 ? [...formatPasses(domain), ...formatDifferences(domain)] : []),
    ...domain.notes.map((note) => `note: ${note}`),
  ];
}

function bracketed({ mean, low, high }: MeanInterval): string {
  return `${bare(mean)} [${bare(low)}, ${bare(high)}]`;
}

function bare(share: number): string {
  return (100 * share).toFixed(1);
}

function formatPasses({ conditions, passes }: DomainComparison): string[] {
  const head = ["rollouts to rise above the peak of", ...conditions.map(({ label }) => label)];
  const peaks = ["", ...conditions.map(({ curve }) => percent(Math.max(...curve.map(({ mean }) => mean))))];
  const rows = conditions.map(({ label }) => [
    label,
    ...conditions.map((other) => {
      const pass = passes.find(({ first, second }) => first === label && second === other.label);
      if (pass === undefined) return "";
      return pass.rollouts === null ? "never" : grouped(pass.rollouts);
    }),
  ]);
  return alignColumns([head, peaks, ...rows]);
}

/** Against the first condition given; the document has every pair. */
function formatDifferences({ conditions, differences }: DomainComparison): string[] {
  const reference = conditions[0]?.label ?? "";
  const shown = differences.filter(({ second }) => second === reference);
  const rows = (["chosen", "bestOnTest", "final", "area"] as const).flatMap((measure) =>
    shown.map((difference) => [
      `${difference.first}, ${MEASURE_NAMES[measure]}`,
      ...describeDifference(difference, measure),
    ]),
  );
  return [`differences to ${reference}, in points`, ...alignColumns(rows).map((line) => `  ${line}`)];
}

const MEASURE_NAMES: Readonly<Record<Measure, string>> = {
  base: "base",
  chosen: "chosen",
  bestOnTest: "best on test",
  final: "final",
  area: "area",
};

function describeDifference(compared: ConditionDifference, measure: Measure): string[] {
  const { difference, low, high, pValue, pSeeds } = compared.measures[measure];
  const apart = low > 0 || high < 0 ? "" : "not told apart";
  const over = compared.paired ? plural(compared.tasks, "pair") : "unpaired tasks";
  const seeds = pSeeds === null ? "" : `${pSeeds.toFixed(3)} over ${plural(compared.seeds, "seed")}`;
  return [
    `${points(difference)} [${points(low)}, ${points(high)}]`,
    `p ${pValue.toFixed(4)} over ${over}`,
    seeds,
    apart,
  ];
}

/** Lines of cells in columns: the first ones to the left, all others to the right. */
function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join("  "),
  );
}
