/**
 * The verifier: exact match after SQuAD normalisation (Rajpurkar et al., arXiv:1606.05250, official evaluation script)
 * against any alias. What counts is the last `<answer>` of the returned text, or the whole text where it has no such tag.
 */
import type { JsonValue } from "../../src/base/json.ts";
import type { EpisodeEnd, Verdict } from "../../src/rollout/domain.ts";
import { splitWords } from "./search-index.ts";

/** Every reason of a verdict; those of a wrong answer say what the rollout had seen, never what the answer is. */
export const REASONS = {
  correct: "correct",
  noText: "no text returned",
  noAnswer: "no answer",
  malformed: "answer malformed",
  noSearch: "wrong, nothing was searched",
  notFound: "wrong, answer not in a retrieved passage",
  cut: "wrong, answer in a retrieved passage but cut off",
  inView: "wrong, answer in view",
} as const;

/** What the search tool has given in a rollout, in order. */
export type SeenPassage = {
  /** The passage as the harness got it. */
  readonly shown: string;
  /** The passage before it was cut. */
  readonly whole: string;
};

/** Longest text that can be an answer, in words; longer ones are passages or explanations. */
const LONGEST_ANSWER = 40;

/** Judges what `solve` returned. `seen` is undefined where nothing was searched. */
export function judgeAnswer(
  returned: JsonValue | undefined,
  answers: readonly string[],
  seen: readonly SeenPassage[] | undefined,
): Verdict {
  const reason = findReason(returned, answers, seen);
  return { reward: reason === REASONS.correct ? 1 : 0, reason };
}

/** What has to come out of the model: the text that is judged. */
export function claimAnswer(end: EpisodeEnd): readonly string[] {
  const answer = typeof end.returned === "string" ? readAnswer(end.returned) : "";
  return answer === "" ? [] : [answer];
}

/** The content of the last `<answer>` in `text` (up to the end where it is left open), or `text` where there is none. */
export function readAnswer(text: string): string {
  const at = text.lastIndexOf("<answer>");
  if (at < 0) return text.trim();
  const inside = text.slice(at + "<answer>".length);
  const end = inside.indexOf("</answer>");
  return (end < 0 ? inside : inside.slice(0, end)).trim();
}

/** Lower case, without punctuation, articles and extra spaces. */
export function normalizeAnswer(text: string): string {
  return text
    .toLowerCase()
    .replace(/[!-/:-@[-`{-~]/g, "")
    .replace(/\b(?:a|an|the)\b/g, " ")
    .split(/\s+/)
    .filter((word) => word !== "")
    .join(" ");
}

/** Whether `text` holds one of `answers` as whole words. */
export function mentionsAnswer(text: string, answers: readonly string[]): boolean {
  const padded = ` ${normalizeWords(text)} `;
  return answers.some((answer) => {
    const words = normalizeWords(answer);
    return words !== "" && padded.includes(` ${words} `);
  });
}

/** Words without any punctuation between them, so that `Oslo.` and `Oslo` are one. */
function normalizeWords(text: string): string {
  return splitWords(text).join(" ");
}

/** Equal after normalisation; an answer that is nothing but an article or signs must be equal as it stands. */
function isSame(given: string, known: string): boolean {
  const normal = normalizeAnswer(known);
  return normal === "" ? given === known.trim() : normal === normalizeAnswer(given);
}

function findReason(
  returned: JsonValue | undefined,
  answers: readonly string[],
  seen: readonly SeenPassage[] | undefined,
): string {
  if (typeof returned !== "string") return REASONS.noText;
  const given = readAnswer(returned);
  if (given === "") return REASONS.noAnswer;
  if (answers.some((known) => isSame(given, known))) return REASONS.correct;
  const answer = normalizeAnswer(given);
  if (answer === "") return REASONS.noAnswer;
  if (/[<>]/.test(given) || answer.split(" ").length > LONGEST_ANSWER) return REASONS.malformed;
  if (!seen) return REASONS.noSearch;
  if (mentionsAnswer(seen.map(({ shown }) => shown).join("\n"), answers)) return REASONS.inView;
  return mentionsAnswer(seen.map(({ whole }) => whole).join("\n"), answers) ? REASONS.cut : REASONS.notFound;
}
