/**
 * Invented names, made of syllables, so that no fact of the corpus can be known beforehand.
 *
 * A fifth of the name space is kept out of pretraining: a task that uses only those names tests copying, not recall.
 */
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

/** A capitalised name of two or three syllables from the pretraining part of the name space. */
export function drawName(draw: Draw): string {
  for (;;) {
    const open = draw.pick(ONSETS) + draw.pick(VOWELS);
    const name = capitalise(
      draw.chance(0.25) ? open + draw.pick(ONSETS) + draw.pick(VOWELS) + syllable(draw) : open + syllable(draw),
    );
    if (!isHeldOutName(name)) return name;
  }
}

/** A name that begins like `name`, for distractors that look alike. */
export function drawSimilarName(draw: Draw, name: string): string {
  const stem = /^[^aeiou]*[aeiou]/i.exec(name)?.[0] ?? "Ka";
  for (;;) {
    const other = stem + syllable(draw);
    if (other !== name && !isHeldOutName(other)) return other;
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
