/** The prompt side of search chats: how the tool is named, how results are laid out, and what follows them. */
import { type Draw } from "./draw.ts";
import { composeToolPhrase, drawAnswerTagRequest } from "./tool-phrases.ts";

const TOOL_PHRASES = [
  "Use <search>query</search> to look things up.",
  "You can search: write <search>query</search>.",
  "To search, write <search>words</search>; the results come in <information>.",
  "Search first with <search>...</search>, then answer.",
  "A search engine answers <search>query</search>.",
  "You do not know the facts. Search for them with <search>query</search>.",
  "Call the search tool with <search>name</search>.",
  "If you lack knowledge, call a search engine by <search>query</search> and it will return the top results between <information> and </information>.",
  "Look up every fact: <search>query</search>.",
  "Always search before you answer. Write the query in <search> and </search>.",
  "Write <search>question</search> to find passages.",
  "You have one tool, search. Use it like this: <search>query</search>.",
  "You may search as often as you want with <search>query</search>.",
  "Find the answer with <search>...</search>.",
];
const TOOL_FORMS = [
  "<search>query</search>",
  "<search>...</search>",
  "<search>words</search>",
  "<search> and </search>",
  "the tool <search>name</search>",
  "<search>question</search>",
  "a query in <search> tags",
];
const TOOL_PURPOSES = [
  " to find the answer.",
  " to find facts.",
  " to search.",
  " before you answer.",
  " and read the results.",
  ".",
  ", then answer.",
  " to look it up.",
  " for every fact.",
];

/** A sentence that names the search tool. */
export function drawSearchPhrase(draw: Draw): string {
  return draw.chance(0.5) ? draw.pick(TOOL_PHRASES) : composeToolPhrase(draw, TOOL_FORMS, TOOL_PURPOSES);
}

/** Openings of the user's message. */
export const QUESTION_LEADS = [
  ...["", "", "", "Question: ", "Question: ", "Q: ", "Answer the question. "],
  ...["Answer the given question. ", "Answer this question: ", "Task: "],
];

/** What stands after the results in one chat. */
export type AfterResults = (question: string, titles: readonly string[]) => string;

/** Draws what follows results: mostly nothing, else a reminder, the question again, or a line of titles seen. */
export function drawAfterResults(draw: Draw): AfterResults {
  const kind = draw.weighted([
    [0.68, "none"],
    [0.13, "reminder"],
    [0.13, "question"],
    [0.06, "titles"],
  ]);
  const reminder = draw.chance(0.5)
    ? drawAnswerTagRequest(draw)
    : draw.pick([
        "Now answer in <answer>.",
        "Give the answer as <answer>...</answer> or search again.",
        "If this is enough, answer with <answer>text</answer>.",
        "Search again if the answer is not here.",
        "Search again or answer.",
      ]);
  const label = draw.pick(["Titles seen: ", "Seen so far: ", "Found: "]);
  return (question, titles) => {
    if (kind === "reminder") return `\n${reminder}`;
    if (kind === "question") return `\nQuestion: ${question}`;
    return kind === "titles" ? `\n${label}${titles.join("; ")}` : "";
  };
}

/** What a harness says to a reply with neither a query nor an answer tag. */
export function drawSearchRepair(draw: Draw): string {
  const fixed = [
    "Search for it with <search>query</search>.",
    "That is not right. Use <search>...</search>.",
    "Use the search tool.",
    "You did not search. Write <search>query</search>.",
    "That is wrong. Search again.",
    "Look it up first.",
    "Please continue.",
  ];
  return draw.chance(0.7) ? draw.pick(fixed) : drawSearchPhrase(draw);
}

/** A request to repeat an answer in its tag. */
export function drawTagRepair(draw: Draw): string {
  const lead = draw.pick(["", "", "No <answer> was found. ", "Your reply has no answer tag. ", "Good. "]);
  return lead + drawAnswerTagRequest(draw);
}

/** Renders results: rows of `[title, text]`. */
export type ResultLayout = (rows: readonly (readonly [title: string, text: string])[]) => string;

/** Draws a layout; mostly numbered rows in the `<information>` tag. */
export function drawLayout(draw: Draw): ResultLayout {
  const kind = draw.weighted([
    [0.72, "tag"],
    [0.08, "plain"],
    [0.07, "doc"],
    [0.07, "lines"],
    [0.06, "bullets"],
  ]);
  return (rows) => {
    const lines = rows.map(([title, text], index) => {
      const number = String(index + 1);
      if (kind === "doc") return `Doc ${number}(Title: "${title}") ${text}`;
      if (kind === "bullets") return `- ${title}: ${text}`;
      return kind === "lines" ? `${number}. ${title}\n${text}` : `[${number}] ${title}: ${text}`;
    });
    return kind === "plain" ? lines.join("\n") : `<information>\n${lines.join("\n")}\n</information>`;
  };
}
