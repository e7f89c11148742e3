/**
 * A fast byte-level BPE encoder for the tokenizer that `bpe.ts` trains.
 *
 * It gives the ids that `@huggingface/tokenizers` gives for the same tokenizer.json, but remembers the ids of each
 * pre-token, because pretraining encodes millions of short words that repeat.
 */
import { byteSymbols, PRE_TOKEN_PATTERN } from "./pre-token.ts";

/** The part of a Hugging Face tokenizer.json that the encoder reads. */
export type TokenizerFile = {
  readonly model: {
    readonly vocab: Readonly<Record<string, number>>;
    readonly merges: readonly (readonly [string, string])[];
  };
};

/** Text to ids, without special tokens. */
export type Encoder = {
  /** Ids of plain text; special tokens in it are not recognised. */
  readonly encode: (text: string) => number[];
  /** Appends the ids of `text` to `out`. */
  readonly encodeInto: (text: string, out: number[]) => void;
  /** Id of one vocabulary entry. */
  readonly tokenId: (token: string) => number;
  /** Number of ids. */
  readonly vocabulary: number;
};

/** Largest number of pre-tokens remembered; names never end, so the memory must. */
const CACHE_LIMIT = 200_000;

/** Builds the encoder of `file`. */
export function createEncoder(file: TokenizerFile): Encoder {
  const vocab = new Map(Object.entries(file.model.vocab));
  const ranks = new Map(file.model.merges.map(([left, right], rank) => [`${left} ${right}`, rank]));
  const symbols = byteSymbols();
  const utf8 = new TextEncoder();
  const cache = new Map<string, readonly number[]>();
  const tokenId = (token: string): number => {
    const id = vocab.get(token);
    if (id === undefined) throw new RangeError(`encoder: the vocabulary has no ${JSON.stringify(token)}`);
    return id;
  };
  const encodePreToken = (piece: string): readonly number[] => {
    const known = cache.get(piece);
    if (known) return known;
    const parts = mergeParts(
      Array.from(utf8.encode(piece), (byte) => symbols[byte] ?? ""),
      ranks,
    );
    const ids = parts.map(tokenId);
    if (cache.size >= CACHE_LIMIT) cache.clear();
    cache.set(piece, ids);
    return ids;
  };
  const pattern = new RegExp(PRE_TOKEN_PATTERN, "gu");
  const encodeInto = (text: string, out: number[]): void => {
    for (const piece of text.match(pattern) ?? []) {
      for (const id of encodePreToken(piece)) out.push(id);
    }
  };
  const encode = (text: string): number[] => {
    const ids: number[] = [];
    encodeInto(text, ids);
    return ids;
  };
  return { encode, encodeInto, tokenId, vocabulary: vocab.size };
}

function mergeParts(parts: string[], ranks: ReadonlyMap<string, number>): string[] {
  for (;;) {
    let best = Infinity;
    let at = -1;
    for (let i = 0; i + 1 < parts.length; i += 1) {
      const rank = ranks.get(`${parts[i] ?? ""} ${parts[i + 1] ?? ""}`) ?? Infinity;
      if (rank < best) [best, at] = [rank, i];
    }
    if (at < 0) return parts;
    parts.splice(at, 2, `${parts[at] ?? ""}${parts[at + 1] ?? ""}`);
  }
}
