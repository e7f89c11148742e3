/** The lab as whoever calls it sees it; `client.ts` opens one in a worker. */
import type { Problem } from "../protocol/lab.ts";
import type { LabCommand, LabCommands, LabEvent } from "../protocol/messages.ts";

/** Rejects a call that the worker answered with a problem. */
export class ProblemError extends TypeError {
  override readonly name = "ProblemError";
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.what);
    this.problem = problem;
  }
}

/** A worker that runs the lab. */
export type Lab = {
  /** @throws {ProblemError} If the worker could not do it. */
  readonly call: <C extends LabCommand>(
    command: C,
    params: LabCommands[C]["params"],
  ) => Promise<LabCommands[C]["result"]>;
  /** Listens to events; returns what ends it. */
  readonly listen: (listener: (event: LabEvent) => void) => () => void;
  /** Ends the worker at once, as closing the tab would; calls that wait are rejected. Runs stay resumable. */
  readonly close: () => void;
};
