/**
 * The tool `run(code)`: runs JavaScript as one ES module in an isolate of its own and gives back what it printed. There
 * is no REPL: code that prints nothing gives an empty output, which is a harness's business to avoid.
 */
import { TaskError } from "../../src/base/errors.ts";
import type { JsonValue } from "../../src/base/json.ts";
import type { EpisodeContext, ToolFunction } from "../../src/rollout/domain.ts";
import type { GuestOutcome, IsolateLimits } from "../../src/sandbox/isolate.ts";
import { preludeFor } from "./prelude.ts";

/** What the model's code may use; the host functions of a harness are out of its reach. */
const CODE_LIMITS: IsolateLimits = {
  fuel: 600,
  memory: 32 * 1024 * 1024,
  stack: 256 * 1024,
  output: 20_000,
  hostCalls: 0,
};

/** Longest code taken, in characters. */
export const LONGEST_CODE = 10_000;

/** Longest output given back, in characters. */
export const LONGEST_OUTPUT = 2_000;

/** What `run` gives: all that was printed, followed by one line for an error. */
export type RunResult = { readonly ok: boolean; readonly output: string };

/** Makes the tool for one rollout; the n-th call has its own random stream. */
export function createRunTool(context: EpisodeContext): ToolFunction {
  let calls = 0;
  return async (args: readonly JsonValue[]): Promise<JsonValue> => {
    const [code] = args;
    if (args.length !== 1 || typeof code !== "string") throw new TaskError("run: takes one text, the code");
    if (code.length > LONGEST_CODE)
      throw new TaskError(`run: code must be at most ${String(LONGEST_CODE)} characters, got ${String(code.length)}`);
    calls += 1;
    const outcome = await context.sandbox.run({
      source: code,
      entry: undefined,
      args: [],
      host: {},
      prelude: preludeFor(code),
      limits: CODE_LIMITS,
      seed: `${context.seed}/run/${String(calls)}`,
    });
    return readOutcome(outcome);
  };
}

/** Turns the end of an isolate into the tool's answer. */
export function readOutcome(outcome: GuestOutcome): RunResult {
  const lines = outcome.ok ? outcome.log : [...outcome.log, describeFault(outcome.fault, outcome.message)];
  return { ok: outcome.ok, output: shorten(lines.join("\n"), outcome.ok) };
}

function describeFault(fault: string, message: string): string {
  const [line = ""] = message.trim().split("\n");
  if (fault === "fuel") return "Error: the code ran too long";
  if (fault === "memory") return "Error: the code used too much memory";
  if (fault === "stack") return "Error: the recursion is too deep";
  if (fault === "output") return "Error: the code printed too much";
  return /^\w*Error\b/.test(line) ? line.slice(0, 200) : `Error: ${line.slice(0, 200) || fault}`;
}

/** Keeps the start of a long output, and the end where the error stands. */
function shorten(output: string, ok: boolean): string {
  if (output.length <= LONGEST_OUTPUT) return output;
  return ok ? output.slice(0, LONGEST_OUTPUT) : output.slice(-LONGEST_OUTPUT);
}
