/**
 * From an argument list to an exit status: 0 done, 1 failed, 2 wrong usage.
 *
 * Commands are loaded when they are called for, so that help does not wait for an inference runtime.
 */
import { readFile } from "node:fs/promises";
import { ConfigError, describeError, LabError } from "../base/errors.ts";
import { parseCommandLine, type Arguments, type Invocation } from "./args.ts";
import type { CommandName } from "./command-table.ts";
import { formatCommandHelp, formatOverview } from "./help.ts";
import { printNote, type Command, type Terminal } from "./terminal.ts";
import { UsageError } from "./usage.ts";

/** The function behind `name`. */
async function loadCommand(name: CommandName): Promise<Command<Arguments>> {
  switch (name) {
    case "run":
      return (await import("./commands/run.ts")).run;
    case "resume":
      return (await import("./commands/resume.ts")).resume;
    case "sweep":
      return (await import("./commands/sweep.ts")).sweep;
    case "grid":
      return (await import("./commands/grid.ts")).grid;
    case "report":
      return (await import("./commands/report.ts")).report;
    case "compare":
      return (await import("./commands/compare.ts")).compare;
    case "trace":
      return (await import("./commands/trace.ts")).trace;
    case "export trl":
      return (await import("./commands/export.ts")).exportTrl;
    case "export adapter":
      return (await import("./commands/export.ts")).exportAdapter;
    case "data check":
      return (await import("./commands/data.ts")).checkDataFile;
    case "eval":
      return (await import("./commands/eval.ts")).evaluateHarness;
    case "harness check":
      return (await import("./commands/harness.ts")).judgeHarness;
    case "inspect logits":
      return (await import("./commands/inspect.ts")).inspectLogits;
    case "inspect train":
      return (await import("./commands/inspect.ts")).inspectTrain;
  }
}

/** Runs one command line; never rejects. */
export async function runCommandLine(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await obey(parseCommandLine(argv), terminal);
  } catch (error) {
    printNote(terminal, `spyhop: ${describeFailure(error)}`);
    if (process.env["SPYHOP_STACK"] === "1" && error instanceof Error) printNote(terminal, error.stack ?? "");
    return error instanceof UsageError || error instanceof ConfigError ? 2 : 1;
  }
}

async function obey(invocation: Invocation, terminal: Terminal): Promise<number> {
  switch (invocation.kind) {
    case "help":
      terminal.out(invocation.command === undefined ? formatOverview() : formatCommandHelp(invocation.command));
      return 0;
    case "version":
      terminal.out(`${await readVersion()}\n`);
      return 0;
    case "command": {
      const command = await loadCommand(invocation.command);
      return command(invocation.args, terminal);
    }
  }
}

/** A line that names the thing; an error that nobody foresaw says so, and how to see where it came from. */
function describeFailure(error: unknown): string {
  const line = describeError(error);
  const isForeseen = error instanceof LabError || error instanceof UsageError || isSystemError(error);
  return isForeseen ? line : `unexpected failure: ${line} (SPYHOP_STACK=1 shows where)`;
}

/** Errors of the operating system, such as a full disk, carry a code and name the file. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

async function readVersion(): Promise<string> {
  const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  const manifest: unknown = JSON.parse(text);
  if (typeof manifest === "object" && manifest !== null && "version" in manifest) return String(manifest.version);
  throw new SyntaxError("package.json: version is missing");
}
