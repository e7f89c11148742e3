/**
 * Question-answering chats with a search tool over an invented world.
 *
 * The recipe: the tool is named in half of the chats and then used in 88 % of them, else in 30 %; the answer tag is
 * asked for in 65 %; passages are cut at 12 to 80 words, so the answer is sometimes missing and the assistant searches
 * again, gives up or guesses. Results come from a lexical ranking over the world's entities.
 */
import type { ChatMessage } from "../../src/text/chat.ts";
import { assistant, capitalise, fill, joinParts, system, user, type Draw, type Transcript } from "./draw.ts";
import { drawName } from "./names.ts";
import {
  drawAfterResults,
  drawLayout,
  drawSearchPhrase,
  drawSearchRepair,
  drawTagRepair,
  QUESTION_LEADS,
  type AfterResults,
  type ResultLayout,
} from "./search-prompts.ts";
import { drawAnswerTagRequest, drawPersona } from "./tool-phrases.ts";
import { describe, drawPerson, drawWorld, FIELDS, type Entity } from "./world.ts";

type Passage = { readonly entity: Entity; readonly words: string; readonly text: () => string };
type Need = { readonly entity: Entity; readonly field: string };
type Question = { readonly text: string; readonly needs: readonly Need[] };
type Chat = {
  readonly draw: Draw;
  readonly passages: readonly Passage[];
  readonly topK: number;
  /** Words of a passage that are shown. */
  readonly cut: number;
  readonly layout: ResultLayout;
  readonly afterResults: AfterResults;
  readonly isTagAsked: boolean;
  readonly titles: string[];
  readonly messages: ChatMessage[];
};

/** One search chat of one or two questions. */
export function searchTranscript(draw: Draw): Transcript {
  const world = drawWorld(draw);
  const isNamed = draw.chance(0.5);
  const first = drawQuestion(draw, world);
  const chat = openChat(draw, world, first.needs.length);
  const tool = isNamed ? drawSearchPhrase(draw) : "";
  const tag = chat.isTagAsked ? drawAnswerTagRequest(draw) : "";
  const example = draw.chance(0.1) ? exampleText(draw) : "";
  const top = draw.chance(0.45)
    ? [draw.chance(0.65) ? tool : "", draw.chance(0.55) ? tag : "", draw.chance(0.5) ? example : ""]
    : undefined;
  const content = top ? joinParts([drawPersona(draw), ...top], draw.pick([" ", "\n"])) : "";
  if (content !== "") chat.messages.push(system(content));
  const rest = [tool, tag, example].filter((part) => part !== "" && !top?.includes(part));
  const before = rest.filter(() => draw.chance(0.4));
  const after = rest.filter((part) => !before.includes(part));
  const [lead, separator] = [draw.pick(QUESTION_LEADS), draw.pick([" ", "\n", "\n\n"])];
  const usesTool = draw.chance(isNamed || example !== "" ? 0.88 : 0.3);
  const count = chat.topK === 1 && chat.cut < 40 && draw.chance(0.2) ? 2 : 1;
  const isRepeated = draw.chance(0.5);
  for (let i = 0; i < count; i += 1) {
    const question = i === 0 ? first : drawQuestion(draw, world);
    const parts = i === 0 || isRepeated ? [...before, lead + question.text, ...after] : [question.text];
    chat.messages.push(user(joinParts(parts, separator)));
    if (usesTool) answerBySearch(chat, question);
    else answerByGuess(chat, question);
  }
  return { messages: chat.messages, family: "search" };
}

function openChat(draw: Draw, world: readonly Entity[], hops: number): Chat {
  // Two hops with three passages each would not fit a training row.
  const topK = draw.weighted([
    [0.55, 1],
    [0.25, 2],
    [hops > 1 ? 0 : 0.2, 3],
  ]);
  const longest = topK === 1 ? 80 : topK === 2 ? 50 : 38;
  return {
    draw,
    passages: world.map((entity) => toPassage(draw, entity)),
    topK,
    cut: draw.chance(0.6) ? draw.between(12, topK === 3 ? 30 : 40) : draw.between(28, longest),
    layout: drawLayout(draw),
    afterResults: drawAfterResults(draw),
    isTagAsked: draw.chance(0.65),
    titles: [],
    messages: [],
  };
}

function toPassage(draw: Draw, entity: Entity): Passage {
  let text: string | undefined;
  const words = `${entity.name} ${Object.values(entity.facts).join(" ")}`.toLowerCase();
  return { entity, words, text: () => (text ??= describe(draw, entity)) };
}

/** A question of one hop, or of two where a fact names another entity. */
function drawQuestion(draw: Draw, world: readonly Entity[]): Question {
  const entity = draw.pick(world);
  const field = draw.pick(Object.keys(entity.facts));
  const next = world.find((other) => other.name === entity.facts[field]);
  if (!next || !draw.chance(0.6))
    return { text: ask(draw, entity.name, { entity, field }), needs: [{ entity, field }] };
  const nextField = draw.pick(Object.keys(next.facts));
  const phrase = fill(draw.pick(HOPS[`${entity.kind}.${field}`] ?? ["the {w} of {n}"]), {
    n: entity.name,
    w: FIELDS[entity.kind][field]?.word ?? field,
  });
  return {
    text: ask(draw, phrase, { entity: next, field: nextField }),
    needs: [
      { entity, field },
      { entity: next, field: nextField },
    ],
  };
}

const HOPS: Readonly<Record<string, readonly string[]>> = {
  "person.birthplace": ["the birthplace of {n}", "the town where {n} grew up"],
  "firm.seat": ["the town where {n} is based", "the home town of {n}"],
  "city.country": ["the country of {n}", "the country whose capital is {n}"],
  "country.currency": ["the currency of {n}"],
  "currency.country": ["the country of the {n}"],
  "symbol.element": ["the element with the symbol {n}"],
  "town.river": ["the river of {n}", "the river at {n}"],
};

function ask(draw: Draw, subject: string, { entity, field }: Need): string {
  return capitalise(fill(draw.pick(FIELDS[entity.kind][field]?.questions ?? []), { n: subject }));
}

/** Words to search for: the question, the entity with or without the field, sometimes a poor choice. */
function drawQuery(draw: Draw, question: string, { entity, field }: Need): string {
  const word = FIELDS[entity.kind][field]?.word ?? field;
  const style = draw.weighted([
    [0.22, "question"],
    [0.3, "both"],
    [0.26, "entity"],
    [0.07, "reverse"],
    [0.07, "field"],
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
  const score = ({ entity, words: known }: Passage): number => {
    const title = entity.name.toLowerCase();
    let sum = draw.uniform() * 0.4;
    for (const word of words) if (word.length > 3 && known.includes(word)) sum += title.includes(word) ? 2 : 1;
    return sum;
  };
  const ranked = passages.map((passage) => ({ passage, score: score(passage) })).sort((a, b) => b.score - a.score);
  return ranked.slice(0, topK).map(({ passage }) => passage);
}

function showResults(chat: Chat, found: readonly Passage[]): string {
  const rows = found.map(({ entity, text }): [string, string] => {
    const words = text().split(" ");
    return [entity.name, words.length > chat.cut ? `${words.slice(0, chat.cut).join(" ")} ...` : text()];
  });
  for (const [title] of rows) if (!chat.titles.includes(title)) chat.titles.push(title);
  return chat.layout(rows);
}

function answerBySearch(chat: Chat, { text, needs }: Question): void {
  const { draw } = chat;
  for (const [hop, need] of needs.entries()) {
    const value = need.entity.facts[need.field] ?? "";
    const target = { need, value, question: text };
    if (!searchFor(chat, hop === 0 ? text : ask(draw, need.entity.name, need), target)) {
      sayAnswer(chat, draw.chance(0.45) ? "unknown" : guess(draw, need));
      return;
    }
    if (hop === needs.length - 1) sayAnswer(chat, value);
  }
}

type Target = { readonly need: Need; readonly value: string; readonly question: string };

/** Searches up to three times; true when the value has been on screen. */
function searchFor(chat: Chat, text: string, { need, value, question }: Target): boolean {
  const { draw, messages } = chat;
  const tried = new Set<string>();
  for (let tries = chat.topK > 1 ? 2 : 3; tries > 0; tries -= 1) {
    let query = drawQuery(draw, text, need);
    while (tried.has(query)) query = drawQuery(draw, text, need);
    tried.add(query);
    const shown = showResults(chat, retrieve(chat, query));
    messages.push(assistant(writeSearch(draw, query)), user(shown + chat.afterResults(question, chat.titles)));
    if (mentions(shown, need, value)) return true;
    if (!draw.chance(0.55)) return false;
  }
  return false;
}

/** Whether the passage about the entity was shown with the value in it. */
function mentions(shown: string, { entity }: Need, value: string): boolean {
  const lines = shown.split("\n");
  return lines.some(
    (line, index) =>
      line.includes(value) && (line.includes(entity.name) || (lines[index - 1] ?? "").includes(entity.name)),
  );
}

function writeSearch(draw: Draw, query: string): string {
  const lead = draw.chance(0.06)
    ? `${draw.pick(["I need to search.", "Let me search.", "I will look it up.", "I do not know yet."])}\n`
    : "";
  return `${lead}<search>${query}</search>`;
}

/** Answers, and repeats the answer in its tag where the harness asks for that. */
function sayAnswer(chat: Chat, value: string): void {
  const { draw, messages } = chat;
  const reply = writeAnswer(chat, value);
  messages.push(assistant(reply));
  if (reply.includes("<answer>") || !draw.chance(0.25)) return;
  messages.push(user(drawTagRepair(draw)), assistant(`<answer>${value}</answer>`));
}

function writeAnswer({ draw, isTagAsked, messages }: Chat, value: string): string {
  const isAskedNow = (messages.at(-1)?.content ?? "").includes("<answer>");
  const style =
    isTagAsked || isAskedNow
      ? draw.weighted([
          [isAskedNow ? 1.1 : 0.75, "tag"],
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
    return `${draw.pick(["The answer is", "I found it:", "So the answer is"])} <answer>${value}</answer>`;
  if (style === "plain") return value;
  return draw.pick([`The answer is ${value}.`, `The answer is ${value}.`, `It is ${value}.`, `Answer: ${value}`]);
}

/** A wrong value of the right type. */
function guess(draw: Draw, { entity, field }: Need): string {
  const value = entity.facts[field] ?? "";
  if (/^\d+$/.test(value)) return String(Number(value) + draw.between(1, 60));
  return value.includes(" ") && /^[A-Z]/.test(value) ? drawPerson(draw) : drawName(draw);
}

function answerByGuess(chat: Chat, question: Question): void {
  const { draw, messages } = chat;
  const need = question.needs.at(-1);
  if (!need) return;
  if (draw.chance(0.25))
    messages.push(assistant(draw.pick(["I do not know.", "unknown", "I am not sure.", "I cannot answer that."])));
  else messages.push(assistant(writeAnswer(chat, guess(draw, need))));
  if (!draw.chance(0.25)) return;
  messages.push(user(drawSearchRepair(draw)));
  answerBySearch(chat, question);
}

/** A short solved example with another world's names. */
function exampleText(draw: Draw): string {
  const entity = draw.pick(drawWorld(draw));
  const field = draw.pick(Object.keys(entity.facts));
  const value = entity.facts[field] ?? "";
  const sentence = fill(FIELDS[entity.kind][field]?.statements[0] ?? "", { n: entity.name, v: value });
  const query = draw.chance(0.5) ? entity.name : `${entity.name} ${FIELDS[entity.kind][field]?.word ?? field}`;
  const head = draw.pick(["Example:", "For example:", "Here is an example."]);
  return `${head}\nQuestion: ${ask(draw, entity.name, { entity, field })}\n<search>${query}</search>\n<information>\n[1] ${entity.name}: ${sentence}\n</information>\n<answer>${value}</answer>\n`;
}
