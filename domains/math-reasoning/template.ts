/** Problem templates: a question text and an expression over single letters, each letter with where its number comes from. */

/** Tiers of the toy generator, easiest first: two operands, three, four and more, and half of
 * those with half of five to eight. */
export const TIERS = ["easy", "standard", "hard", "chain"] as const;
/** One of `TIERS`. */
export type Tier = (typeof TIERS)[number];

/** A number drawn from [low, high] inclusive, or an expression over the letters above it. */
export type Draw = readonly [low: number, high: number] | string;

/** One family of problems. */
export type Template = {
  readonly kind: string;
  /**
   * Paraphrases. `{a}` is the letter's number, `{e}` the whole expression, `{name}` and `{other}` two people, `{item}` and
   * `{thing}` two plural nouns, `{place}` and `{town}` two places.
   */
  readonly texts: readonly string[];
  /** JavaScript over the letters; evaluates exactly to an integer. */
  readonly expression: string;
  /** Letters in order of drawing. Letters that only help another draw stay out of texts and expression. */
  readonly draws: Readonly<Record<string, Draw>>;
};

/** Templates of each tier, of one sort. */
export type TemplateTable = Readonly<Record<Tier, readonly Template[]>>;
