/** Whose turn it is in the run that is shown. */
import type { RunView } from "./run-view.ts";

/** What of the page's state says whose turn it is. */
export type TurnState = {
  readonly view: RunView;
  readonly runs: readonly { readonly run: string; readonly status: string }[];
  /** The run that is shown; empty for none. */
  readonly look: { readonly run: string };
  /** The run under way; empty for none. */
  readonly active: string;
};

/** Whether the run that is shown is the one under way. */
export function isLive({ active, look }: TurnState): boolean {
  return active !== "" && active === look.run;
}

/** Whether the run that is shown ended before its time and may be gone on with. */
export function isUnfinished(state: TurnState): boolean {
  const { runs, look } = state;
  return !isLive(state) && runs.some(({ run, status }) => run === look.run && status === "unfinished");
}

/** The words of the turn, and the side whose colour they have. */
export function turnOf(state: TurnState): { readonly side: string; readonly words: string } {
  const { view } = state;
  // Its last files are being written; only then can another run begin.
  if (view.isComplete) return { side: "none", words: isLive(state) ? "Finishing" : "Finished" };
  if (isUnfinished(state)) return { side: "none", words: "Not finished" };
  if (
    view.batch?.use === "evaluation" ||
    (view.phase === undefined && view.curve.length === 0 && view.config !== undefined)
  )
    return { side: "none", words: "Measuring" };
  if (view.phase === undefined) return { side: "none", words: view.config === undefined ? "…" : "Measuring" };
  return view.phase.part === "weights"
    ? { side: "weights", words: `The weights’ turn, cycle ${String(view.phase.cycle)}` }
    : { side: "harness", words: `The harness’s turn, cycle ${String(view.phase.cycle)}` };
}
