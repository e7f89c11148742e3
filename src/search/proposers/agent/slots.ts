/** The slots that an agent fills: one folder for each candidate asked for, with its source and what it says of it. */
import { HarnessError, describeError } from "../../../base/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { parseHarness } from "../../../rollout/harness.ts";
import type { Proposal, SearchView } from "../../candidate.ts";
import { isPromptOnlyEdit, normaliseSource } from "../../syntax/compare.ts";
import type { WritableFiles } from "./archive-tools.ts";

/** What candidates are judged by while they are written. */
export type SlotRules = {
  readonly view: SearchView;
  /** Source that a candidate may differ from in prompt text only; undefined allows any change. */
  readonly promptOnlyBase: string | undefined;
};

/** Files of the slots, by path. */
export type Written = Readonly<Record<string, string>>;

const sourcePath = (slot: number): string => `proposals/${String(slot)}/harness.js`;
const recordPath = (slot: number): string => `proposals/${String(slot)}/candidate.json`;
const slotsOf = ({ count }: SearchView): number[] => Array.from({ length: count }, (_, i) => i + 1);

/** The paths of all slots, and the review of what is written to them. */
export function openSlots(rules: SlotRules): WritableFiles {
  return {
    paths: slotsOf(rules.view).flatMap((slot) => [sourcePath(slot), recordPath(slot)]),
    review: (path, content) =>
      path.endsWith(".js") ? reviewSource(content, rules) : (readRecord(content, rules.view).problem ?? ""),
  };
}

/** The candidates whose two files are there and whose record can be read, in order; their sources may still be refused. */
export function collectProposals(written: Written, view: SearchView): Proposal[] {
  return slotsOf(view).flatMap((slot): Proposal[] => {
    const [source, content] = [written[sourcePath(slot)], written[recordPath(slot)]];
    if (source === undefined || content === undefined) return [];
    const { record } = readRecord(content, view);
    return record === undefined ? [] : [{ source, ...record, mechanisms: [] }];
  });
}

/** What is still missing, one line for each slot that is not complete. */
export function listMissing(written: Written, view: SearchView): string[] {
  return slotsOf(view).flatMap((slot) => {
    if (written[sourcePath(slot)] === undefined) return [`${sourcePath(slot)} is not written`];
    const content = written[recordPath(slot)];
    if (content === undefined) return [`${recordPath(slot)} is not written`];
    const { problem } = readRecord(content, view);
    return problem === undefined ? [] : [`${recordPath(slot)}: ${problem}`];
  });
}

function reviewSource(source: string, { view, promptOnlyBase }: SlotRules): string {
  try {
    parseHarness(source);
  } catch (error) {
    if (error instanceof HarnessError) return describeError(error);
    throw error;
  }
  if (promptOnlyBase !== undefined && !isPromptOnlyEdit(promptOnlyBase, source))
    return "it differs from h0 in more than prompt text";
  const program = normaliseSource(source);
  const twin = view.candidates.find((candidate) => programOf(candidate.source) === program);
  return twin === undefined ? "" : `it is the same program as ${twin.name}`;
}

function programOf(source: string): string | undefined {
  try {
    return normaliseSource(source);
  } catch {
    return undefined;
  }
}

type AboutCandidate = Pick<Proposal, "parent" | "axis" | "hypothesis">;
type ReadRecord =
  | { readonly record: AboutCandidate; readonly problem?: undefined }
  | { readonly record?: undefined; readonly problem: string };

function readRecord(content: string, view: SearchView): ReadRecord {
  const parsed = parseObject(content);
  if (parsed === undefined) return { problem: "expected a JSON object with parent, axis and hypothesis" };
  const field = (name: string): string => {
    const value = parsed[name];
    // One line each, without control characters: they stand in tables and on terminals.
    return typeof value === "string"
      ? value
          .replace(/[\s\p{Cc}]+/gu, " ")
          .trim()
          .slice(0, 400)
      : "";
  };
  const [parent, axis, hypothesis] = [field("parent"), field("axis"), field("hypothesis")];
  if (!view.candidates.some(({ name }) => name === parent))
    return { problem: `parent must name a candidate in harnesses/, got ${JSON.stringify(parent)}` };
  if (axis === "" || hypothesis === "") return { problem: "axis and hypothesis must be texts that say something" };
  return { record: { parent, axis, hypothesis } };
}

function parseObject(content: string): JsonObject | undefined {
  try {
    const value = JSON.parse(content) as JsonValue;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
