/**
 * Invented names, made of syllables, so that no fact of the corpus can be known beforehand.
 *
 * A fifth of the name space is kept out of pretraining: a task that uses only those names tests copying, not recall.
 */
import { countryFamilies, elementFamilies } from "../../domains/search-qa/toy/facts.ts";
import { capitalise, type Draw } from "./draw.ts";

const ONSETS = [
  "b",
  "br",
  "d",
  "dr",
  "f",
  "g",
  "h",
  "k",
  "kr",
  "l",
  "m",
  "n",
  "p",
  "r",
  "s",
  "st",
  "t",
  "tr",
  "v",
  "z",
];
const VOWELS = ["a", "e", "i", "o", "u"];
const CODAS = ["", "", "", "l", "m", "n", "r", "s", "x", "sk", "nd", "th"];

/** Whether `name` is reserved for tasks: 32-bit FNV-1a of its lower-case letters is divisible by 5. */
export function isHeldOutName(name: string): boolean {
  let hash = 0x811c9dc5;
  for (const char of name.toLowerCase()) {
    hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  }
  return (hash >>> 0) % 5 === 0;
}

function syllable(draw: Draw): string {
  return draw.pick(ONSETS) + draw.pick(VOWELS) + draw.pick(CODAS);
}

const WILD_ONSETS =
  "b bl br c ch cl cr d dr f fl fr g gl gr gu h j k kh kl kr l ll m n ny p ph pl pr qu r rh s sc sh sl sp st str t th tr tw v w wh x y z".split(
    " ",
  );
const WILD_VOWELS = "a a a e e i i o o u y ai au ea ee ei eo ia ie io oa oo ou ua ue ui".split(" ");
const WILD_CODAS = [
  "",
  "",
  "",
  ..."b c ck d f g k l ld ll lt m n nd ng nk nt p r rd rk rn rs rt s sh ss st t th x z".split(" "),
];
const WILD_ENDS = ["", "", "", "", ..."a ia ian ish ium nia land lia o on os stan um us ville via".split(" ")];
const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const LONGEST_NAME = 12;

/** Words of the real names that the toy of search-qa asks about; none of them occurs in pretraining. */
const REAL_NAMES: ReadonlySet<string> = new Set(
  [...countryFamilies(), ...elementFamilies()].flatMap(({ entities }) =>
    entities.flatMap(({ name }) => name.split(" ")),
  ),
);

/** Whether `name` is a word of a real name that tasks use. */
export function isRealName(name: string): boolean {
  return REAL_NAMES.has(name);
}

/** A name of unfamiliar letters: a model that has met only one kind of name learns to copy only that kind. */
export function drawWildName(draw: Draw): string {
  for (;;) {
    const name = capitalise(draw.chance(0.15) ? drawLetters(draw) : drawWildBody(draw));
    if (name.length <= LONGEST_NAME && !isHeldOutName(name) && !isRealName(name)) return name;
  }
}

function drawLetters(draw: Draw): string {
  return Array.from({ length: draw.between(3, 8) }, () => LETTERS.charAt(draw.int(LETTERS.length))).join("");
}

function drawWildBody(draw: Draw): string {
  const open = draw.chance(0.35) ? draw.pick(VOWELS) + draw.pick(WILD_CODAS) : "";
  const syllables = Array.from(
    { length: draw.between(1, 3) },
    () => draw.pick(WILD_ONSETS) + draw.pick(WILD_VOWELS) + draw.pick(WILD_CODAS),
  );
  return open + syllables.join("") + draw.pick(WILD_ENDS);
}

/** A capitalised name from the pretraining part of the name space: of two or three plain syllables, or a wild one. */
export function drawName(draw: Draw): string {
  if (draw.chance(0.4)) return drawWildName(draw);
  for (;;) {
    const open = draw.pick(ONSETS) + draw.pick(VOWELS);
    const name = capitalise(
      draw.chance(0.25) ? open + draw.pick(ONSETS) + draw.pick(VOWELS) + syllable(draw) : open + syllable(draw),
    );
    if (!isHeldOutName(name) && !isRealName(name)) return name;
  }
}

/** A name that begins like `name`, for distractors that look alike. */
export function drawSimilarName(draw: Draw, name: string): string {
  const stem = /^[^aeiou]*[aeiou]/i.exec(name)?.[0] ?? "Ka";
  for (;;) {
    const other = stem + syllable(draw);
    if (other !== name && !isHeldOutName(other) && !isRealName(other)) return other;
  }
}

/** `count` different names. */
export function drawNames(draw: Draw, count: number): string[] {
  const names = new Set<string>();
  while (names.size < count) names.add(drawName(draw));
  return [...names];
}

const FIRST_NAMES = (
  "Ada Anna Ben Bob Carl Clara Dan Dora Ella Emma Eric Eva Finn Fred Gina Hana Hugo Ida Ines Ivan Jack Jana Kate Ken " +
  "Lena Leo Lily Lucy Mara Max Mia Mila Nadia Nina Noah Olga Omar Oscar Paul Petra Rosa Ruth Sam Sara Tara Theo Tom Vera Will Zoe"
).split(" ");

/** A given name: an everyday one, or an invented one. */
export function drawGivenName(draw: Draw): string {
  return draw.chance(0.6) ? draw.pick(FIRST_NAMES) : drawName(draw);
}
