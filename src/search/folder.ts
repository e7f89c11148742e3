/**
 * The archive as a folder of text files, the form in which agents and people read it (search.md; the reference's names
 * of whale-spec 2.1 and 2.3 stand beside ours as aliases).
 *
 * Traces are redacted once more here: no task id, no stream key, no token ids; a gold answer never enters a trace.
 */
import { canonicalJson, type JsonObject, type JsonValue } from "../base/json.ts";
import type { RolloutTrace } from "../rollout/trace.ts";
import type { Candidate } from "./candidate.ts";
import { isScored, meanReward, paretoFrontier, scoreOf } from "./selection.ts";

/** Options of `exportFolder`. */
export type FolderOptions = {
  /** The domain's guide for proposers. */
  readonly guide: string;
  /** Name of the candidate to beat. */
  readonly incumbent: string;
  /** Adds the reference's file names. @default false */
  readonly aliases?: boolean;
};

/** Paths with `/` and the text that stands there. */
export type TextFolder = ReadonlyMap<string, string>;

/** Writes `candidates` as a folder. */
export function exportFolder(candidates: readonly Candidate[], options: FolderOptions): TextFolder {
  const files = new Map<string, string>();
  files.set("guide.md", options.guide);
  for (const candidate of candidates) {
    const folder = `harnesses/${candidate.name}`;
    files.set(`${folder}/harness.js`, candidate.source);
    files.set(`${folder}/candidate.json`, pretty(describe(candidate)));
    if (!isScored(candidate)) continue;
    const { rewards, meanTurns, meanTokens, causes, traces } = candidate.status.evaluation;
    files.set(`${folder}/scores.json`, pretty({ meanReward: meanReward(rewards), meanTurns, meanTokens, rewards }));
    files.set(`${folder}/causes.json`, pretty(causes));
    const [failed, solved] = [traces.filter((t) => t.reward <= 0.5), traces.filter((t) => t.reward > 0.5)];
    if (failed.length > 0) files.set(`${folder}/traces/failed.jsonl`, lines(failed.map(redact)));
    if (solved.length > 0) files.set(`${folder}/traces/solved.jsonl`, lines(solved.map(redact)));
  }
  const frontier = paretoFrontier(candidates).map((candidate) => ({
    name: candidate.name,
    meanReward: scoreOf(candidate),
    meanTurns: candidate.status.evaluation.meanTurns,
  }));
  files.set("frontier.json", pretty({ incumbent: options.incumbent, frontier }));
  const history = lines(candidates.map(historyRow));
  files.set("history.jsonl", history);
  if (options.aliases) addAliases(files, candidates, history);
  return files;
}

function addAliases(files: Map<string, string>, candidates: readonly Candidate[], history: string): void {
  files.set("logs/evolution_summary.jsonl", history);
  const last = Math.max(0, ...candidates.map(({ iteration }) => iteration));
  const pending = candidates.filter(({ iteration }) => iteration === last && iteration > 0);
  const rows = pending.map(({ name, hypothesis, axis, mechanisms, parent }) => {
    const changes = `${mechanisms.join(" + ")} on ${parent}`;
    return { name, hypothesis, changes, axis, components: mechanisms };
  });
  files.set("pending_eval.json", pretty({ candidates: rows }));
}

function describe(candidate: Candidate): JsonObject {
  const { name, iteration, parent, axis, hypothesis, mechanisms, status } = candidate;
  const fate: JsonObject =
    status.kind === "refused"
      ? { status: "refused", check: status.check, reason: status.reason }
      : { status: status.kind };
  return { name, iteration, parent, axis, hypothesis, mechanisms, ...fate };
}

function historyRow(candidate: Candidate): JsonObject {
  const row = describe(candidate);
  if (!isScored(candidate)) return row;
  const { meanTurns, meanTokens } = candidate.status.evaluation;
  return { ...row, meanReward: scoreOf(candidate), meanTurns, meanTokens };
}

function redact(trace: RolloutTrace): JsonObject {
  const steps = trace.steps.map((step): JsonObject => {
    if (step.kind !== "chat") return { ...step };
    const { kind, messages, prefill, text, promptTokens, finish } = step;
    return { kind, messages: messages.map((message) => ({ ...message })), prefill, text, promptTokens, finish };
  });
  const { outcome, detail, message, returned, reward, reason, usage } = trace;
  return { outcome, detail, message, returned, reward, reason, usage: { ...usage }, steps };
}

function pretty(value: JsonValue): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function lines(values: readonly JsonValue[]): string {
  return values.map((value) => `${canonicalJson(value)}\n`).join("");
}
