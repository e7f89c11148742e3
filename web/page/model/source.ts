/** Where the rollouts and harnesses of the shown run come from: the worker's run folders, or the recorded run. */
import type { RunEvent } from "../../../src/index.ts";
import type { RolloutGroup, RolloutRow, RolloutView } from "../../protocol/rollouts.ts";
import type { HarnessSource } from "../../protocol/runs.ts";
import type { Lab } from "../../worker/port.ts";

/** A rollout of one task in one evaluation. */
export type TaskRollout = { readonly group: RolloutGroup; readonly row: RolloutRow };

/** Reads one run. */
export type RunSource = {
  /** Folder name of the run; empty for the recorded one. */
  readonly run: string;
  readonly listGroups: () => Promise<readonly RolloutGroup[]>;
  readonly listRollouts: (group: string) => Promise<readonly RolloutRow[]>;
  readonly readRollout: (ref: string) => Promise<RolloutView>;
  /** The same task and sample in every evaluation, in order. */
  readonly findTask: (task: string, sample: number) => Promise<readonly TaskRollout[]>;
  readonly readHarness: (harness: string) => Promise<HarnessSource>;
};

/** The recorded run of the first screen, as `scripts/record-run.ts` writes it. */
export type Recording = {
  readonly version: 1;
  /** What it is and how it was made, for the page to say. */
  readonly about: string;
  readonly events: readonly RunEvent[];
  readonly groups: readonly { readonly group: RolloutGroup; readonly rows: readonly RolloutRow[] }[];
  readonly rollouts: readonly RolloutView[];
  readonly harnesses: readonly HarnessSource[];
};

/** A source over the worker's run `run`. */
export function sourceOfLab(lab: Lab, run: string): RunSource {
  return {
    run,
    listGroups: () => lab.call("listGroups", { run }),
    listRollouts: (group) => lab.call("listRollouts", { run, group }),
    readRollout: (ref) => lab.call("readRollout", { run, ref }),
    findTask: (task, sample) => lab.call("findTask", { run, task, sample }),
    readHarness: (harness) => lab.call("readHarness", { run, harness }),
  };
}

/** A source over the recorded run. Rejects with a `RangeError` where it does not hold what is asked for. */
export function sourceOfRecording(recording: Recording): RunSource {
  const rollouts = new Map(recording.rollouts.map((view) => [view.ref, view]));
  const harnesses = new Map(recording.harnesses.map((harness) => [harness.name, harness]));
  const kept = recording.groups.map(({ group, rows }) => ({
    group,
    rows: rows.filter(({ ref }) => rollouts.has(ref)),
  }));
  const find = <T>(value: T | undefined, what: string): Promise<T> =>
    value === undefined
      ? Promise.reject(new RangeError(`The recording does not hold ${what}. Run your own to see all of it.`))
      : Promise.resolve(value);
  return {
    run: "",
    listGroups: () => Promise.resolve(kept.filter(({ rows }) => rows.length > 0).map(({ group }) => group)),
    listRollouts: (name) => find(kept.find(({ group }) => group.group === name)?.rows, "these rollouts"),
    readRollout: (ref) => find(rollouts.get(ref), "this rollout"),
    findTask: (task, sample) =>
      Promise.resolve(
        kept.flatMap(({ group, rows }) =>
          group.use === "evaluation"
            ? rows.filter((row) => row.task === task && row.sample === sample).map((row) => ({ group, row }))
            : [],
        ),
      ),
    readHarness: (name) => find(harnesses.get(name), `harness ${name}`),
  };
}
