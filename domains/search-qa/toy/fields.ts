/** How passages state each fact of the toy and how questions ask for it. Data only; near the chats of the tiny model. */
import type { Kind } from "./facts.ts";

/** One field of a kind: `{n}` is the entity, `{v}` the value. */
export type Field = {
  readonly statements: readonly string[];
  readonly questions: readonly string[];
  /** Whether the value has so many others of its kind that it cannot be guessed. */
  readonly isOpen: boolean;
};

/** Kinds of questions of two hops: the phrase that stands for the entity in the middle. */
export type Hop = { readonly kind: Kind; readonly field: string; readonly phrases: readonly string[] };

const f = (statements: string, questions: string, isOpen = true): Field => ({
  statements: statements.split(" | "),
  questions: questions.split(" | "),
  isOpen,
});

/** Fields by kind. */
export const FIELDS: Readonly<Record<Kind, Readonly<Record<string, Field>>>> = {
  country: {
    capital: f(
      "The capital of {n} is {v}. | Its capital is {v}. | {v} is the capital of {n}.",
      "What is the capital of {n}? | Name the capital of {n}. | {n} has which capital?",
    ),
    continent: f(
      "{n} is a country in {v}. | It belongs to {v}. | {n} lies in {v}.",
      "In which continent is {n}? | Which continent does {n} belong to?",
      false,
    ),
    code: f(
      "The short code of {n} is {v}. | Its short code is {v}.",
      "What is the short code of {n}? | Name the short code of {n}.",
    ),
    currency: f(
      "The currency of {n} is the {v}. | Its currency is the {v}. | {n} pays with the {v}.",
      "What is the currency of {n}? | Name the currency of {n}. | Which currency does {n} have?",
    ),
    language: f(
      "{v} is spoken in {n}. | The language of {n} is {v}. | Its people speak {v}.",
      "Which language is spoken in {n}? | What is the language of {n}?",
    ),
    phone: f(
      "The phone code of {n} is {v}. | Its phone code is {v}.",
      "What is the phone code of {n}? | Which phone code does {n} have?",
    ),
  },
  city: {
    country: f(
      "{n} is the capital of {v}. | {n} is a city in {v}.",
      "In which country is {n}? | Which country does {n} belong to?",
    ),
    continent: f("{n} lies in {v}. | The city is in {v}.", "In which continent is {n}?", false),
  },
  currency: {
    country: f("The {n} is the currency of {v}. | It belongs to {v}.", "In which country is the {n} used?"),
    code: f(
      "The code of the {n} is {v}. | Its code is {v}.",
      "What is the code of the {n}? | Name the code of the {n}.",
    ),
  },
  element: {
    symbol: f(
      "The symbol of {n} is {v}. | Its symbol is {v}.",
      "What is the symbol of {n}? | Which symbol does {n} have?",
    ),
    number: f(
      "The number of {n} is {v}. | Its number is {v}. | {n} has the number {v}.",
      "What is the number of {n}? | Which number does {n} have?",
    ),
    group: f(
      "{n} is a {v}. | It belongs to the group {v}.",
      "Which group does {n} belong to? | What is the group of {n}?",
      false,
    ),
    year: f(
      "{n} was found in {v}. | It was found in {v}. | The year of its discovery is {v}.",
      "When was {n} found? | In which year was {n} found?",
    ),
    melting: f(
      "{n} melts at {v} kelvin. | It melts at {v} kelvin. | Its melting point is {v} kelvin.",
      "At how many kelvin does {n} melt? | What is the melting point of {n} in kelvin?",
    ),
  },
  symbol: {
    element: f(
      "{n} is the symbol of {v}. | {n} stands for {v}.",
      "What does {n} stand for? | Which element has the symbol {n}?",
    ),
  },
};

/** Facts whose value is an entity of its own, with words for that entity. */
export const HOPS: readonly Hop[] = [
  { kind: "city", field: "country", phrases: ["the country of {n}", "the country whose capital is {n}"] },
  { kind: "country", field: "currency", phrases: ["the currency of {n}"] },
  { kind: "currency", field: "country", phrases: ["the country of the {n}"] },
  { kind: "symbol", field: "element", phrases: ["the element with the symbol {n}"] },
];

/** Passages about an entity: the title, and the facts that stand in it. An entity in one piece has all of them. */
export const PARTS: Readonly<Record<Kind, readonly { readonly title: string; readonly fields: readonly string[] }[]>> =
  {
    country: [
      { title: "{n}", fields: ["capital", "continent", "code"] },
      { title: "Life in {n}", fields: ["currency", "language", "phone"] },
    ],
    city: [{ title: "{n}", fields: ["country", "continent"] }],
    currency: [{ title: "{n}", fields: ["country", "code"] }],
    element: [
      { title: "{n}", fields: ["symbol", "number"] },
      { title: "Facts about {n}", fields: ["year", "melting", "group"] },
    ],
    symbol: [{ title: "{n}", fields: ["element"] }],
  };
