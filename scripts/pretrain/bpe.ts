/**
 * Trains a byte-level BPE vocabulary (Sennrich et al. 2016, arXiv:1508.07909) on counted pre-tokens.
 *
 * The merge with the largest count wins; ties go to the pair whose symbols come first, so equal text gives equal
 * vocabularies. The 64 squares of a chess board are merged first, whatever their counts.
 */
import { byteSymbols, PRE_TOKEN_PATTERN } from "./pre-token.ts";

/** Special tokens, in id order. */
export const SPECIAL_TOKENS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"] as const;

/** What training gives: entries in id order (specials first) and merges in rank order. */
export type BpeModel = { readonly tokens: readonly string[]; readonly merges: readonly (readonly [string, string])[] };

/** Adds the pre-tokens of `text` to `counts`. */
export function countPreTokens(text: string, counts: Map<string, number>): void {
  for (const piece of text.match(new RegExp(PRE_TOKEN_PATTERN, "gu")) ?? []) {
    counts.set(piece, (counts.get(piece) ?? 0) + 1);
  }
}

type Word = { readonly parts: string[]; readonly count: number };

/**
 * Trains on `counts` until the vocabulary has `size` entries, specials, bytes and squares included.
 * @throws {RangeError} If the text runs out of pairs before that.
 */
export function trainBpe(counts: ReadonlyMap<string, number>, size: number): BpeModel {
  const symbols = byteSymbols();
  const utf8 = new TextEncoder();
  const tokens: string[] = [...SPECIAL_TOKENS, ...symbols];
  const merges: (readonly [string, string])[] = [];
  const words: Word[] = [...counts]
    .filter(([, count]) => count > 1)
    .map(([piece, count]) => ({ parts: Array.from(utf8.encode(piece), (byte) => symbols[byte] ?? ""), count }))
    .filter((word) => word.parts.length > 1);
  const pairCounts = new Map<string, number>();
  for (const word of words) addPairs(word, pairCounts, 1);
  const add = (left: string, right: string): void => {
    merges.push([left, right]);
    tokens.push(left + right);
    for (const word of words) mergeWord(word, [left, right], pairCounts);
  };
  for (const file of "abcdefgh") for (const rank of "12345678") add(file, rank);
  while (tokens.length < size) {
    const best = bestPair(pairCounts, new Set(tokens));
    if (!best) throw new RangeError(`trainBpe: no pair left at ${String(tokens.length)} of ${String(size)} entries`);
    add(...best);
  }
  return { tokens, merges };
}

function addPairs(word: Word, pairCounts: Map<string, number>, sign: 1 | -1): void {
  for (let i = 0; i + 1 < word.parts.length; i += 1) {
    const key = `${word.parts[i] ?? ""} ${word.parts[i + 1] ?? ""}`;
    pairCounts.set(key, (pairCounts.get(key) ?? 0) + sign * word.count);
  }
}

function mergeWord(word: Word, [left, right]: readonly [string, string], pairCounts: Map<string, number>): void {
  const { parts } = word;
  let found = false;
  for (let i = 0; i + 1 < parts.length && !found; i += 1) found = parts[i] === left && parts[i + 1] === right;
  if (!found) return;
  addPairs(word, pairCounts, -1);
  for (let i = 0; i + 1 < parts.length; i += 1) {
    if (parts[i] === left && parts[i + 1] === right) parts.splice(i, 2, left + right);
  }
  addPairs(word, pairCounts, 1);
}

function bestPair(
  pairCounts: ReadonlyMap<string, number>,
  taken: ReadonlySet<string>,
): readonly [string, string] | undefined {
  let best: string | undefined;
  let most = 1;
  for (const [key, count] of pairCounts) {
    if (count < most || (count === most && best !== undefined && key >= best)) continue;
    // Two merges must not give one entry: a vocabulary has each string once.
    if (!taken.has(key.replace(" ", ""))) [best, most] = [key, count];
  }
  const [left, right] = best?.split(" ") ?? [];
  return left !== undefined && right !== undefined ? [left, right] : undefined;
}

/** The model as a Hugging Face tokenizer.json. */
export function toTokenizerJson(model: BpeModel): object {
  return {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: SPECIAL_TOKENS.map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: null,
    pre_tokenizer: {
      type: "Sequence",
      pretokenizers: [
        { type: "Split", pattern: { Regex: PRE_TOKEN_PATTERN }, behavior: "Isolated", invert: false },
        { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: false },
      ],
    },
    post_processor: null,
    decoder: { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: false },
    model: {
      type: "BPE",
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: Object.fromEntries(model.tokens.map((token, id) => [token, id])),
      merges: model.merges,
    },
  };
}
