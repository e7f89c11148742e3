/** Errors as the page shows them: what happened, what is safe, what to do. */
import {
  ConfigError,
  describeError,
  DeviceError,
  HarnessError,
  LabError,
  SandboxError,
  StoreError,
  TaskError,
  WeightsError,
} from "../../src/index.ts";
import { storageTrouble, type StorageTrouble } from "../../src/platform/browser/storage-errors.ts";
import type { Problem, ProblemKind } from "../protocol/lab.ts";

/** A problem that a command found by itself. */
export class LabProblem extends LabError {
  override readonly name = "LabProblem";
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.what);
    this.problem = problem;
  }
}

/** Ends a run that the user stopped. */
export class StoppedError extends LabError {
  override readonly name = "StoppedError";

  constructor() {
    super("the run was stopped");
  }
}

const KEPT = "Everything up to the last finished step is stored.";
const NOTHING_CHANGED = "Nothing was changed.";

type Advice = { readonly kind: ProblemKind; readonly safe: string; readonly next: string };

const STORAGE_ADVICE: Readonly<Record<Exclude<StorageTrouble, "other">, Advice & { readonly what: string }>> = {
  full: {
    kind: "storage-full",
    what: "The browser's storage for this page is full.",
    safe: KEPT,
    next: "Export and delete a run you no longer need, then go on with this one.",
  },
  gone: {
    kind: "storage-gone",
    what: "The browser has removed files of this run.",
    safe: "Exported copies and other runs are not touched.",
    next: "Import an exported copy, or start a new run.",
  },
  refused: {
    kind: "storage-gone",
    what: "The browser does not let this page store files.",
    safe: NOTHING_CHANGED,
    next: "Leave private browsing or allow storage for this site, then reload.",
  },
};

/** Advice by the name of the error's class. */
const ADVICE: readonly (readonly [new (message: string) => LabError, Advice])[] = [
  [ConfigError, { kind: "setting", safe: NOTHING_CHANGED, next: "Change the setting and try again." }],
  [HarnessError, { kind: "harness", safe: "No run was touched.", next: "Change the harness and check it again." }],
  [DeviceError, { kind: "device", safe: KEPT, next: "Choose another device and go on with the run." }],
  [WeightsError, { kind: "model", safe: KEPT, next: "Check the connection and reload the page." }],
  [TaskError, { kind: "setting", safe: NOTHING_CHANGED, next: "Choose other tasks and try again." }],
  [SandboxError, { kind: "internal", safe: KEPT, next: "Reload the page and go on with the run." }],
  [
    StoreError,
    { kind: "damaged", safe: "Other runs are not touched.", next: "Import an exported copy, or start a new run." },
  ],
];

/** The problem behind anything thrown. */
export function toProblem(error: unknown): Problem {
  if (error instanceof LabProblem) return error.problem;
  if (error instanceof StoppedError)
    return { kind: "stopped", what: "The run was stopped.", safe: KEPT, next: "Go on with it whenever you like." };
  const trouble = storageTrouble(error);
  if (trouble !== "other") return STORAGE_ADVICE[trouble];
  const what = toSentence(describeError(error));
  const advice = ADVICE.find(([kind]) => error instanceof kind)?.[1];
  if (advice !== undefined) return { ...advice, what };
  return { kind: "internal", what, safe: KEPT, next: "Reload the page; if it happens again, please report it." };
}

/** A problem of kind `busy`. */
export function busy(what: string, next: string): LabProblem {
  return new LabProblem({ kind: "busy", what, safe: NOTHING_CHANGED, next });
}

function toSentence(line: string): string {
  const text = line.charAt(0).toUpperCase() + line.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
