/**
 * Question-answering chats with a search tool over an invented world.
 *
 * The recipe: the tool is named in half of the chats and then used in 88 % of them, else in 30 %; the answer tag is
 * asked for in 65 %; passages are cut at 12 to 80 words, so the answer is sometimes missing and the assistant searches
 * again, gives up or guesses. Results come from a lexical ranking over the world's passages.
 */
import type { ChatMessage } from "../../src/text/chat.ts";
import { assistant, fill, joinParts, system, user, type Draw, type Transcript } from "./draw.ts";
import { drawName } from "./names.ts";
import { drawAnswerTagRequest, drawPersona } from "./tool-phrases.ts";
import { describe, drawPerson, drawWorld, FIELDS, type Entity } from "./world.ts";

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
const QUESTION_LEADS = [
  "",
  "",
  "",
  "Question: ",
  "Question: ",
  "Q: ",
  "Answer the question. ",
  "Answer the given question. ",
  "Answer this question: ",
];
const REMINDERS = [
  "Answer inside <answer> and </answer>.",
  "Now answer in <answer>.",
  "Give the answer as <answer>...</answer> or search again.",
  "If this is enough, answer with <answer>text</answer>.",
  "Search again if the answer is not here.",
];

type Passage = { readonly entity: Entity; readonly text: string; readonly words: ReadonlySet<string> };
type Need = { readonly entity: Entity; readonly field: string };
type Chat = {
  readonly draw: Draw;
  readonly passages: readonly Passage[];
  readonly topK: number;
  readonly cut: number;
  readonly layout: string;
  readonly isTagAsked: boolean;
  readonly reminder: (question: string) => string;
  readonly messages: ChatMessage[];
};

/** One search chat. */
export function searchTranscript(draw: Draw): Transcript {
  const world = drawWorld(draw);
  const isNamed = draw.chance(0.5);
  const chat = openChat(draw, world);
  const { question, needs } = drawQuestion(draw, world);
  const tool = isNamed ? draw.pick(TOOL_PHRASES) : "";
  const tag = chat.isTagAsked ? drawAnswerTagRequest(draw) : "";
  const example = draw.chance(0.1) ? exampleText(draw) : "";
  const isSystem = draw.chance(0.45);
  const top = isSystem
    ? [draw.chance(0.65) ? tool : "", draw.chance(0.55) ? tag : "", draw.chance(0.5) ? example : ""]
    : [];
  const content = isSystem ? joinParts([drawPersona(draw), ...top], draw.pick([" ", "\n"])) : "";
  if (content !== "") chat.messages.push(system(content));
  const rest = [tool, tag, example].filter((part) => part !== "" && !top.includes(part));
  const before = rest.filter(() => draw.chance(0.4));
  const after = rest.filter((part) => !before.includes(part));
  chat.messages.push(
    user(joinParts([...before, draw.pick(QUESTION_LEADS) + question, ...after], draw.pick([" ", "\n", "\n\n"]))),
  );
  if (draw.chance(isNamed || example !== "" ? 0.88 : 0.3)) answerBySearch(chat, question, needs);
  else answerByGuess(chat, question, needs);
  return { messages: chat.messages, family: "search" };
}

function openChat(draw: Draw, world: readonly Entity[]): Chat {
  const layout = draw.weighted([
    [0.72, "tag"],
    [0.08, "plain"],
    [0.07, "doc"],
    [0.07, "lines"],
    [0.06, "bullets"],
  ]);
  const kind = draw.weighted([
    [0.7, "none"],
    [0.15, "reminder"],
    [0.15, "question"],
  ]);
  const reminder = draw.pick(REMINDERS);
  return {
    draw,
    passages: world.map((entity) => toPassage(entity, describe(draw, entity))),
    topK: draw.weighted([
      [0.55, 1],
      [0.25, 2],
      [0.2, 3],
    ]),
    cut: draw.chance(0.6) ? draw.between(12, 40) : draw.between(30, 80),
    layout,
    isTagAsked: draw.chance(0.65),
    reminder: (question) => (kind === "none" ? "" : kind === "reminder" ? `\n${reminder}` : `\nQuestion: ${question}`),
    messages: [],
  };
}

function toPassage(entity: Entity, text: string): Passage {
  return { entity, text, words: new Set(`${entity.name} ${text}`.toLowerCase().match(/\p{L}+|\d+/gu)) };
}

/** A question of one hop, or of two where a fact names another entity. */
function drawQuestion(draw: Draw, world: readonly Entity[]): { question: string; needs: Need[] } {
  const entity = draw.pick(world);
  const field = draw.pick(Object.keys(entity.facts));
  const next = world.find((other) => other.name === entity.facts[field]);
  const one = { question: ask(draw, entity.name, { entity, field }), needs: [{ entity, field }] };
  if (!next || !draw.chance(0.6)) return one;
  const nextField = draw.pick(Object.keys(next.facts));
  const phrase = fill(draw.pick(HOPS[`${entity.kind}.${field}`] ?? ["the {w} of {n}"]), {
    n: entity.name,
    w: FIELDS[entity.kind][field]?.word ?? field,
  });
  return {
    question: ask(draw, phrase, { entity: next, field: nextField }),
    needs: [
      { entity, field },
      { entity: next, field: nextField },
    ],
  };
}

const HOPS: Readonly<Record<string, readonly string[]>> = {
  "person.birthplace": ["the birthplace of {n}", "the town where {n} grew up"],
  "firm.seat": ["the town where {n} is based", "the home town of {n}"],
  "town.river": ["the river of {n}", "the river at {n}"],
};

function ask(draw: Draw, subject: string, { entity, field }: Need): string {
  return fill(draw.pick(FIELDS[entity.kind][field]?.questions ?? []), { n: subject });
}

/** Words to search for: the question, the entity with or without the field, sometimes a poor choice. */
function drawQuery(draw: Draw, question: string, { entity, field }: Need): string {
  const word = FIELDS[entity.kind][field]?.word ?? field;
  const style = draw.weighted([
    [0.22, "question"],
    [0.3, "both"],
    [0.25, "entity"],
    [0.07, "reverse"],
    [0.08, "field"],
    [0.08, "part"],
  ]);
  if (style === "question") return question;
  if (style === "both") return `${entity.name} ${word}`;
  if (style === "reverse") return `${word} of ${entity.name}`;
  if (style === "field") return word;
  if (style === "part") return entity.name.split(" ").at(-1) ?? entity.name;
  return entity.name;
}

function retrieve({ draw, passages, topK }: Chat, query: string): Passage[] {
  const words = query.toLowerCase().match(/\p{L}+|\d+/gu) ?? [];
  const score = (passage: Passage): number => {
    const title = passage.entity.name.toLowerCase();
    return words.reduce(
      (sum, word) =>
        sum +
        (passage.words.has(word) ? (word.length > 3 ? 1 : 0.2) : 0) +
        (title.includes(word) && word.length > 3 ? 1 : 0),
      draw.uniform() * 0.4,
    );
  };
  const ranked = passages.map((passage) => ({ passage, score: score(passage) })).sort((a, b) => b.score - a.score);
  return ranked.slice(0, topK).map(({ passage }) => passage);
}

/** What the tool shows, and whether `value` can be read in it. */
function showResults(chat: Chat, found: readonly Passage[]): string {
  const rows = found.map(({ entity, text }, index) => {
    const words = text.split(" ");
    const body = words.length > chat.cut ? `${words.slice(0, chat.cut).join(" ")} ...` : text;
    const number = String(index + 1);
    if (chat.layout === "doc") return `Doc ${number}(Title: "${entity.name}") ${body}`;
    if (chat.layout === "bullets") return `- ${entity.name}: ${body}`;
    if (chat.layout === "lines") return `${number}. ${entity.name}\n${body}`;
    return `[${number}] ${entity.name}: ${body}`;
  });
  return chat.layout === "plain" ? rows.join("\n") : `<information>\n${rows.join("\n")}\n</information>`;
}

function answerBySearch(chat: Chat, question: string, needs: readonly Need[]): void {
  const { draw, messages } = chat;
  for (const [hop, need] of needs.entries()) {
    const value = need.entity.facts[need.field] ?? "";
    if (!searchFor(chat, hop === 0 ? question : ask(draw, need.entity.name, need), { need, value, question })) {
      const isUnknown = draw.chance(0.45);
      messages.push(assistant(writeAnswer(chat, isUnknown ? "unknown" : guess(draw, need))));
      return;
    }
    if (hop === needs.length - 1) messages.push(assistant(writeAnswer(chat, value)));
  }
}

type Target = { readonly need: Need; readonly value: string; readonly question: string };

/** Searches up to three times; true when the value has been on screen. */
function searchFor(chat: Chat, text: string, { need, value, question }: Target): boolean {
  const { draw, messages } = chat;
  for (let tries = 0; tries < 3; tries += 1) {
    const query = drawQuery(draw, text, need);
    const shown = showResults(chat, retrieve(chat, query));
    messages.push(assistant(writeSearch(draw, query)), user(shown + chat.reminder(question)));
    if (mentions(shown, need, value)) return true;
    if (!draw.chance(0.55)) return false;
  }
  return false;
}

function mentions(shown: string, need: Need, value: string): boolean {
  return shown
    .split("\n")
    .some(
      (line, index, lines) =>
        (line.includes(need.entity.name) || (lines[index - 1] ?? "").includes(need.entity.name)) &&
        line.includes(value),
    );
}

function writeSearch(draw: Draw, query: string): string {
  const lead = draw.chance(0.06)
    ? draw.pick(["I need to search.", "Let me search.", "I will look it up.", "I do not know yet."]) + "\n"
    : "";
  return `${lead}<search>${query}</search>`;
}

function writeAnswer({ draw, isTagAsked }: Chat, value: string): string {
  const style = isTagAsked
    ? draw.weighted([
        [0.75, "tag"],
        [0.12, "tagProse"],
        [0.13, "prose"],
      ])
    : draw.weighted([
        [0.13, "tag"],
        [0.05, "tagProse"],
        [0.62, "prose"],
        [0.2, "plain"],
      ]);
  if (style === "tag") return `<answer>${value}</answer>`;
  if (style === "tagProse")
    return draw.pick(["The answer is", "I found it:", "So the answer is"]) + ` <answer>${value}</answer>`;
  if (style === "plain") return value;
  return draw.pick([`The answer is ${value}.`, `The answer is ${value}.`, `It is ${value}.`, `Answer: ${value}`]);
}

/** A wrong value of the right type. */
function guess(draw: Draw, { entity, field }: Need): string {
  const value = entity.facts[field] ?? "";
  if (/^\d+$/.test(value)) return String(Number(value) + draw.between(1, 60));
  return value.includes(" ") && /^[A-Z]/.test(value) ? drawPerson(draw) : drawName(draw);
}

function answerByGuess(chat: Chat, question: string, needs: readonly Need[]): void {
  const { draw, messages } = chat;
  const need = needs.at(-1);
  if (!need) return;
  const isHonest = draw.chance(0.25);
  messages.push(
    assistant(
      isHonest
        ? draw.pick(["I do not know.", "unknown", "I am not sure.", "I cannot answer that."])
        : writeAnswer(chat, guess(draw, need)),
    ),
  );
  if (!draw.chance(0.25)) return;
  messages.push(
    user(
      draw.pick([
        "Search for it with <search>query</search>.",
        "That is not right. Use <search>...</search>.",
        "Use the search tool.",
        "You did not search. Write <search>query</search>.",
      ]),
    ),
  );
  answerBySearch(chat, question, needs);
}

/** A short solved example with another world's names. */
function exampleText(draw: Draw): string {
  const world = drawWorld(draw);
  const entity = draw.pick(world);
  const field = draw.pick(Object.keys(entity.facts));
  const value = entity.facts[field] ?? "";
  const sentence = fill(FIELDS[entity.kind][field]?.statements[0] ?? "", { n: entity.name, v: value });
  const query = draw.chance(0.5) ? entity.name : `${entity.name} ${FIELDS[entity.kind][field]?.word ?? field}`;
  const head = draw.pick(["Example:", "For example:", "Here is an example."]);
  return `${head}\nQuestion: ${ask(draw, entity.name, { entity, field })}\n<search>${query}</search>\n<information>\n[1] ${entity.name}: ${sentence}\n</information>\n<answer>${value}</answer>\n`;
}
