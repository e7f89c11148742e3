/**
 * The errors that someone in Spyhop catches. Misuse by a programmer throws a built-in (`TypeError`, `RangeError`,
 * `SyntaxError`); a class stands here only where a boundary turns it into a recorded result or a line for the user.
 */

/** Root of every error that Spyhop raises for something outside the programmer's control. */
export class LabError extends Error {
  override readonly name: string = "LabError";
}

/** A graph that cannot be built, differentiated or emitted. */
export class GraphError extends LabError {
  override readonly name = "GraphError";
}

/** A checkpoint, adapter or tokenizer that is missing, damaged or not supported. */
export class WeightsError extends LabError {
  override readonly name = "WeightsError";
}

/** A device that is not there, or that refused a session. */
export class DeviceError extends LabError {
  override readonly name = "DeviceError";
}

/** The isolate engine itself failed (not the code inside it, which is a recorded outcome). */
export class SandboxError extends LabError {
  override readonly name = "SandboxError";
}

/** A harness that cannot be accepted: syntax, contract or honesty. */
export class HarnessError extends LabError {
  override readonly name = "HarnessError";
}

/** Task data that cannot be read. */
export class TaskError extends LabError {
  override readonly name = "TaskError";
}

/** A proposer that gave nothing usable. */
export class ProposerError extends LabError {
  override readonly name = "ProposerError";
}

/** A run folder that cannot be read or written. */
export class StoreError extends LabError {
  override readonly name = "StoreError";
}

/** A setting, name or combination that does not exist. */
export class ConfigError extends LabError {
  override readonly name = "ConfigError";
}

/** The message of anything thrown, on one line. */
export function describeError(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\s*\n\s*/g, " ").trim();
}
