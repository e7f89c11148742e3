/**
 * The `\boxed{}` verifier: the last complete box of the returned text must equal the gold answer as a string.
 *
 * As in the reference (strict box check of `math_dapo`), there is no numeric or LaTeX equivalence; the only mercy is
 * `normalizeAnswer`. Left out: the reference looks at the last 100 characters only.
 */
import type { JsonValue } from "../../src/base/json.ts";
import type { EpisodeEnd, Verdict } from "../../src/rollout/domain.ts";

/** Every reason that `judgeAnswer` gives. */
type VerdictReason =
  | "correct"
  | "wrong value" // a number, but not the right one
  | "malformed answer" // an integer was wanted, and the box holds something else
  | "no boxed answer" // no complete box
  | "no text returned"; // `solve` did not return a string

/** Judges what `solve` returned, a text with the answer in `\boxed{}`, against `gold`. */
export function judgeAnswer(returned: JsonValue | undefined, gold: string): Verdict {
  const reason = findReason(returned, gold);
  return { reward: reason === "correct" ? 1 : 0, reason };
}

/** What has to come out of the model: the content of the judged box. */
export function claimAnswer(end: EpisodeEnd): readonly string[] {
  const content = typeof end.returned === "string" ? lastBoxed(end.returned)?.trim() : undefined;
  return content ? [content] : [];
}

/** The content of the last `\boxed{...}` whose braces are balanced; undefined where there is none. */
export function lastBoxed(text: string): string | undefined {
  const open = "\\boxed{";
  for (let at = text.lastIndexOf(open); at >= 0; at = at === 0 ? -1 : text.lastIndexOf(open, at - 1)) {
    const end = closingBrace(text, at + open.length);
    if (end !== undefined) return text.slice(at + open.length, end);
  }
  return undefined;
}

/**
 * One spelling for answers that differ only in typography: outer spaces, `$` and a plus sign go, thousands commas in
 * integers go (also LaTeX `,\!`), and a decimal part of zeros goes. Everything else stays as it is.
 */
export function normalizeAnswer(answer: string): string {
  const bare = answer
    .replace(/^[\s$]+|[\s$]+$/g, "")
    .replace(/^\\\$/, "")
    .replace(/^\+\s*/, "")
    .replace(/^[\u2212\u2013]/, "-");
  const grouped = bare.replace(/,\\!\s*/g, ",");
  const plain = /^-?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(grouped) ? grouped.replaceAll(",", "") : bare;
  const whole = /^(-?\d+)\.0*$/.exec(plain)?.[1] ?? plain;
  return whole === "-0" ? "0" : whole;
}

function findReason(returned: JsonValue | undefined, gold: string): VerdictReason {
  if (typeof returned !== "string") return "no text returned";
  const content = lastBoxed(returned);
  if (content === undefined) return "no boxed answer";
  const answer = normalizeAnswer(content);
  const wanted = normalizeAnswer(gold);
  if (answer === wanted) return "correct";
  const integer = /^-?\d+$/;
  return integer.test(wanted) && !integer.test(answer) ? "malformed answer" : "wrong value";
}

/** Index of the brace that closes the one before `from`; a backslash escapes the next character. */
function closingBrace(text: string, from: number): number | undefined {
  let depth = 1;
  for (let i = from; i < text.length; i += 1) {
    const character = text[i];
    if (character === "\\") i += 1;
    else if (character === "{") depth += 1;
    else if (character === "}") depth -= 1;
    if (depth === 0) return i;
  }
  return undefined;
}
