/**
 * Real open facts for the toy: countries with capital, currency, language and codes (countries-list, MIT) and chemical
 * elements (periodic-table, ISC), with what follows from them. Kept are facts with one plain value; a name that cannot be
 * written in plain letters is left out.
 */
import { continents, countries, languages, type ICountry } from "countries-list";
import { currencies } from "countries-list/currencies";
import { indexTerms } from "../search-index.ts";
import elementRows from "periodic-table/data.json" with { type: "json" };

/** Kinds of entities; each has its own fields. */
export type Kind = "country" | "city" | "currency" | "element" | "symbol";

/** One thing with facts; a value may be the name of another entity. */
export type Entity = {
  readonly kind: Kind;
  readonly name: string;
  /** What it belongs to, such as its country; all of a family stand in one split. */
  readonly family: string;
  readonly facts: Readonly<Record<string, string>>;
  /** Other right answers by field, such as the second language of a country. */
  readonly aliases: Readonly<Record<string, readonly string[]>>;
};

/** Every entity of a family, the one that gave it its name first. */
export type Family = { readonly name: string; readonly entities: readonly Entity[] };

const PLAIN = /^[A-Z][a-z]+(?: [A-Z][a-z]+){0,2}$/;

/** The families of countries, in alphabetical order. */
export function countryFamilies(): Family[] {
  const codes = Object.keys(countries) as (keyof typeof countries)[];
  const list = codes.map((code) => ({ code: code, ...countries[code] }));
  const usersOf = (currency: string): number => list.filter(({ currency: [first] }) => first === currency).length;
  const families = list.flatMap((country) => readCountry(country, usersOf) ?? []);
  return dropNamesakes(families).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Leaves out what shares its name with another entity, such as Georgetown, the capital of two countries. */
function dropNamesakes(families: readonly Family[]): Family[] {
  const all = families.flatMap((family) => family.entities);
  const counts = new Map<string, number>();
  for (const { name } of all) counts.set(name, (counts.get(name) ?? 0) + 1);
  const isAlone = ({ name }: Entity): boolean => counts.get(name) === 1;
  return families.map(({ name, entities }) => ({ name, entities: entities.filter(isAlone) }));
}

/** The families of elements, in order of their numbers. */
export function elementFamilies(): Family[] {
  return elementRows.map((row) => {
    const { name, symbol, atomicNumber, groupBlock, yearDiscovered, meltingPoint } = row;
    const facts: Record<string, string> = { symbol, number: String(atomicNumber), group: groupBlock };
    if (typeof yearDiscovered === "number") facts["year"] = String(yearDiscovered);
    if (typeof meltingPoint === "number") facts["melting"] = String(meltingPoint);
    const element: Entity = { kind: "element", name, family: name, facts, aliases: {} };
    const sign: Entity = { kind: "symbol", name: symbol, family: name, facts: { element: name }, aliases: {} };
    // A symbol that reads like a common word, such as `As`, cannot be searched for.
    return { name, entities: indexTerms(symbol).length > 0 ? [element, sign] : [element] };
  });
}

type CountryRow = ICountry & { readonly code: string };

function readCountry(row: CountryRow, usersOf: (currency: string) => number): Family | undefined {
  const { name, capital, code, phone } = row;
  const [currencyCode] = row.currency;
  // A capital that is named like its country would give the answer away.
  const tellsItself = capital.includes(name) || name.includes(capital);
  if (!PLAIN.test(name) || !PLAIN.test(capital) || tellsItself || !currencyCode) return undefined;
  const continent = continents[row.continent];
  const spoken = row.languages.map((language) => languages[language].name).filter((word) => PLAIN.test(word));
  const currency = currencies[currencyCode].name;
  const facts: Record<string, string> = { capital, continent, code };
  const [language, ...others] = spoken;
  if (language !== undefined) facts["language"] = language;
  if (PLAIN.test(currency)) facts["currency"] = currency;
  if (phone[0] !== undefined) facts["phone"] = String(phone[0]);
  const country: Entity = { kind: "country", name, family: name, facts, aliases: { language: others } };
  const city: Entity = { kind: "city", name: capital, family: name, facts: { country: name, continent }, aliases: {} };
  const money: Entity = {
    kind: "currency",
    name: currency,
    family: name,
    facts: { country: name, code: currencyCode },
    aliases: {},
  };
  const isOwn = PLAIN.test(currency) && usersOf(currencyCode) === 1;
  return { name, entities: isOwn ? [country, city, money] : [country, city] };
}
