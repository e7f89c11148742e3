/** A rollout as a list of blocks to show: each message once, each sampled text with its tokens, each tool call with its result. */
import type { JsonValue } from "../../../src/index.ts";
import type { RolloutStep, RolloutView, TokenView } from "../../protocol/rollouts.ts";

/** One block of a transcript. */
export type Block =
  /** A message that the harness wrote; it was not sampled. */
  | { readonly kind: "message"; readonly role: string; readonly text: string }
  /** What the model wrote. `prefill` was put there by the harness. */
  | {
      readonly kind: "reply";
      readonly turn: number;
      readonly prefill: string;
      readonly text: string;
      readonly tokens: readonly TokenView[];
      readonly promptTokens: number;
      /** Why it ended where it did, if it was cut off; empty otherwise. */
      readonly cut: string;
    }
  | {
      readonly kind: "tool";
      readonly name: string;
      readonly args: readonly JsonValue[];
      readonly isOk: boolean;
      readonly result: string;
    }
  | { readonly kind: "note"; readonly text: string };

const CUT_WORDS: Readonly<Record<string, string>> = {
  length: "cut off: the limit of tokens was reached",
  context: "cut off: the model can read no more",
};

/** The blocks of `steps`, in order; messages that an earlier turn already showed are not repeated. */
export function blocksOf(steps: readonly RolloutStep[]): Block[] {
  const blocks: Block[] = [];
  let shown = new Set<string>();
  let turn = 0;
  for (const step of steps) {
    if (step.kind === "note") blocks.push({ kind: "note", text: step.text });
    else if (step.kind === "tool")
      blocks.push({ kind: "tool", name: step.name, args: step.args, isOk: step.ok, result: step.result });
    else {
      turn += 1;
      const keys = step.messages.map(({ role, content }) => `${role}\n${content}`);
      step.messages.forEach(({ role, content }, i) => {
        if (!shown.has(keys[i] ?? "")) blocks.push({ kind: "message", role, text: content });
      });
      shown = new Set([...keys, `assistant\n${step.prefill}${step.text}`, `assistant\n${step.text}`]);
      const { prefill, text, tokens, promptTokens } = step;
      blocks.push({ kind: "reply", turn, prefill, text, tokens, promptTokens, cut: CUT_WORDS[step.finish] ?? "" });
    }
  }
  return blocks;
}

/** The sampled token that was least likely; undefined where tokens were not kept. */
export function leastLikely(tokens: readonly TokenView[]): TokenView | undefined {
  return tokens.reduce<TokenView | undefined>(
    (least, token) => (least === undefined || token.probability < least.probability ? token : least),
    undefined,
  );
}

/** Steps of the colour scale of probabilities, unlikely first: a token is in the first whose bound it does not exceed. */
export const PROBABILITY_BOUNDS = [0.1, 0.3, 0.6, 0.9, 1] as const;

/** Index of `probability` in `PROBABILITY_BOUNDS`. */
export function probabilityLevel(probability: number): number {
  const level = PROBABILITY_BOUNDS.findIndex((bound) => probability <= bound);
  return level < 0 ? PROBABILITY_BOUNDS.length - 1 : level;
}

/** Texts that count as right answers of a task, for marking them in passages. */
export function goldAnswers({ gold }: Pick<RolloutView, "gold">): string[] {
  if (typeof gold === "string" || typeof gold === "number") return [String(gold)];
  if (typeof gold !== "object" || gold === null || Array.isArray(gold)) return [];
  const answers = (gold as Readonly<Record<string, JsonValue>>)["answers"];
  return Array.isArray(answers) ? answers.filter((answer): answer is string => typeof answer === "string") : [];
}

/** `text` in pieces; those that are one of `answers`, whatever their case, are marked. */
export function markAnswers(
  text: string,
  answers: readonly string[],
): { readonly text: string; readonly isAnswer: boolean }[] {
  const wanted = answers.filter((answer) => answer.trim() !== "").sort((a, b) => b.length - a.length);
  if (wanted.length === 0) return [{ text, isAnswer: false }];
  const escaped = wanted.map((answer) => answer.trim().replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(${escaped.join("|")})(?![\\p{L}\\p{N}])`, "giu");
  return text
    .split(pattern)
    .map((piece, i) => ({ text: piece, isAnswer: i % 2 === 1 }))
    .filter((piece) => piece.text !== "");
}
