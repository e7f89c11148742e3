/**
 * Invented countries with capitals and money, and invented chemical elements: the same fields as the toy of search-qa,
 * with names that no task uses.
 */
import { FIELDS as TOY_FIELDS } from "../../domains/search-qa/toy/fields.ts";
import type { Draw } from "./draw.ts";
import { drawName, drawWildName, isRealName } from "./names.ts";

/** Kinds of entities of an atlas. */
export type AtlasKind = keyof typeof TOY_FIELDS;

/** One thing with facts; a value may be the name of another entity. */
export type AtlasEntity = {
  readonly kind: AtlasKind;
  readonly name: string;
  readonly facts: Readonly<Record<string, string>>;
};

type AtlasField = {
  readonly statements: readonly string[];
  readonly questions: readonly string[];
  readonly word: string;
};

/** How a query names a field where the field's own name is not the word for it. */
const WORDS: Readonly<Record<string, string>> = {
  code: "short code",
  phone: "phone code",
  melting: "melting point",
  year: "found",
};

/** Fields by kind: `{n}` is the entity and `{v}` the value. */
export const ATLAS_FIELDS: Readonly<Record<AtlasKind, Readonly<Record<string, AtlasField>>>> = {
  country: withWords("country"),
  city: withWords("city"),
  currency: withWords("currency"),
  element: withWords("element"),
  symbol: withWords("symbol"),
};

function withWords(kind: AtlasKind): Record<string, AtlasField> {
  const fields = Object.entries(TOY_FIELDS[kind]);
  return Object.fromEntries(fields.map(([name, field]) => [name, { ...field, word: WORDS[name] ?? name }]));
}

const CONTINENTS = ["Africa", "Asia", "Europe", "North America", "Oceania", "South America"];
const UNITS = "Dollar Dinar Franc Peso Krone Pound Rupee Ruble Shilling Rial Real Lira Crown Mark".split(" ");
const GROUPS = "metal|nonmetal|noble gas|halogen|metalloid|transition metal|alkali metal|lanthanoid|actinoid".split(
  "|",
);
const CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/** A fresh atlas of two to four countries and as many elements. */
export function drawAtlas(draw: Draw): AtlasEntity[] {
  const countries = Array.from({ length: draw.between(2, 4) }, () => drawCountry(draw));
  const elements = Array.from({ length: draw.between(2, 4) }, () => drawElement(draw));
  return draw.shuffle([...countries, ...elements].flat());
}

function drawPlace(draw: Draw): string {
  if (draw.chance(0.25)) return `${drawWildName(draw)} ${drawWildName(draw)}`;
  return draw.chance(0.7) ? drawWildName(draw) : drawName(draw);
}

function drawCapitals(draw: Draw, count: number): string {
  return Array.from({ length: count }, () => CAPITALS.charAt(draw.int(CAPITALS.length))).join("");
}

function drawCountry(draw: Draw): AtlasEntity[] {
  const [name, capital, continent] = [drawPlace(draw), drawPlace(draw), draw.pick(CONTINENTS)];
  const currency = draw.chance(0.7)
    ? `${draw.chance(0.5) ? name : drawWildName(draw)} ${draw.pick(UNITS)}`
    : drawWildName(draw);
  const language = draw.chance(0.4) ? name.slice(0, -1) + draw.pick(["an", "ish", "ese", "i"]) : drawWildName(draw);
  const phone = String(draw.between(1, 999));
  const country = { capital, continent, code: drawCapitals(draw, 2), currency, language, phone };
  const entities: AtlasEntity[] = [
    { kind: "country", name, facts: country },
    { kind: "city", name: capital, facts: { country: name, continent } },
  ];
  if (draw.chance(0.6))
    entities.push({ kind: "currency", name: currency, facts: { country: name, code: drawCapitals(draw, 3) } });
  return entities;
}

function drawElement(draw: Draw): AtlasEntity[] {
  const name = drawWildName(draw);
  let symbol = draw.chance(0.7) ? name.slice(0, draw.between(1, 2)) : drawCapitals(draw, 1);
  while (isRealName(symbol)) symbol = drawCapitals(draw, 1) + drawCapitals(draw, 1).toLowerCase();
  const facts = {
    symbol,
    number: String(draw.between(1, 120)),
    group: draw.pick(GROUPS),
    year: String(draw.between(1650, 1999)),
    melting: String(draw.between(10, 3900)),
  };
  return [
    { kind: "element", name, facts },
    { kind: "symbol", name: symbol, facts: { element: name } },
  ];
}
