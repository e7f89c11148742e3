/**
 * Small invented worlds: towns, people, books and firms with facts about each other.
 *
 * Every transcript gets a fresh world, so its facts can only be read, never remembered. Names that look alike stand in
 * it as distractors.
 */
import { ATLAS_FIELDS, drawAtlas, type AtlasKind } from "./atlas.ts";
import { capitalise, fill, type Draw } from "./draw.ts";
import { drawName, drawSimilarName } from "./names.ts";

/** Kinds of entities. */
export type Kind = WorldKind | AtlasKind;
type WorldKind = "town" | "person" | "book" | "firm" | "river";

/** One thing with facts; a value may be the name of another entity. */
export type Entity = { readonly kind: Kind; readonly name: string; readonly facts: Readonly<Record<string, string>> };

/** A field of a kind: how passages state it and how questions ask for it. */
export type Field = {
  readonly statements: readonly string[];
  readonly questions: readonly string[];
  readonly word: string;
};

const f = (word: string, statements: string, questions: string): Field => ({
  word,
  statements: statements.split(" | "),
  questions: questions.split(" | "),
});

/** Fields by kind; `{n}` is the entity and `{v}` the value. */
export const FIELDS: Readonly<Record<Kind, Readonly<Record<string, Field>>>> = {
  ...ATLAS_FIELDS,
  town: {
    mayor: f(
      "mayor",
      "The mayor of {n} is {v}. | {v} is the mayor. | Its mayor is {v}.",
      "Who is the mayor of {n}? | Name the mayor of {n}. | {n} has which mayor?",
    ),
    river: f(
      "river",
      "{n} lies on the river {v}. | The town stands on the {v} river. | The river {v} flows through it.",
      "On which river does {n} lie? | Which river flows through {n}? | What river is {n} on?",
    ),
    region: f(
      "region",
      "{n} is a town in {v}. | It belongs to the region of {v}. | The town is in {v}.",
      "In which region is {n}? | Where is the town {n}? | Which region does {n} belong to?",
    ),
    population: f(
      "population",
      "It has {v} people. | The population is {v}. | {v} people live there.",
      "How many people live in {n}? | What is the population of {n}?",
    ),
    founded: f(
      "founded",
      "It was founded in {v}. | The town dates from {v}. | {n} was founded in {v}.",
      "When was {n} founded? | In which year was {n} founded?",
    ),
    food: f(
      "known for",
      "It is known for its {v}. | The town is famous for {v}. | {n} is known for {v}.",
      "What is {n} known for? | What is {n} famous for?",
    ),
  },
  person: {
    job: f(
      "job",
      "{n} is a {v}. | {n} works as a {v}. | By trade {n} is a {v}.",
      "What is the job of {n}? | What does {n} work as? | What is {n} by profession?",
    ),
    born: f(
      "born",
      "{n} was born in {v}. | The year of birth is {v}. | Born in {v}, {n} had a quiet childhood.",
      "In which year was {n} born? | When was {n} born? | What is the birth year of {n}?",
    ),
    birthplace: f(
      "birthplace",
      "{n} comes from {v}. | The birthplace is {v}. | {n} grew up in {v}.",
      "Where does {n} come from? | What is the birthplace of {n}? | In which town did {n} grow up?",
    ),
    spouse: f(
      "married to",
      "{n} is married to {v}. | {v} is the partner of {n}. | {n} married {v}.",
      "Who is {n} married to? | Whom did {n} marry? | Who is the partner of {n}?",
    ),
    instrument: f(
      "instrument",
      "{n} plays the {v}. | In the evening {n} plays the {v}. | The instrument of {n} is the {v}.",
      "Which instrument does {n} play? | What does {n} play?",
    ),
    pet: f(
      "pet",
      "{n} has a {v}. | The pet of {n} is a {v}. | {n} keeps a {v}.",
      "What pet does {n} have? | Which animal does {n} keep?",
    ),
  },
  book: {
    author: f(
      "author",
      "{n} was written by {v}. | The author is {v}. | {v} wrote {n}.",
      "Who wrote {n}? | Who is the author of {n}? | Name the author of {n}.",
    ),
    year: f(
      "published",
      "It was published in {v}. | {n} came out in {v}. | The book appeared in {v}.",
      "When was {n} published? | In which year did {n} appear? | When did {n} come out?",
    ),
    publisher: f(
      "publisher",
      "The publisher is {v}. | {v} published it. | It was printed by {v}.",
      "Who published {n}? | What is the publisher of {n}?",
    ),
    topic: f(
      "topic",
      "It is about {v}. | The book tells of {v}. | Its topic is {v}.",
      "What is {n} about? | What is the topic of {n}?",
    ),
  },
  firm: {
    founder: f(
      "founder",
      "{n} was founded by {v}. | The founder is {v}. | {v} started the firm.",
      "Who founded {n}? | Who is the founder of {n}? | Who started {n}?",
    ),
    seat: f(
      "based",
      "{n} is based in {v}. | The firm has its seat in {v}. | Its main office is in {v}.",
      "Where is {n} based? | In which town is {n}? | Where does {n} have its seat?",
    ),
    product: f(
      "makes",
      "It makes {v}. | The firm sells {v}. | {n} is known for {v}.",
      "What does {n} make? | What does {n} sell? | Which product does {n} make?",
    ),
    staff: f(
      "employees",
      "It employs {v} people. | {v} people work there. | The firm has {v} workers.",
      "How many people work at {n}? | How many workers does {n} have?",
    ),
  },
  river: {
    length: f(
      "length",
      "It is {v} km long. | The {n} is {v} km long. | Its length is {v} km.",
      "How long is the river {n}? | What is the length of the {n} in km?",
    ),
    source: f(
      "source",
      "It rises in {v}. | The {n} springs in {v}. | Its source is in {v}.",
      "Where does the {n} rise? | Where is the source of the river {n}?",
    ),
  },
};

const JOBS =
  "painter baker doctor teacher sailor farmer lawyer pilot weaver singer judge miller smith poet potter tailor clerk nurse cook guard".split(
    " ",
  );
const GOODS =
  "cheese bread honey glass boats clocks paper shoes salt wool bells tea lamps carpets knives wine ropes soap chairs ink".split(
    " ",
  );
const INSTRUMENTS = "piano violin flute harp drum guitar organ horn lute cello".split(" ");
const PETS = "cat dog horse parrot goat rabbit snake turtle duck fox".split(" ");
const TOPICS =
  "the sea|a long winter|a lost ship|bees|the stars|a war|two brothers|trade|old maps|a garden|a journey|horses|the harvest|a thief".split(
    "|",
  );
const ADJECTIVES = "Silver Golden Red Green Silent Last Old Hidden Broken White Dark Long Lost Empty".split(" ");
const NOUNS = "Bridge River Garden Winter Door Road Tower Mirror Island Letter Crown House Forest Song".split(" ");

/** A person's full name. */
export function drawPerson(draw: Draw): string {
  return `${drawName(draw)} ${drawName(draw)}`;
}

/** A fresh world of 8 to 18 entities whose facts refer to each other: a countryside, or an atlas. */
export function drawWorld(draw: Draw): Entity[] {
  return draw.chance(0.5) ? drawAtlas(draw) : drawCountryside(draw);
}

function drawCountryside(draw: Draw): Entity[] {
  const places = Array.from({ length: draw.between(2, 4) }, () => drawName(draw));
  if (draw.chance(0.5)) places.push(drawSimilarName(draw, places[0] ?? "Kal"));
  const people = Array.from({ length: draw.between(2, 5) }, () => drawPerson(draw));
  if (draw.chance(0.5))
    people.push(
      draw.chance(0.5)
        ? `${people[0]?.split(" ")[0] ?? ""} ${drawName(draw)}`
        : `${drawSimilarName(draw, people[0] ?? "Ra")} ${people[0]?.split(" ")[1] ?? ""}`,
    );
  const rivers = [drawName(draw), drawName(draw)];
  const firms = Array.from(
    { length: draw.between(1, 3) },
    () => drawName(draw) + draw.pick([" Works", " Mills", " Trade", " Press", ""]),
  );
  const year = (): string => String(draw.between(1400, 1999));
  const facts: Record<WorldKind, () => Record<string, string>> = {
    town: () => ({
      mayor: draw.pick(people),
      river: draw.pick(rivers),
      region: drawName(draw),
      population: String(draw.between(2, 999) * 100),
      founded: year(),
      food: draw.pick(GOODS),
    }),
    person: () => ({
      job: draw.pick(JOBS),
      born: year(),
      birthplace: draw.pick(places),
      spouse: drawPerson(draw),
      instrument: draw.pick(INSTRUMENTS),
      pet: draw.pick(PETS),
    }),
    book: () => ({ author: draw.pick(people), year: year(), publisher: draw.pick(firms), topic: draw.pick(TOPICS) }),
    firm: () => ({
      founder: draw.pick(people),
      seat: draw.pick(places),
      product: draw.pick(GOODS),
      staff: String(draw.between(3, 900)),
    }),
    river: () => ({ length: String(draw.between(20, 990)), source: drawName(draw) }),
  };
  const books = Array.from({ length: draw.between(1, 3) }, () => bookTitle(draw));
  const make = (kind: WorldKind, names: readonly string[]): Entity[] =>
    [...new Set(names)].map((name) => ({ kind, name, facts: facts[kind]() }));
  return [
    ...make("town", places),
    ...make("person", people),
    ...make("book", books),
    ...make("firm", firms),
    ...make("river", rivers),
  ];
}

function bookTitle(draw: Draw): string {
  return draw.pick([
    () => `The ${draw.pick(ADJECTIVES)} ${draw.pick(NOUNS)}`,
    () => `The ${draw.pick(NOUNS)} of ${drawName(draw)}`,
    () => `${draw.pick(ADJECTIVES)} ${drawName(draw)}`,
    () => `${drawName(draw)} and the ${draw.pick(NOUNS)}`,
  ])();
}

/** The passage about `entity`: its facts as sentences in random order, a few left out at random. */
export function describe(draw: Draw, entity: Entity, keep?: string): string {
  const all = Object.keys(entity.facts);
  const share = all.length < 3 ? 1 : 0.78;
  const names = draw.shuffle(all).filter((name) => name === keep || draw.chance(share));
  const sentences = names.map((name, index) => {
    const statements = FIELDS[entity.kind][name]?.statements ?? [];
    // The first sentence of a passage names its subject.
    const usable = index === 0 ? statements.filter((text) => text.includes("{n}")) : statements;
    return fill(draw.pick(usable.length > 0 ? usable : statements), { n: entity.name, v: entity.facts[name] ?? "" });
  });
  return sentences.map(capitalise).join(" ");
}
