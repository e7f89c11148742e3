/**
 * Chats about arithmetic, with and without the code tool.
 *
 * The recipe: the tool is named in 45 % of the chats and then used in 87 % of them, else in 45 %; a box is asked for in
 * 60 %; a fifth of the answers without the tool are wrong; styles of code vary, so that a strict harness loses some of
 * them. Tool outputs are what the program really gives, under a harness that is strict or lenient about its form.
 */
import type { ChatMessage } from "../../src/text/chat.ts";
import { runProgram } from "./arithmetic.ts";
import { assistant, fill, joinParts, system, user, type Draw, type Transcript } from "./draw.ts";
import {
  drawCheck,
  drawErrorText,
  drawFormRepair,
  drawOutputFormat,
  drawToolPhrase,
  EMPTY_OUTPUTS,
  RUN_REPAIRS,
  USER_LEADS,
  type OutputFormat,
} from "./math-prompts.ts";
import { drawProblem, type MathProblem } from "./math-problems.ts";
import { drawBoxRequest, drawPersona } from "./tool-phrases.ts";

/** How one assistant writes code. */
type CodeStyle = "print" | "bare" | "assign" | "fence" | "outside" | "lines" | "steps";
/** How one assistant gives an answer. */
type AnswerStyle = "box" | "boxProse" | "prose" | "plain" | "bold";

type Chat = {
  readonly draw: Draw;
  readonly usesTool: boolean;
  readonly code: CodeStyle;
  readonly isTight: boolean;
  /** Whether the tool runs only what a strict engine would: declared names, no fences, something printed. */
  readonly isStrict: boolean;
  readonly answer: AnswerStyle;
  readonly output: OutputFormat;
  readonly messages: ChatMessage[];
};

/** One math chat. */
export function mathTranscript(draw: Draw): Transcript {
  const isNamed = draw.chance(0.45);
  const isBoxAsked = draw.chance(0.6);
  const hasExample = draw.chance(0.12);
  const chat = openChat(draw, { isNamed, isBoxAsked, hasExample });
  const tool = isNamed ? drawToolPhrase(draw) : "";
  const box = isBoxAsked ? drawBoxRequest(draw) : "";
  const example = hasExample ? exampleText(chat) : "";
  const top = draw.chance(0.45)
    ? [draw.chance(0.6) ? tool : "", draw.chance(0.5) ? box : "", draw.chance(0.5) ? example : ""]
    : undefined;
  const content = top ? joinParts([drawPersona(draw), ...top], draw.pick([" ", " ", "\n"])) : "";
  if (content !== "") chat.messages.push(system(content));
  const rest = [tool, box, example].filter((part) => part !== "" && !top?.includes(part));
  const count = draw.chance(0.28) ? draw.between(2, 3) : 1;
  const place = drawPlacement(draw, rest);
  const isRepeated = draw.chance(0.5);
  for (let i = 0; i < count; i += 1) {
    const problem = drawProblem(draw);
    chat.messages.push(user(i === 0 || (isRepeated && !hasExample) ? place(problem.question) : problem.question));
    solve(chat, problem);
  }
  return { messages: chat.messages, family: "math" };
}

type Prompting = { readonly isNamed: boolean; readonly isBoxAsked: boolean; readonly hasExample: boolean };

function openChat(draw: Draw, { isNamed, isBoxAsked, hasExample }: Prompting): Chat {
  const isTold = isNamed || hasExample;
  return {
    draw,
    usesTool: draw.chance(hasExample ? 0.95 : isTold ? 0.87 : 0.45),
    code: draw.weighted<CodeStyle>([
      [isTold ? 0.52 : 0.37, "print"],
      [0.28, "bare"],
      [0.14, "assign"],
      [0.07, "fence"],
      [0.04, "outside"],
      [0.07, "lines"],
      [0.04, "steps"],
    ]),
    isTight: draw.chance(0.6),
    isStrict: draw.chance(0.5),
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
    output: drawOutputFormat(draw),
    messages: [],
  };
}

/** Where the instructions stand around each question of one chat. */
function drawPlacement(draw: Draw, instructions: readonly string[]): (question: string) => string {
  const lead = draw.pick(USER_LEADS);
  const before = instructions.filter(() => draw.chance(0.35));
  const after = draw.shuffle(instructions.filter((part) => !before.includes(part)));
  const separator = draw.pick([" ", "\n", "\n", "\n\n"]);
  return (question) => joinParts([...before, lead + question, ...after], separator);
}

function exampleText(chat: Chat): string {
  const { draw } = chat;
  const inner: Chat = { ...chat, usesTool: true, messages: [] };
  let problem = drawProblem(draw);
  solveWithCode(inner, problem);
  // An example without a failed run: code, output, answer.
  while (inner.messages.length !== 3) {
    inner.messages.length = 0;
    problem = drawProblem(draw);
    solveWithCode({ ...inner, isStrict: false }, problem);
  }
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
  const program = writeProgram(chat, problem.expression);
  const source = draw.chance(0.04) ? breakProgram(draw, program) : program;
  const shown = runAsHarness(chat, source);
  messages.push(assistant(wrapCode(chat, source)), user(showOutput(chat, shown)));
  if (shown !== String(problem.value)) {
    const again = `print(${tighten(chat, problem.expression)})`;
    const value = runProgram(again).printed.join("\n");
    messages.push(assistant(`<code>${again}</code>`), user(fill(chat.output.frame, { o: value }) + chat.output.suffix));
  }
  messages.push(assistant(writeAnswer(chat, problem.value)));
}

/** The user message after a run; a failed one may be answered with a request instead of its text. */
function showOutput({ draw, output, code }: Chat, shown: string): string {
  if (/^-?\d+$/.test(shown)) return fill(output.frame, { o: shown }) + output.suffix;
  if (code === "outside" && draw.chance(0.5))
    return draw.pick([
      "No code was found. Write <code>print(expression)</code>.",
      "Put the code in <code> and </code>.",
      "Please continue.",
    ]);
  const repair = draw.chance(0.35) ? draw.pick(RUN_REPAIRS) : "";
  return repair !== "" && draw.chance(0.3) ? repair : joinParts([fill(output.frame, { o: shown }), repair], "\n");
}

/** What the tool says about `source`: the printed value, or an error or nothing where it is strict. */
function runAsHarness({ draw, isStrict, code }: Chat, source: string): string {
  const { printed, value, error } = runProgram(source);
  if (error !== undefined) return drawErrorText(draw, error);
  const undeclared = /^(\w+) =/m.exec(source)?.[1];
  if (isStrict && (code === "fence" || code === "outside")) return drawErrorText(draw, "SyntaxError: unexpected token");
  if (isStrict && undeclared !== undefined) return drawErrorText(draw, `ReferenceError: ${undeclared} is not defined`);
  if (isStrict && printed.length === 0 && code === "assign") return draw.pick(EMPTY_OUTPUTS);
  return printed.length > 0 ? printed.join("\n") : String(value);
}

function tighten(chat: Chat, expression: string): string {
  return chat.isTight ? expression.replaceAll(" ", "") : expression;
}

function writeProgram(chat: Chat, expression: string): string {
  const { draw, code } = chat;
  const e = tighten(chat, expression);
  const name = draw.pick(["x", "x", "result", "answer", "total"]);
  const end = draw.chance(0.1) ? ";" : "";
  if (code === "print" || code === "fence" || code === "outside") return `print(${e})${end}`;
  if (code === "bare") return e;
  if (code === "assign") return `${draw.pick(["", "", "const ", "let "])}${name} = ${e}${end}`;
  if (code === "lines")
    return draw.chance(0.4) ? `${name} = ${e}\nprint(${name})` : `const ${name} = ${e};\nprint(${name});`;
  return stepProgram(e, draw.pick(["", "const ", "let "]));
}

/** One line for each number: `a = 12`, `b = 7`, `print(a + b)`. */
function stepProgram(expression: string, keyword: string): string {
  const lines: string[] = [];
  const body = expression.replace(/\d+/g, (digits) => {
    const name = "abcdefgh".charAt(lines.length);
    lines.push(`${keyword}${name} = ${digits}`);
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
  const isFenced = code === "fence" || code === "outside";
  const body = isFenced ? `\`\`\`${draw.pick(["js", "javascript", ""])}\n${source}\n\`\`\`` : source;
  if (code === "outside") return body;
  const isLong = source.includes("\n") || isFenced;
  const tagged = isLong && draw.chance(0.5) ? `<code>\n${body}\n</code>` : `<code>${body}</code>`;
  return draw.chance(0.06) ? `${draw.pick(CODE_LEADS)}\n${tagged}` : tagged;
}

function writeAnswer({ draw, answer, output, messages }: Chat, value: number): string {
  const v = String(value);
  const isAskedNow = output.asksBox && (messages.at(-1)?.content ?? "").includes("box");
  const style = isAskedNow && draw.chance(0.85) ? "box" : answer;
  if (style === "box") return `\\boxed{${v}}`;
  if (style === "boxProse") {
    const frame = draw.pick([
      "The answer is {v}.",
      "The final answer is {v}.",
      "So the answer is {v}.",
      "Answer: {v}",
      "It is {v}.",
    ]);
    return fill(frame, { v: `\\boxed{${v}}` });
  }
  if (style === "plain") return v;
  if (style === "bold") return `**${v}**`;
  return fill(
    draw.pick(["The answer is {v}.", "The answer is {v}.", "It is {v}.", "The result is {v}.", "Answer: {v}", "= {v}"]),
    { v },
  );
}

function solveInHead(chat: Chat, problem: MathProblem): void {
  const { draw, messages } = chat;
  const isWrong = draw.chance(0.2);
  const value = isWrong ? spoil(draw, problem.value) : problem.value;
  const working = draw.chance(0.1) ? `${problem.expression} = ${String(value)}\n` : "";
  messages.push(assistant(working + writeAnswer(chat, value)));
  if (!draw.chance(isWrong ? 0.45 : 0.12)) return;
  messages.push(user(drawCheck(draw)));
  solveWithCode({ ...chat, code: "print" }, problem);
}

function spoil(draw: Draw, value: number): number {
  const step = draw.pick([1, 2, 3, 10, 10, 20, 100]);
  return draw.chance(0.5) ? value + step : value - step;
}

/** A reply without a box is sometimes asked for one. */
function repairForm({ draw, messages }: Chat, problem: MathProblem): void {
  const last = messages.at(-1)?.content ?? "";
  if (last.includes("\\boxed") || !last.includes(String(problem.value)) || !draw.chance(0.2)) return;
  messages.push(user(drawFormRepair(draw)), assistant(`\\boxed{${String(problem.value)}}`));
}
