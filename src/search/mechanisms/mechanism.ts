/**
 * A mechanism: one idea for a better harness as an edit of its source, with the causes of failure that it addresses.
 *
 * What a mechanism needs to know of a domain is its `SearchSpace`. Generic mechanisms name causes and axes by kind; a
 * domain's own words are matched to the kinds here, and a mechanism without an axis in the domain is left out.
 */
import { HarnessError } from "../../base/errors.ts";
import type { Rng } from "../../base/rng.ts";
import type { Domain } from "../../rollout/domain.ts";
import type { RolloutTrace } from "../../rollout/trace.ts";
import { isPromptOnlyEdit } from "../syntax/compare.ts";
import { applyEdits, type TextEdit } from "../syntax/edit.ts";
import { parseHarness, type HarnessTree } from "../syntax/harness-tree.ts";

/** The part of a domain that mechanisms are made from. */
export type SearchSpace = Pick<Domain, "axes" | "causes" | "phrases" | "variants" | "limits" | "seedHarness">;

/** What a mechanism may use besides the harness. */
export type MechanismContext = {
  readonly random: Rng;
  /** Accepted rollouts of training tasks; never of validation or test. */
  readonly examples: readonly RolloutTrace[];
};

/** One idea. */
export type Mechanism = {
  readonly name: string;
  /** One of the domain's axes. */
  readonly axis: string;
  /** The domain's causes that it claims to reduce. */
  readonly addresses: readonly string[];
  /** The claim, in one sentence. */
  readonly hypothesis: string;
  /** Whether it changes nothing but prompt text. */
  readonly promptOnly: boolean;
  /** The edits, or undefined where the harness lacks the place or has the idea already. */
  readonly edit: (tree: HarnessTree, context: MechanismContext) => readonly TextEdit[] | undefined;
};

/** The harness `tree` with `mechanism` in it; undefined where it finds no place, changes nothing or loses an export. */
export function applyMechanism(
  mechanism: Mechanism,
  tree: HarnessTree,
  context: MechanismContext,
): HarnessTree | undefined {
  const edits = mechanism.edit(tree, context);
  if (!edits || edits.length === 0) return undefined;
  const source = applyEdits(tree.source, edits);
  if (source === tree.source) return undefined;
  try {
    const edited = parseHarness(source);
    if ([...tree.exports].some((name) => !edited.exports.has(name))) return undefined;
    return mechanism.promptOnly && !isPromptOnlyEdit(tree.source, source) ? undefined : edited;
  } catch (error) {
    // An edit made for one shape may break another: then this harness has no place for the mechanism.
    if (error instanceof HarnessError) return undefined;
    throw error;
  }
}

/** Kinds of failure that generic mechanisms know. */
export type CauseKind =
  "noTool" | "badCall" | "toolError" | "notFound" | "cut" | "noAnswer" | "badAnswer" | "truncated" | "budget" | "wrong";

/** The words by which domains name them. */
const CAUSE_WORDS: Readonly<Record<CauseKind, RegExp>> = {
  noTool:
    /(tool|search|code)\S*[ -](was )?(never|not)|never[ -](called|searched|ran)|no[ -](tool|code|search|move)|without[ -](tool|search|code)/i,
  badCall: /(call|code|query|move)[ -]malformed|malformed[ -](tool|call|code|query|move)|illegal|unparse/i,
  toolError: /(tool|code|run)[ -]?error|error in|empty[ -](output|result)/i,
  notFound: /not[ -](retrieved|found)/i,
  cut: /retrieved[ -]but[ -]cut|\bcut\b/i,
  noAnswer: /no[ -](boxed[ -])?answer|not[ -]given|unanswered|no[ -]box/i,
  badAnswer: /answer[ -]malformed|malformed[ -]answer|bad[ -]answer/i,
  truncated: /truncat|length/i,
  budget: /budget|turns|limit|spent/i,
  wrong: /wrong|incorrect/i,
};

/** The causes among `causes` that are of one of `kinds`. */
export function matchCauses(causes: readonly string[], ...kinds: readonly CauseKind[]): string[] {
  return causes.filter((cause) => kinds.some((kind) => CAUSE_WORDS[kind].test(cause)));
}

/** Kinds of axis that generic mechanisms know (search.md). */
export type AxisKind =
  | "prompt"
  | "example"
  | "observation"
  | "query"
  | "parameters"
  | "parsing"
  | "retry"
  | "prefill"
  | "turns"
  | "history"
  | "state";

/** The words by which domains name them. */
const AXIS_WORDS: Readonly<Record<AxisKind, RegExp>> = {
  prompt: /prompt|system|template|instruction/i,
  example: /example|shot|demonstration/i,
  observation: /observation|feedback|result|output/i,
  query: /query|rewrit/i,
  parameters: /param|tool|length|retriev/i,
  parsing: /pars|normali|extract/i,
  retry: /retry|recover|repair/i,
  prefill: /prefill/i,
  turns: /turn|stop|budget/i,
  history: /history|compact|memory/i,
  state: /state|known/i,
};

/** The domain's axis for the first of `kinds` that it has, or undefined. */
export function matchAxis(axes: readonly string[], ...kinds: readonly AxisKind[]): string | undefined {
  for (const kind of kinds) {
    const axis = axes.find((name) => AXIS_WORDS[kind].test(name));
    if (axis !== undefined) return axis;
  }
  return undefined;
}
