/**
 * Toy worlds: each is a corpus about some families of one split, in sentences drawn for it, and questions that its passages
 * answer. Which facts meet, how they are worded and in what order differ from world to world; the facts are real.
 */
import type { Rng } from "../../../src/base/rng.ts";
import type { Passage } from "../passage.ts";
import type { Entity, Family } from "./facts.ts";
import { FIELDS, HOPS, PARTS } from "./fields.ts";
import type { TierSettings } from "./tiers.ts";

/** A question with every right answer. */
export type ToyQuestion = {
  readonly question: string;
  readonly answers: readonly string[];
  /** Such as `one/country.capital` or `two/city.country.phone`. */
  readonly kind: string;
};

/** One corpus with all questions of some draws of wording; `rng` decides on both. */
export type ToyWorld = { readonly passages: readonly Passage[]; readonly questions: readonly ToyQuestion[] };

/** Draws a world of `families`. */
export function createWorld(rng: Rng, families: readonly Family[], settings: TierSettings): ToyWorld {
  const chosen = rng.shuffle(families).slice(0, settings.families);
  const entities = chosen.flatMap((family) => family.entities);
  const passages = rng.shuffle(entities.flatMap((entity) => describeEntity(rng, entity, settings)));
  return { passages, questions: rng.shuffle(askAll(rng, entities, settings)) };
}

function describeEntity(rng: Rng, entity: Entity, settings: TierSettings): Passage[] {
  const parts = PARTS[entity.kind];
  const whole = [{ title: "{n}", fields: parts.flatMap(({ fields }) => fields) }];
  return (settings.isSplit ? parts : whole).flatMap(({ title, fields }) => {
    const known = rng.shuffle(fields.filter((field) => entity.facts[field] !== undefined));
    if (known.length === 0) return [];
    const sentences = known.map((field, index) => stateFact(rng, entity, { field, isFirst: index === 0 }));
    return [{ title: fill(title, { n: entity.name }), text: sentences.join(" ") }];
  });
}

/** A sentence with the fact; the first of a passage names its subject. */
function stateFact(
  rng: Rng,
  entity: Entity,
  { field, isFirst }: { readonly field: string; readonly isFirst: boolean },
): string {
  const statements = FIELDS[entity.kind][field]?.statements ?? [];
  const naming = statements.filter((text) => text.includes("{n}"));
  const usable = isFirst && naming.length > 0 ? naming : statements;
  return fill(rng.pick(usable), { n: entity.name, v: entity.facts[field] ?? "" });
}

/** One question for each fact that cannot be guessed, and for each such fact of an entity that another leads to. */
function askAll(rng: Rng, entities: readonly Entity[], { twoHops }: TierSettings): ToyQuestion[] {
  const direct = entities.flatMap((entity) => askFacts(rng, entity, { subject: entity.name, kind: "one" }));
  const linked = HOPS.flatMap((hop) =>
    entities.flatMap((entity) => {
      const value = entity.kind === hop.kind ? entity.facts[hop.field] : undefined;
      const next = entities.find((other) => other.name === value && other.family === entity.family);
      if (!next) return [];
      const subject = fill(rng.pick(hop.phrases), { n: entity.name });
      const asked = askFacts(rng, next, { subject, kind: `two/${hop.kind}.${hop.field}` });
      // A way back to where the question started from is no second hop.
      return asked.filter(({ answers }) => !answers.includes(entity.name));
    }),
  );
  if (twoHops === 0) return direct;
  // As many of each sort as make the share right, all of the rarer sort being kept.
  const scale = Math.min(direct.length / (1 - twoHops), linked.length / twoHops);
  return [
    ...rng.shuffle(direct).slice(0, Math.round(scale * (1 - twoHops))),
    ...rng.shuffle(linked).slice(0, Math.round(scale * twoHops)),
  ];
}

type Asked = { readonly subject: string; readonly kind: string };

function askFacts(rng: Rng, entity: Entity, { subject, kind }: Asked): ToyQuestion[] {
  return Object.entries(FIELDS[entity.kind]).flatMap(([field, { questions, isOpen }]) => {
    const value = entity.facts[field];
    if (value === undefined || !isOpen) return [];
    const question = capitalise(fill(rng.pick(questions), { n: subject }));
    return [{ question, answers: [value, ...(entity.aliases[field] ?? [])], kind: `${kind}/${entity.kind}.${field}` }];
  });
}

function fill(template: string, words: Readonly<Record<string, string>>): string {
  // "the {n}" before a phrase that brings its own article would double it.
  return template.replace(/\{(\w)\}/g, (_, key: string) => words[key] ?? "").replace(/\bthe the\b/gi, "the");
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
