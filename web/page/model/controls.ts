/** Which of the four buttons can be pressed now, and if not, why. */
import type { PageState } from "../state.ts";

/** Whether a control does something; if not, the reason, for people. */
export type Allowed = { readonly isAllowed: boolean; readonly reason: string };

type Part = Pick<PageState, "boot" | "status" | "active">;

const YES: Allowed = { isAllowed: true, reason: "" };

function no(reason: string): Allowed {
  return { isAllowed: false, reason };
}

function notReady({ boot }: Part): Allowed | undefined {
  if (boot.kind === "starting") return no("The engine is still loading.");
  if (boot.kind === "failed") return no("The engine could not start; see the message.");
  return undefined;
}

/** The words on the first button. */
export function runLabel({ status }: Part): string {
  return status === "paused" || status === "pausing" ? "Go on" : "Run";
}

/** Run, or go on. */
export function canRun(state: Part): Allowed {
  const missing = notReady(state);
  if (missing !== undefined) return missing;
  if (state.status === "running") return no("It is running already.");
  if (state.status === "stepping") return no("One step is being done.");
  if (state.status === "stopping") return no("It is stopping.");
  return YES;
}

/** Pause. */
export function canPause(state: Part): Allowed {
  if (state.status === "running") return YES;
  if (state.status === "pausing") return no("It pauses after the piece of work that it is in.");
  return no("Nothing is running.");
}

/** One step, of a new run where there is none. */
export function canStep(state: Part): Allowed {
  const missing = notReady(state);
  if (missing !== undefined) return missing;
  if (state.status === "stepping") return no("One step is being done.");
  if (state.status === "stopping") return no("It is stopping.");
  return YES;
}

/** Stop. */
export function canStop(state: Part): Allowed {
  if (state.status === "idle") return no("Nothing is running.");
  if (state.status === "stopping") return no("It is stopping.");
  return YES;
}
