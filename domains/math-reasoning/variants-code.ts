/** Function variants about code: finding it in a reply, mending it, running it. Data only; each is a whole declaration. */
import type { FunctionVariant } from "../../src/rollout/domain.ts";

const AXIS = "code normalisation";

const PARSE_CODE: readonly FunctionVariant[] = [
  {
    target: "parseCode",
    axis: AXIS,
    addresses: ["malformed code call", "truncated", "tool never called"],
    hypothesis: "Code in an unclosed tag or in a bare fence is meant to be run as well.",
    source: String.raw`function parseCode(text) {
  const tagged = /<code>([\s\S]*?)(?:<\/code>|$)/.exec(text);
  if (tagged) return tagged[1].trim();
  const fenced = /${"```"}\w*\n([\s\S]*?)(?:${"```"}|$)/.exec(text);
  return fenced ? fenced[1].trim() : "";
}`,
  },
  {
    target: "parseCode",
    axis: AXIS,
    addresses: ["wrong value after tool", "tool error"],
    hypothesis: "Where a reply holds several blocks of code, the last one is the corrected one.",
    source: String.raw`function parseCode(text) {
  const blocks = [...text.matchAll(/<code>([\s\S]*?)<\/code>/g)];
  return blocks.length === 0 ? "" : blocks[blocks.length - 1][1];
}`,
  },
  {
    target: "parseCode",
    axis: AXIS,
    addresses: ["malformed code call", "tool never called"],
    hypothesis: "A line that calls print is code even without tags.",
    source: String.raw`function parseCode(text) {
  const tagged = /<code>([\s\S]*?)<\/code>/.exec(text);
  if (tagged) return tagged[1];
  const line = text.split("\n").find((candidate) => /^\s*print\(.*\)\s*;?\s*$/.test(candidate));
  return line === undefined ? "" : line.trim();
}`,
  },
];

const NORMALIZE_CODE: readonly FunctionVariant[] = [
  {
    target: "normalizeCode",
    axis: AXIS,
    addresses: ["tool error"],
    hypothesis: "Fences and final semicolons inside the code tag make the print wrap a syntax error; strip them first.",
    source: String.raw`function normalizeCode(code) {
  const bare = code.trim().replace(/^${"```"}\w*\s*/, "").replace(/\s*${"```"}$/, "").replace(/;\s*$/, "");
  const lines = bare.split("\n");
  const last = lines.length - 1;
  if (!lines[last].startsWith("print")) lines[last] = "print(" + lines[last] + ")";
  return lines.join("\n");
}`,
  },
  {
    target: "normalizeCode",
    axis: AXIS,
    addresses: ["tool error", "empty output"],
    hypothesis: "Declaring assigned names, and printing the name that the last line assigns, makes assignments work.",
    source: String.raw`function normalizeCode(code) {
  const lines = code.trim().split("\n").map((line) => line.replace(/^\s*(?:(?:let|const|var)\s+)?([A-Za-z_]\w*)\s*=(?!=)/, "var $1 ="));
  const last = lines.length - 1;
  const assigned = /^var (\w+) =/.exec(lines[last]);
  if (assigned) lines.push("print(" + assigned[1] + ")");
  else if (!lines[last].startsWith("print")) lines[last] = "print(" + lines[last] + ")";
  return lines.join("\n");
}`,
  },
  {
    target: "normalizeCode",
    axis: AXIS,
    addresses: ["tool error", "empty output", "malformed code call"],
    hypothesis:
      "Statement by statement, fences, declarations and a missing print can all be mended without changing a number.",
    source: String.raw`function normalizeCode(code) {
  const bare = code.trim().replace(/^${"```"}\w*\s*/, "").replace(/\s*${"```"}$/, "");
  const parts = bare.split(/[;\n]/).map((part) => part.trim()).filter((part) => part !== "");
  const lines = parts.map((part) => part.replace(/^(?:(?:let|const|var)\s+)?([A-Za-z_]\w*)\s*=(?!=)/, "var $1 ="));
  const last = lines[lines.length - 1] ?? "";
  const assigned = /^var (\w+) =/.exec(last);
  if (assigned) lines.push("print(" + assigned[1] + ")");
  else if (!/^(?:print|console\.log)\b/.test(last)) lines[lines.length - 1] = "print(" + last + ")";
  return lines.join("\n");
}`,
  },
  {
    target: "normalizeCode",
    axis: AXIS,
    addresses: ["tool error"],
    hypothesis:
      "Operators from print (a times sign, a colon for division, a trailing equals sign) can be spelled in JavaScript.",
    source: String.raw`function normalizeCode(code) {
  const spelled = code.trim().replace(/\u00d7|\\times/g, "*").replace(/\u00f7/g, "/").replace(/\u2212/g, "-").replace(/\s*=\s*\??\s*$/, "");
  const lines = spelled.replace(/(\d),(?=\d{3}\b)/g, "$1").split("\n");
  const last = lines.length - 1;
  if (!lines[last].startsWith("print")) lines[last] = "print(" + lines[last] + ")";
  return lines.join("\n");
}`,
  },
];

const RESPOND: readonly FunctionVariant[] = [
  {
    target: "respond",
    axis: "retry",
    addresses: ["tool error", "empty output"],
    hypothesis: "When the mended code fails, the code as the model wrote it may run.",
    source: String.raw`async function respond(code, env) {
  if (code === "") return NUDGE;
  const mended = await env.tools.run(normalizeCode(code));
  if (mended.ok && mended.output !== "") return formatOutput(mended);
  const plain = await env.tools.run(code);
  return formatOutput(plain.ok && plain.output !== "" ? plain : mended);
}`,
  },
  {
    target: "respond",
    axis: "retry",
    addresses: ["tool error", "malformed code call"],
    hypothesis: "When the whole program fails, one line of it that is a print or a sum may still run.",
    source: String.raw`async function respond(code, env) {
  if (code === "") return NUDGE;
  const whole = await env.tools.run(normalizeCode(code));
  if (whole.ok && whole.output !== "") return formatOutput(whole);
  const line = code.split("\n").reverse().find((candidate) => /[\d)]/.test(candidate));
  const again = line === undefined ? whole : await env.tools.run(normalizeCode(line.replace(/^.*=/, "").replace(/;\s*$/, "")));
  return formatOutput(again.ok ? again : whole);
}`,
  },
];

/** Variants of `parseCode`, `normalizeCode` and `respond`. */
export const CODE_VARIANTS: readonly FunctionVariant[] = [...PARSE_CODE, ...NORMALIZE_CODE, ...RESPOND];
