/**
 * What a proposer may see of a rollout: the conversation, the tools and how it ended. No task id, no key, no gold answer
 * (a trace holds none), no token ids.
 */
import type { JsonValue } from "../base/json.ts";
import type { DiagnosableTrace } from "./domain.ts";
import type { RolloutTrace, TraceStep } from "./trace.ts";

/** One step of a redacted trace. */
export type RedactedStep =
  Omit<Extract<TraceStep, { kind: "chat" }>, "ids" | "logprobs"> | Exclude<TraceStep, { kind: "chat" }>;

/** A rollout without what a proposer must not see. */
export type RedactedTrace = DiagnosableTrace & {
  readonly reward: number;
  readonly detail: string;
  readonly message: string;
  readonly steps: readonly RedactedStep[];
  readonly usage: RolloutTrace["usage"];
};

/** The view of `trace` for proposers, which also is what `Domain.diagnose` reads. */
export function redactTrace(trace: RolloutTrace): RedactedTrace {
  const { outcome, reason, reward, detail, message, returned, usage } = trace;
  const chats = trace.steps.filter((step) => step.kind === "chat");
  const tools = trace.steps.filter((step) => step.kind === "tool");
  return {
    outcome,
    reason,
    reward,
    detail,
    message,
    returned,
    usage,
    turns: chats.map(({ text, finish }) => ({ text, finish })),
    toolCalls: tools.map(({ name, ok, result }) => ({ name, ok, result })),
    steps: trace.steps.map(redactStep),
  };
}

/** The redacted trace as JSON. */
export function redactedJson(trace: RolloutTrace): JsonValue {
  return JSON.parse(JSON.stringify(redactTrace(trace))) as JsonValue;
}

function redactStep(step: TraceStep): RedactedStep {
  if (step.kind !== "chat") return step;
  const { kind, messages, prefill, text, promptTokens, finish } = step;
  return { kind, messages, prefill, text, promptTokens, finish };
}
