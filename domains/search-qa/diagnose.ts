/** One cause for each failed rollout, by rule, from its trace. The proposer counts causes and picks what addresses them. */
import type { DiagnosableTrace } from "../../src/rollout/domain.ts";
import { REASONS } from "./verify.ts";

/** Every cause, most specific first. */
export const CAUSES = [
  "harness fault", // the harness threw, ran too long or returned no text
  "budget spent", // a limit of the rollout was broken
  "provenance", // the answer was never sampled by the model
  "truncated", // the last reply was cut, and there is no answer
  "tool error", // the last search was refused
  "malformed call", // there is a search tag in a reply, but nothing was searched
  "tool never called", // no search at all
  "right passage not retrieved",
  "retrieved but cut",
  "answer in view but not given", // another answer was given although the right one was shown
  "answer malformed", // the answer holds tags, or a whole passage
  "turns spent", // the last reply asks for one more search
  "no answer", // something was searched, but no answer followed
  "wrong answer",
] as const;
/** One of `CAUSES`. */
export type Cause = (typeof CAUSES)[number];

const BY_REASON: Readonly<Record<string, Cause>> = {
  [REASONS.noText]: "harness fault",
  [REASONS.malformed]: "answer malformed",
  [REASONS.notFound]: "right passage not retrieved",
  [REASONS.cut]: "retrieved but cut",
  [REASONS.inView]: "answer in view but not given",
};

/** The cause of a failed rollout; reasons are those of `verify.ts`. */
export function diagnoseRollout(trace: DiagnosableTrace): Cause {
  if (trace.outcome === "limit") return "budget spent";
  if (trace.outcome === "provenance") return "provenance";
  if (trace.outcome !== "judged") return "harness fault";
  const known = BY_REASON[trace.reason];
  if (known !== undefined) return known;
  const last = trace.turns.at(-1);
  const isAnswered = trace.reason !== REASONS.noAnswer;
  if (!isAnswered && (last?.finish === "length" || last?.finish === "context")) return "truncated";
  return diagnoseSearch(trace, isAnswered, last?.text ?? "");
}

function diagnoseSearch({ turns, toolCalls }: DiagnosableTrace, isAnswered: boolean, last: string): Cause {
  const search = toolCalls.findLast(({ name }) => name === "search");
  if (!search) return turns.some(({ text }) => /<\/?search/.test(text)) ? "malformed call" : "tool never called";
  if (!search.ok) return "tool error";
  if (isAnswered) return "wrong answer";
  return last.includes("<search>") || last.includes("</search>") ? "turns spent" : "no answer";
}
