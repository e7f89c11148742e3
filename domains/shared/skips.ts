/** Counts the rows of a file that could not be used, by reason, in the order in which reasons turn up. */
import type { SkippedRows } from "../../src/rollout/domain.ts";

/** The counter; `first` names the row where a reason was met first. */
export class SkipCounter {
  readonly #byReason = new Map<string, { count: number; first: string }>();

  /** Counts `row`, by its number, under `reason`. */
  add(reason: string, row: number): void {
    const entry = this.#byReason.get(reason);
    if (entry) entry.count += 1;
    else this.#byReason.set(reason, { count: 1, first: `row ${String(row)}` });
  }

  /** What was counted so far. */
  list(): SkippedRows[] {
    return [...this.#byReason].map(([reason, entry]) => ({ reason, ...entry }));
  }
}
