/** Function variants about the conversation: feedback, stop rule, prefill, messages, answer. Data only. */
import type { FunctionVariant } from "../../src/rollout/domain.ts";

const FORMAT_OUTPUT: readonly FunctionVariant[] = [
  {
    target: "formatOutput",
    axis: "tool feedback",
    addresses: ["no boxed answer", "tool error", "empty output"],
    hypothesis: "The message after a run should say what to do next: box the value, mend the code, or print something.",
    source: String.raw`function formatOutput(result) {
  if (!result.ok) return "Output: " + result.output.slice(0, 200) + "\nWrite the code again: <code>print(expression)</code>.";
  if (result.output === "") return "Output: nothing was printed. Use print: <code>print(expression)</code>.";
  return "Output: " + result.output.slice(0, 400) + "\nPut the final answer in \\boxed{}.";
}`,
  },
  {
    target: "formatOutput",
    axis: "tool feedback",
    addresses: ["no boxed answer", "wrong value after tool", "truncated"],
    hypothesis: "Only the last printed line matters; earlier lines mislead a small model.",
    source: String.raw`function formatOutput(result) {
  const lines = result.output.trim().split("\n");
  const last = lines[lines.length - 1].slice(0, 100);
  return FEEDBACK.replace("{output}", () => last);
}`,
  },
  {
    target: "formatOutput",
    axis: "retry",
    addresses: ["tool error", "empty output"],
    hypothesis:
      "After a failed run the bare nudge works better than an error text that the model has not learnt to read.",
    source: String.raw`function formatOutput(result) {
  if (!result.ok || result.output === "") return NUDGE;
  return FEEDBACK.replace("{output}", () => result.output.slice(0, 400));
}`,
  },
];

const SHOULD_STOP: readonly FunctionVariant[] = [
  {
    target: "shouldStop",
    axis: "turn budget",
    addresses: ["no boxed answer", "tool error", "empty output"],
    hypothesis: "With four turns a second piece of code can follow a failed first one.",
    source: String.raw`function shouldStop(turn, text, code) {
  return code === "" || turn >= Math.max(MAX_TURNS, 4);
}`,
  },
  {
    target: "shouldStop",
    axis: "retry",
    addresses: ["tool never called", "no boxed answer", "malformed code call"],
    hypothesis: "A reply with neither code nor box is worth a nudge instead of giving up.",
    source: String.raw`function shouldStop(turn, text, code) {
  return turn >= Math.max(MAX_TURNS, 4) || (code === "" && /\\boxed\{[^{}]+\}/.test(text));
}`,
  },
  {
    target: "shouldStop",
    axis: "retry",
    addresses: ["wrong value without tool", "tool never called"],
    hypothesis: "An answer given in the very first reply was not computed; ask once more before taking it.",
    source: String.raw`function shouldStop(turn, text, code) {
  return turn >= Math.max(MAX_TURNS, 3) || (code === "" && turn > 1);
}`,
  },
  {
    target: "shouldStop",
    axis: "retry",
    addresses: ["wrong value without tool", "tool never called", "no boxed answer", "tool error"],
    hypothesis:
      "Going on until there is a box in a later reply than the first covers failed runs and answers from memory.",
    source: String.raw`function shouldStop(turn, text, code) {
  return turn >= Math.max(MAX_TURNS, 5) || (turn > 1 && code === "" && /\\boxed\{[^{}]+\}/.test(text));
}`,
  },
];

const PREFILL: readonly FunctionVariant[] = [
  {
    target: "openingPrefill",
    axis: "prefill",
    addresses: ["tool never called", "wrong value without tool", "malformed code call"],
    hypothesis: "Opening the code tag makes the first reply a tool call.",
    source: String.raw`function openingPrefill(question) {
  return "<code>";
}`,
  },
  {
    target: "openingPrefill",
    axis: "prefill",
    addresses: ["tool error", "empty output", "malformed code call", "tool never called"],
    hypothesis: "Opening a call of print leaves the model only the expression to write.",
    source: String.raw`function openingPrefill(question) {
  return "<code>print(";
}`,
  },
  {
    target: "openingPrefill",
    axis: "prefill",
    addresses: ["tool never called", "wrong value without tool"],
    hypothesis: "A sentence that announces the computation leads to a tool call and leaves the style of code free.",
    source: String.raw`function openingPrefill(question) {
  return "Let me compute.\n";
}`,
  },
  {
    target: "closingPrefill",
    axis: "prefill",
    addresses: ["no boxed answer", "malformed answer"],
    hypothesis: "Opening the box after a run that printed something makes the reply an answer.",
    source: String.raw`function closingPrefill(feedback) {
  return feedback === NUDGE || !/\d/.test(feedback) || /Error/.test(feedback) ? "" : "\\boxed{";
}`,
  },
  {
    target: "closingPrefill",
    axis: "prefill",
    addresses: ["no boxed answer"],
    hypothesis: "The words of a closing sentence lead to a box.",
    source: String.raw`function closingPrefill(feedback) {
  return feedback === NUDGE || /Error/.test(feedback) ? "" : "The answer is \\boxed{";
}`,
  },
  {
    target: "closingPrefill",
    axis: "prefill",
    addresses: ["tool error", "tool never called", "wrong value without tool", "no boxed answer"],
    hypothesis: "After a nudge or an error the next reply should be code, after an output it should be a box.",
    source: String.raw`function closingPrefill(feedback) {
  return feedback === "" || feedback === NUDGE || /Error/.test(feedback) ? "<code>" : "\\boxed{";
}`,
  },
];

const MESSAGES: readonly FunctionVariant[] = [
  {
    target: "buildMessages",
    axis: "prompt text",
    addresses: ["tool never called", "no boxed answer", "wrong value without tool"],
    hypothesis: "A small model heeds instructions in the user message more than those of a system message.",
    source: String.raw`function buildMessages(question) {
  const content = (SYSTEM_PROMPT + "\n" + USER_PROMPT.replace("{question}", () => question)).trim();
  return [...exampleMessages(), { role: "user", content }];
}`,
  },
];

const PARSE_ANSWER: readonly FunctionVariant[] = [
  {
    target: "parseAnswer",
    axis: "answer parsing",
    addresses: ["no boxed answer", "truncated"],
    hypothesis: "Where the last reply has no box, an earlier one may.",
    source: String.raw`function parseAnswer(replies) {
  const boxed = replies.filter((reply) => /\\boxed\{[^{}]+\}/.test(reply));
  return (boxed.length > 0 ? boxed : replies).slice(-1)[0];
}`,
  },
  {
    target: "parseAnswer",
    axis: "answer parsing",
    addresses: ["no boxed answer"],
    hypothesis: "The model often states the value in a sentence; the last number of that sentence is its answer.",
    source: String.raw`function parseAnswer(replies) {
  const last = replies[replies.length - 1];
  if (/\\boxed\{[^{}]+\}/.test(last) || /<code>/.test(last)) return last;
  const numbers = last.match(/-?\d[\d,]*(?:\.\d+)?/g);
  return numbers ? "\\boxed{" + numbers[numbers.length - 1].replace(/,+$/, "") + "}" : last;
}`,
  },
  {
    target: "parseAnswer",
    axis: "answer parsing",
    addresses: ["malformed answer", "truncated", "no boxed answer"],
    hypothesis: "A box that is left open, or holds a unit or an equation beside the number, still says the number.",
    source: String.raw`function parseAnswer(replies) {
  const last = replies[replies.length - 1];
  const box = /\\boxed\{([^{}]*)\}?(?![\s\S]*\\boxed)/.exec(last);
  const numbers = box ? box[1].match(/-?\d[\d,]*(?:\.\d+)?/g) : null;
  return numbers ? "\\boxed{" + numbers[numbers.length - 1].replace(/,+$/, "") + "}" : last;
}`,
  },
];

/** Variants of the functions that lead the conversation. */
export const TALK_VARIANTS: readonly FunctionVariant[] = [
  ...FORMAT_OUTPUT,
  ...SHOULD_STOP,
  ...PREFILL,
  ...MESSAGES,
  ...PARSE_ANSWER,
];
