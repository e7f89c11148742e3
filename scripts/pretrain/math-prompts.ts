/** The prompt side of math chats: how the tool is named, how its output is shown, and what a harness says to a bad reply. */
import { joinParts, type Draw } from "./draw.ts";
import { composeToolPhrase, drawBoxRequest } from "./tool-phrases.ts";

const TOOL_PHRASES = [
  "Use <code>...</code> to run JavaScript.",
  "You can run JavaScript: write <code>...</code>.",
  "To compute, write <code>print(...)</code>.",
  "Write JavaScript in <code> and </code> to compute; the output comes back.",
  "A tool runs JavaScript between <code> and </code>.",
  "First write code in <code></code>, then answer.",
  "Do not compute in your head: use <code>print(expression)</code>.",
  "Never compute in your head. Write <code>print(...)</code> and wait for the output.",
  "Use the code tool for every calculation: <code>print(2+3)</code>.",
  "You have a calculator: <code>expression</code>.",
  "Call the tool with <code>print(expression)</code> and wait for the output.",
  "Always use <code> tags to run code before you answer.",
  "JavaScript code inside <code></code> is executed and its output is shown to you.",
  "Solve the problem with code. Put the code in <code> and </code>.",
  "You may call a JavaScript interpreter by writing <code>code</code>.",
  "Use print() in <code></code> to see the result.",
  "If you need to calculate, write <code>print(...)</code> and the result will be returned.",
  "A JavaScript interpreter runs what you write in <code> and </code>. Use it before you answer.",
  "You solve maths problems with code. Write one line: <code>print(expression)</code>.",
];
const TOOL_FORMS = [
  "<code>...</code>",
  "<code>print(...)</code>",
  "<code>print(expression)</code>",
  "<code>expression</code>",
  "<code> and </code>",
  "code in <code></code>",
  "JavaScript in <code> tags",
  "the tool <code>print(1+2)</code>",
];
const TOOL_PURPOSES = [
  " to compute.",
  " to calculate.",
  " for the calculation.",
  " for all arithmetic.",
  " to find the result.",
  " before you answer.",
  " and read the output.",
  ".",
  " to run JavaScript.",
  ", then give the answer.",
];

/** A sentence that names the code tool. */
export function drawToolPhrase(draw: Draw): string {
  return draw.chance(0.5) ? draw.pick(TOOL_PHRASES) : composeToolPhrase(draw, TOOL_FORMS, TOOL_PURPOSES);
}

/** Openings of the user's message. */
export const USER_LEADS = [
  ...["", "", "", "", "", "Question: ", "Question: ", "Problem: ", "Q: ", "Task: ", "Exercise: "],
  ...["Solve this problem. ", "Solve the following math problem. ", "Here is a problem: ", "Answer this: "],
];

/** How tool output is shown in one chat. */
export type OutputFormat = { readonly frame: string; readonly suffix: string; readonly asksBox: boolean };

/** Draws how outputs are shown: a frame, and sometimes what to do next. */
export function drawOutputFormat(draw: Draw): OutputFormat {
  const frame = draw.weighted([
    [0.7, "Output: {o}"],
    [0.08, "Output:\n{o}"],
    [0.07, "Result: {o}"],
    [0.06, "<output>{o}</output>"],
    [0.04, "The code printed {o}."],
    [0.02, "{o}"],
    [0.03, "Tool result: {o}"],
  ]);
  const kind = draw.weighted([
    [0.72, "none"],
    [0.2, "box"],
    [0.08, "either"],
  ]);
  const box = drawBoxRequest(draw);
  const either = draw.pick([
    `If this is an error, write the code again. If not, ${box.charAt(0).toLowerCase()}${box.slice(1)}`,
    `${box} Or run more code in <code></code>.`,
  ]);
  return {
    frame,
    suffix: kind === "none" ? "" : kind === "box" ? `${draw.pick(["\n", "\n", " "])}${box}` : `\n${either}`,
    asksBox: kind !== "none",
  };
}

/** What a harness says after a failed run, where it does not show the error as it is. */
export const RUN_REPAIRS = [
  "Write the code again: <code>print(expression)</code>.",
  "The code failed. Use <code>print(...)</code>.",
  "Try again with print.",
  "Nothing was printed. Use print: <code>print(expression)</code>.",
  "Fix the code.",
];

/** What a harness says to an answer that was not computed, or is wrong. */
const CHECKS = [
  "That is not right.",
  "This is wrong. Try again.",
  "Wrong. Use <code> to compute it.",
  "The answer is not correct. Check it with code.",
  "No. Compute it with the tool.",
  "Please check your answer with <code>print(...)</code>.",
  "Use <code>print(...)</code> to compute it.",
  "Compute it with the tool: <code>print(expression)</code>.",
  "Are you sure? Use code.",
  "No code was found. Write <code>print(expression)</code>.",
  "Please continue.",
];

/** A request to compute what was only said. */
export function drawCheck(draw: Draw): string {
  return joinParts(
    [draw.chance(0.75) ? draw.pick(CHECKS) : drawToolPhrase(draw), draw.chance(0.2) ? drawBoxRequest(draw) : ""],
    " ",
  );
}

/** A request to repeat the answer in a box. */
export function drawFormRepair(draw: Draw): string {
  const lead = draw.pick([
    "",
    "",
    "",
    "No boxed answer was found.",
    "Your reply has no \\boxed{}.",
    "There is no box.",
    "Please continue.",
    "Good.",
  ]);
  return joinParts([lead, draw.chance(0.15) ? "Give only the boxed answer." : drawBoxRequest(draw)], " ");
}

/** Words for a run that printed nothing. */
export const EMPTY_OUTPUTS = ["", "undefined", "(no output)", "nothing was printed", "(empty)"];

/** Words of a JavaScript engine for an error of each class. */
export function drawErrorText(draw: Draw, error: string): string {
  const name = /^ReferenceError: (\w+)/.exec(error)?.[1];
  if (name) return draw.pick([`ReferenceError: ${name} is not defined`, `ReferenceError: '${name}' is not defined`]);
  return draw.pick([
    "SyntaxError: unexpected token",
    "SyntaxError: expecting ')'",
    "SyntaxError: unexpected end of input",
    "SyntaxError: unexpected token in expression",
    error,
  ]);
}
