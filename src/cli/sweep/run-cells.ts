/** The loop of a sweep: what is done is skipped, what broke off goes on, what fails is noted and does not stop the rest. */
import { describeError } from "../../base/errors.ts";
import { plannedRollouts } from "../../experiment/plan.ts";
import { duration } from "../progress/figures.ts";
import type { Cell } from "./cells.ts";
import type { CellNeed, CellPlay } from "./play.ts";
import type { CellRecord } from "./record.ts";

/** What the loop works with. */
export type SweepParts = {
  readonly need: (cell: Cell, folder: string) => Promise<CellNeed>;
  /** Rejects where the run fails. */
  readonly play: (play: CellPlay) => Promise<void>;
  /** Called with all records whenever one has changed. */
  readonly save: (records: readonly CellRecord[]) => Promise<void>;
  readonly note: (line: string) => void;
  /** Milliseconds from any origin. */
  readonly clock: () => number;
  /** Runs at once. */
  readonly jobs: number;
  /** No further run is begun when it is aborted. */
  readonly signal: AbortSignal;
};

/** A run and its record. */
export type SweepCell = { readonly cell: Cell; readonly record: CellRecord };

/** Plays `cells` and returns their records; `waiting` are those that an abort left over. */
export async function runCells(cells: readonly SweepCell[], parts: SweepParts): Promise<readonly CellRecord[]> {
  const records = cells.map(({ record }) => record);
  const price = new PriceList();
  let next = 0;
  // Runs end side by side, but their records are in one file.
  let saving: Promise<void> = Promise.resolve();
  const update = (index: number, change: Partial<CellRecord>): Promise<void> => {
    records[index] = { ...(records[index] as CellRecord), ...change };
    saving = saving.then(() => parts.save([...records]));
    return saving;
  };
  const count = (index: number): string => `${String(index + 1)}/${String(cells.length)} ${records[index]?.name ?? ""}`;
  const playNext = async (index: number, { cell, record }: SweepCell): Promise<void> => {
    const start = parts.clock();
    const seconds = (): number => record.seconds + (parts.clock() - start) / 1000;
    try {
      const need = await parts.need(cell, record.folder);
      if (need === "nothing") {
        parts.note(`${count(index)}: done before`);
        await update(index, { status: "done" });
        return;
      }
      parts.note(`${count(index)}: ${need === "resume" ? "resumed" : "started"}`);
      await update(index, { status: "running" });
      await parts.play({ cell, folder: record.folder, need });
      await update(index, { status: "done", seconds: seconds() });
      // A resumed run did part of its work before, so it says nothing about the price.
      if (need === "run") price.add(plannedRollouts(cell.config), parts.clock() - start);
      parts.note(`${count(index)}: done in ${duration(parts.clock() - start)}${timeLeft()}`);
    } catch (error) {
      const isStopped = parts.signal.aborted;
      await update(index, {
        status: isStopped ? "waiting" : "failed",
        error: isStopped ? "" : describeError(error),
        seconds: seconds(),
      });
      if (!isStopped) parts.note(`${count(index)}: failed, ${describeError(error)}`);
    }
  };
  const timeLeft = (): string => {
    const left = cells.filter((_, i) => records[i]?.status === "waiting" || records[i]?.status === "running");
    const time = price.estimate(left.map(({ cell }) => plannedRollouts(cell.config)));
    return left.length === 0 || time === undefined ? "" : `, about ${duration(time / parts.jobs)} left`;
  };
  const work = async (): Promise<void> => {
    while (next < cells.length && !parts.signal.aborted) {
      const index = next;
      next += 1;
      await playNext(index, cells[index] as SweepCell);
    }
  };
  await Promise.all(Array.from({ length: parts.jobs }, work));
  return records;
}

/** What a rollout has cost so far, evaluations and all. */
class PriceList {
  #rollouts = 0;
  #milliseconds = 0;

  add(rollouts: number, milliseconds: number): void {
    this.#rollouts += rollouts;
    this.#milliseconds += milliseconds;
  }

  /** Milliseconds that runs of so many rollouts will take, undefined before the first. */
  estimate(rollouts: readonly number[]): number | undefined {
    if (this.#rollouts === 0) return undefined;
    return (rollouts.reduce((sum, count) => sum + count, 0) * this.#milliseconds) / this.#rollouts;
  }
}
