/**
 * How text is cut before byte-level BPE, shared by the tokenizer's trainer and the corpus encoder.
 *
 * Merges never cross a cut, so a prefill that ends at one continues as the model has seen it: punctuation, digits, line
 * breaks and spaces are cuts of their own; only a lower-case word takes the space before it. Chess squares are units,
 * and a piece letter, a capture sign or a file before a square stands alone.
 */

const ALTERNATIVES = [
  "</?[a-z]+>", // a tag such as <code> or </answer>
  "\\\\[a-z]+", // a command such as \boxed
  "[a-h][1-8]", // a square
  "[KQRBN](?=[a-h]?[1-8]?x?[a-h][1-8])", // the piece of a move in algebraic notation
  "x(?=[a-h][1-8])",
  "[a-h](?=x?[a-h][1-8])",
  " (?![a-hx]?[a-h][1-8])\\p{Ll}\\p{L}*", // a lower-case word with its space
  "\\p{L}+",
  "[^\\p{L}]", // one digit, space, line break or sign
];

/** The cuts as a regular expression (flag `u`): every character belongs to exactly one match. */
export const PRE_TOKEN_PATTERN: string = ALTERNATIVES.join("|");

/** The printable character that stands for each byte in a byte-level vocabulary (the GPT-2 table), [256]. */
export function byteSymbols(): string[] {
  const printable = (byte: number): boolean =>
    (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff);
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(printable(byte) ? byte : next++));
}
