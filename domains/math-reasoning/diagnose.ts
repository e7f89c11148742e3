/** One cause for each failed rollout, by rule, from its trace. The proposer counts causes and picks what addresses them. */
import { isJsonObject, type JsonValue } from "../../src/base/json.ts";
import type { DiagnosableTrace } from "../../src/rollout/domain.ts";

/** Every cause, most specific first. */
export const CAUSES = [
  "harness fault", // the harness threw, ran too long or returned no text
  "budget spent", // a limit of the rollout was broken
  "provenance", // the boxed value was never sampled by the model
  "truncated", // the last reply was cut, and there is no box
  "tool error", // the last code failed
  "empty output", // the last code printed nothing
  "malformed code call", // there is code in a reply, but none was run
  "tool never called", // no code and no box
  "malformed answer", // the box holds no number
  "wrong value after tool",
  "wrong value without tool",
  "no boxed answer", // the code ran, but no box followed
] as const;
/** One of `CAUSES`. */
export type Cause = (typeof CAUSES)[number];

/** The cause of a failed rollout; reasons are those of `verify.ts`. */
export function diagnoseRollout(trace: DiagnosableTrace): Cause {
  if (trace.outcome === "limit") return "budget spent";
  if (trace.outcome === "provenance") return "provenance";
  if (trace.outcome !== "judged" || typeof trace.returned !== "string") return "harness fault";
  if (trace.reason === "malformed answer") return "malformed answer";
  const isBoxed = trace.reason === "wrong value";
  if (!isBoxed && isCut(trace.turns.at(-1)?.finish)) return "truncated";
  return diagnoseTool(trace, isBoxed);
}

function diagnoseTool(trace: DiagnosableTrace, isBoxed: boolean): Cause {
  const run = trace.toolCalls.findLast((call) => call.name === "run");
  if (!run) {
    if (trace.turns.some(({ text }) => /<\/?code>|```|\bprint\(/.test(text))) return "malformed code call";
    return isBoxed ? "wrong value without tool" : "tool never called";
  }
  const result = readResult(run.result);
  if (!run.ok || !result.ok) return "tool error";
  if (result.output.trim() === "") return "empty output";
  return isBoxed ? "wrong value after tool" : "no boxed answer";
}

function isCut(finish: string | undefined): boolean {
  return finish === "length" || finish === "context";
}

/** The tool's answer out of a trace, where it stands as JSON text; a text that is not JSON is a refusal. */
function readResult(text: string): { readonly ok: boolean; readonly output: string } {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return { ok: false, output: text };
  }
  if (!isJsonObject(value)) return { ok: false, output: text };
  return { ok: value["ok"] === true, output: typeof value["output"] === "string" ? value["output"] : "" };
}
