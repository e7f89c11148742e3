/** The closing comparison of a sweep: what each variant reached on test, over the seeds that are done. */
import type { JsonObject } from "../../base/json.ts";
import type { RunSummary } from "../../experiment/summary.ts";
import { grouped, points } from "../progress/figures.ts";

/** A finished run. */
export type FinishedCell = {
  /** Condition, or schedule of it: the name of the run without domain and seed. */
  readonly variant: string;
  readonly summary: RunSummary;
};

/** Figures of one variant in one domain; accuracies on test in [0, 1], means over seeds. */
export type VariantRow = {
  readonly domain: string;
  readonly variant: string;
  readonly seeds: readonly number[];
  readonly base: number;
  /** At the point that was best on validation. */
  readonly chosen: number;
  /** Standard deviation of `chosen` over seeds; null for a single one. */
  readonly spread: number | null;
  readonly final: number;
  readonly bestOnTest: number;
  /** Training and search rollouts of a whole run. */
  readonly rollouts: number;
};

/** One row for each domain and variant, in the order of their first run. */
export function tabulate(finished: readonly FinishedCell[]): VariantRow[] {
  const groups = new Map<string, FinishedCell[]>();
  for (const cell of finished) {
    const key = `${cell.summary.domain} ${cell.variant}`;
    groups.set(key, [...(groups.get(key) ?? []), cell]);
  }
  return [...groups.values()].flatMap((cells) => {
    const [first] = cells;
    return first === undefined ? [] : [tabulateVariant(first, cells)];
  });
}

/** The rows as text, domain by domain. */
export function formatTable(rows: readonly VariantRow[]): string {
  const domains = [...new Set(rows.map(({ domain }) => domain))];
  const head = formatRow("", ["seeds", "base", "chosen", "±", "gain", "final", "best", "rollouts"]);
  const lines = domains.flatMap((domain) => [
    `${domain}: accuracy on test, %`,
    head,
    ...rows.filter((row) => row.domain === domain).map(formatVariant),
    "",
  ]);
  return lines.join("\n");
}

/** The rows as a document. */
export function describeTable(rows: readonly VariantRow[]): JsonObject[] {
  return rows.map((row) => ({ ...row, gain: row.chosen - row.base }));
}

function tabulateVariant({ variant, summary }: FinishedCell, cells: readonly FinishedCell[]): VariantRow {
  const mean = (of: (summary: RunSummary) => number): number =>
    cells.reduce((sum, cell) => sum + of(cell.summary), 0) / cells.length;
  const chosen = mean((one) => one.chosen.test.meanAt8);
  const squares = cells.reduce((sum, cell) => sum + (cell.summary.chosen.test.meanAt8 - chosen) ** 2, 0);
  return {
    domain: summary.domain,
    variant,
    seeds: cells.map((cell) => cell.summary.seed),
    base: mean((one) => one.base.test.meanAt8),
    chosen,
    spread: cells.length < 2 ? null : Math.sqrt(squares / (cells.length - 1)),
    final: mean((one) => one.final.test.meanAt8),
    bestOnTest: mean((one) => one.bestOnTest.test.meanAt8),
    rollouts: mean(({ ledger }) => ledger.rollouts.weights + ledger.rollouts.harness),
  };
}

function formatVariant(row: VariantRow): string {
  const share = (value: number): string => (100 * value).toFixed(1);
  return formatRow(row.variant, [
    String(row.seeds.length),
    share(row.base),
    share(row.chosen),
    row.spread === null ? "" : share(row.spread),
    points(row.chosen - row.base),
    share(row.final),
    share(row.bestOnTest),
    grouped(Math.round(row.rollouts)),
  ]);
}

function formatRow(name: string, columns: readonly string[]): string {
  return `  ${name.padEnd(20)}${columns.map((text) => text.padStart(9)).join("")}`;
}
