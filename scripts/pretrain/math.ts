/**
 * Chats about arithmetic, with and without the code tool.
 *
 * The recipe: the tool is named in 45 % of the chats and then used in 85 % of them, else in 33 %; a box is asked for in
 * 60 %; a fifth of the answers without the tool are wrong; styles of code vary, so that a strict harness loses some of
 * them. Tool outputs are what the program really gives.
 */
import type { ChatMessage } from "../../src/text/chat.ts";
import { runProgram } from "./arithmetic.ts";
import { assistant, fill, joinParts, system, user, type Draw, type Transcript } from "./draw.ts";
import { drawProblem, type MathProblem } from "./math-problems.ts";
import { drawBoxRequest, drawPersona } from "./tool-phrases.ts";

const TOOL_PHRASES = [
  "Use <code>...</code> to run JavaScript.",
  "You can run JavaScript: write <code>...</code>.",
  "To compute, write <code>print(...)</code>.",
  "Write JavaScript in <code> and </code> to compute; the output comes back.",
  "A tool runs JavaScript between <code> and </code>.",
  "First write code in <code></code>, then answer.",
  "Do not compute in your head: use <code>print(expression)</code>.",
  "Use the code tool for every calculation: <code>print(2+3)</code>.",
  "You have a calculator: <code>expression</code>.",
  "Call the tool with <code>print(expression)</code> and wait for the output.",
  "Always use <code> tags to run code before you answer.",
  "JavaScript code inside <code></code> is executed and its output is shown to you.",
  "Solve the problem with code. Put the code in <code> and </code>.",
  "You may call a JavaScript interpreter by writing <code>code</code>.",
  "Use print() in <code></code> to see the result.",
  "If you need to calculate, write <code>print(...)</code> and the result will be returned.",
];

const USER_LEADS = [
  "",
  "",
  "",
  "",
  "Question: ",
  "Problem: ",
  "Q: ",
  "Task: ",
  "Solve this problem. ",
  "Solve the following math problem. ",
  "Here is a problem: ",
];

/** How one assistant writes code. */
type CodeStyle = "print" | "bare" | "assign" | "fence" | "lines" | "steps";
/** How one assistant gives an answer. */
type AnswerStyle = "box" | "boxProse" | "prose" | "plain" | "bold";

type Chat = {
  readonly draw: Draw;
  readonly usesTool: boolean;
  readonly code: CodeStyle;
  readonly isTight: boolean;
  readonly answer: AnswerStyle;
  readonly outputFormat: string;
  readonly messages: ChatMessage[];
};

/** One math chat. */
export function mathTranscript(draw: Draw): Transcript {
  const isNamed = draw.chance(0.45);
  const isBoxAsked = draw.chance(0.6);
  const hasExample = draw.chance(0.12);
  const chat = openChat(draw, { isNamed, isBoxAsked, hasExample });
  const tool = isNamed ? draw.pick(TOOL_PHRASES) : "";
  const box = isBoxAsked ? drawBoxRequest(draw) : "";
  const isSystem = draw.chance(0.45);
  const example = hasExample ? exampleText(chat) : "";
  const [toolTop, boxTop] = [draw.chance(0.6), draw.chance(0.5)];
  if (isSystem) {
    const content = joinParts(
      [drawPersona(draw), toolTop ? tool : "", boxTop ? box : "", draw.chance(0.5) ? example : ""],
      draw.pick([" ", " ", "\n"]),
    );
    if (content !== "") chat.messages.push(system(content));
  }
  const seen = chat.messages[0]?.content ?? "";
  const rest = [tool, box, example].filter((part) => part !== "" && !seen.includes(part));
  const count = draw.chance(0.25) ? draw.between(2, 3) : 1;
  for (let i = 0; i < count; i += 1) {
    const problem = drawProblem(draw);
    chat.messages.push(user(i === 0 ? placeInstructions(draw, problem.question, rest) : problem.question));
    solve(chat, problem);
  }
  return { messages: chat.messages, family: "math" };
}

type Prompting = { readonly isNamed: boolean; readonly isBoxAsked: boolean; readonly hasExample: boolean };

function openChat(draw: Draw, { isNamed, isBoxAsked, hasExample }: Prompting): Chat {
  const isTold = isNamed || hasExample;
  return {
    draw,
    usesTool: draw.chance(hasExample ? 0.95 : isTold ? 0.87 : 0.36),
    code: draw.weighted<CodeStyle>([
      [isTold ? 0.5 : 0.33, "print"],
      [0.26, "bare"],
      [0.15, "assign"],
      [0.11, "fence"],
      [0.08, "lines"],
      [0.05, "steps"],
    ]),
    isTight: draw.chance(0.6),
    answer:
      isBoxAsked || hasExample
        ? draw.weighted<AnswerStyle>([
            [0.7, "box"],
            [0.14, "boxProse"],
            [0.1, "prose"],
            [0.06, "plain"],
          ])
        : draw.weighted<AnswerStyle>([
            [0.16, "box"],
            [0.09, "boxProse"],
            [0.5, "prose"],
            [0.17, "plain"],
            [0.08, "bold"],
          ]),
    outputFormat: draw.weighted([
      [0.72, "Output: {o}"],
      [0.06, "Output:\n{o}"],
      [0.06, "Result: {o}"],
      [0.06, "<output>{o}</output>"],
      [0.04, "The code printed {o}."],
      [0.03, "{o}"],
      [0.03, "Tool result: {o}"],
    ]),
    messages: [],
  };
}

/** Puts instructions before or after the question. */
function placeInstructions(draw: Draw, question: string, instructions: readonly string[]): string {
  const lead = draw.pick(USER_LEADS) + question;
  const before = instructions.filter(() => draw.chance(0.35));
  const after = draw.shuffle(instructions.filter((part) => !before.includes(part)));
  const separator = draw.pick([" ", "\n", "\n\n"]);
  return joinParts([...before, lead, ...after], separator);
}

function exampleText(chat: Chat): string {
  const { draw } = chat;
  const inner: Chat = { ...chat, usesTool: true, messages: [] };
  const problem = drawProblem(draw);
  solveWithCode(inner, problem);
  const turns = inner.messages.map((message) =>
    message.role === "assistant" ? `Assistant: ${message.content}` : message.content,
  );
  const head = draw.pick(["Example:", "For example:", "Here is an example.", "Example", "A solved example:"]);
  return `${head}\n${draw.pick(["Question: ", "Problem: ", "User: ", "Q: "])}${problem.question}\n${turns.join("\n")}${draw.pick(["", "\n", "\nNow your turn."])}`;
}

function solve(chat: Chat, problem: MathProblem): void {
  if (chat.usesTool) solveWithCode(chat, problem);
  else solveInHead(chat, problem);
  repairForm(chat, problem);
}

function solveWithCode(chat: Chat, problem: MathProblem): void {
  const { draw, messages } = chat;
  const isBroken = draw.chance(0.05);
  const program = writeProgram(chat, problem.expression, chat.code);
  const source = isBroken ? breakProgram(draw, program) : program;
  const shown = runAsHarness(draw, source);
  messages.push(assistant(wrapCode(chat, source)), user(fill(chat.outputFormat, { o: shown })));
  if (shown !== String(problem.value)) {
    if (!/error|undefined|nothing|no output|empty/i.test(shown))
      return messages.splice(-2, 2).length > 0 ? solveInHead(chat, problem) : undefined;
    const again = `print(${tighten(chat, problem.expression)})`;
    messages.push(assistant(`<code>${again}</code>`), user(fill(chat.outputFormat, { o: runAsHarness(draw, again) })));
  }
  messages.push(assistant(writeAnswer(chat, problem.value)));
}

/** What a harness shows for `source`: the printed lines, the last value, or that there was nothing. */
function runAsHarness(draw: Draw, source: string): string {
  const { printed, value, error } = runProgram(source);
  if (error !== undefined) return draw.chance(0.7) ? error : `error ${error}`;
  if (printed.length > 0) return printed.join("\n");
  const isAssigned = /=[^\n;]*$/.test(source);
  if (isAssigned && draw.chance(0.6))
    return draw.pick([
      "undefined",
      "(no output)",
      "error: nothing was printed",
      "(nothing printed)",
      "error: use print",
      "(empty)",
    ]);
  return String(value);
}

function tighten(chat: Chat, expression: string): string {
  return chat.isTight ? expression.replaceAll(" ", "") : expression;
}

function writeProgram(chat: Chat, expression: string, style: CodeStyle): string {
  const { draw } = chat;
  const e = tighten(chat, expression);
  const name = draw.pick(["x", "x", "result", "answer", "total"]);
  if (style === "print" || style === "fence") return `print(${e})`;
  if (style === "bare") return e;
  if (style === "assign") return `${draw.pick(["", "", "const ", "let "])}${name} = ${e}`;
  if (style === "lines")
    return draw.chance(0.5) ? `${name} = ${e}\nprint(${name})` : `const ${name} = ${e};\nprint(${name});`;
  return stepProgram(e);
}

/** One line for each number: `a = 12`, `b = 7`, `print(a + b)`. */
function stepProgram(expression: string): string {
  const lines: string[] = [];
  const body = expression.replace(/\d+/g, (digits) => {
    const name = "abcde".charAt(lines.length);
    lines.push(`${name} = ${digits}`);
    return name;
  });
  return [...lines, `print(${body})`].join("\n");
}

function breakProgram(draw: Draw, source: string): string {
  const kinds = [
    (s: string) => s.replace(/\)(?!.*\))/s, ""),
    (s: string) => s.replace(/print\(.*/s, "print(y)"),
    (s: string) => `${s} +`,
  ];
  const broken = draw.pick(kinds)(source);
  return broken === source ? `print(${source}` : broken;
}

const CODE_LEADS = [
  "Let me compute.",
  "I will run code.",
  "Let me calculate this.",
  "First I compute it.",
  "I use the tool.",
];

function wrapCode({ draw, code }: Chat, source: string): string {
  const body = code === "fence" ? `\`\`\`${draw.pick(["js", "javascript", ""])}\n${source}\n\`\`\`` : source;
  const isLong = source.includes("\n") || code === "fence";
  const tagged = isLong && draw.chance(0.5) ? `<code>\n${body}\n</code>` : `<code>${body}</code>`;
  return draw.chance(0.07) ? `${draw.pick(CODE_LEADS)}\n${tagged}` : tagged;
}

function writeAnswer({ draw, answer }: Chat, value: number): string {
  const v = String(value);
  if (answer === "box") return `\\boxed{${v}}`;
  if (answer === "boxProse")
    return fill(
      draw.pick([
        "The answer is \\boxed{{v}}.",
        "The final answer is \\boxed{{v}}.",
        "So the answer is \\boxed{{v}}.",
        "Answer: \\boxed{{v}}",
        "It is \\boxed{{v}}.",
      ]),
      { v },
    );
  if (answer === "plain") return v;
  if (answer === "bold") return `**${v}**`;
  return fill(
    draw.pick(["The answer is {v}.", "The answer is {v}.", "It is {v}.", "The result is {v}.", "Answer: {v}", "= {v}"]),
    { v },
  );
}

const DOUBTS = [
  "That is not right.",
  "This is wrong. Try again.",
  "Wrong. Use <code> to compute it.",
  "The answer is not correct. Check it with code.",
  "Please check your answer with <code>print(...)</code>.",
  "No. Compute it with the tool.",
];

function solveInHead(chat: Chat, problem: MathProblem): void {
  const { draw, messages } = chat;
  const isWrong = draw.chance(0.2);
  const value = isWrong ? spoil(draw, problem.value) : problem.value;
  const working = draw.chance(0.1) ? `${problem.expression} = ${String(value)}\n` : "";
  messages.push(assistant(working + writeAnswer(chat, value)));
  if (!isWrong || !draw.chance(0.4)) return;
  messages.push(user(draw.pick(DOUBTS)));
  solveWithCode({ ...chat, code: "print" }, problem);
}

function spoil(draw: Draw, value: number): number {
  const step = draw.pick([1, 2, 3, 10, 10, 20, 100]);
  return draw.chance(0.5) ? value + step : value - step;
}

const FORM_REPAIRS = [
  "Put the final answer in \\boxed{}.",
  "Give only the boxed answer.",
  "No boxed answer was found. Write \\boxed{answer}.",
  "Please box the answer: \\boxed{}.",
  "Now write the answer in \\boxed{}.",
  "Your reply has no \\boxed{}. Answer with \\boxed{number}.",
];

/** A reply without a box is sometimes asked for one. */
function repairForm(chat: Chat, problem: MathProblem): void {
  const { draw, messages } = chat;
  const last = messages.at(-1)?.content ?? "";
  if (last.includes("\\boxed") || !last.includes(String(problem.value)) || !draw.chance(0.15)) return;
  messages.push(user(draw.pick(FORM_REPAIRS)), assistant(`\\boxed{${String(problem.value)}}`));
}
