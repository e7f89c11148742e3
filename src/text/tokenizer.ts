/**
 * A byte-level BPE tokenizer out of a checkpoint folder's `tokenizer.json` and `tokenizer_config.json`.
 *
 * `@huggingface/tokenizers` does the encoding. Decoding is done here from a table of bytes for each token (the byte
 * alphabet is GPT-2's), because sampled ids are decoded one by one and may split a character, and because the library
 * tidies spaces before punctuation unless told not to. Other tokenizers (SentencePiece, WordPiece) are refused.
 */
import { Tokenizer } from "@huggingface/tokenizers";
import { WeightsError, describeError } from "../base/errors.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";

/** Text to ids and back. */
export type TextTokenizer = {
  /** Ids of `text`; special tokens written in it become their ids, none is added. */
  readonly encode: (text: string) => number[];
  /** Text of `ids`, special tokens and unknown ids left out; a split character gives U+FFFD. */
  readonly decode: (ids: readonly number[]) => string;
  /** The id of a token that is in the vocabulary in exactly this spelling. */
  readonly idOf: (token: string) => number | undefined;
  /** One more than the highest id. */
  readonly size: number;
  /** Special tokens that take no blanks with them, so that text may be cut at them without changing its ids. */
  readonly boundaries: readonly string[];
};

/** The two parsed files. */
export type TokenizerFiles = {
  /** Parsed `tokenizer.json`. */
  readonly tokenizer: JsonValue;
  /** Parsed `tokenizer_config.json`; {} where the folder has none. */
  readonly config: JsonValue;
};

type AddedToken = { readonly id: number; readonly content: string; readonly special: boolean; readonly plain: boolean };

/**
 * Builds a tokenizer from its parsed files.
 * @throws {WeightsError} If they are not those of a byte-level BPE tokenizer.
 */
export function createTokenizer(files: TokenizerFiles): TextTokenizer {
  const { tokenizer: json, config } = files;
  const vocabulary = readVocabulary(json);
  const added = readAddedTokens(json);
  if (!isJsonObject(config)) throw new WeightsError("tokenizer_config.json: expected a JSON object");
  const library = openLibrary(json as JsonObject, config);
  const ids = new Map<string, number>(Object.entries(vocabulary));
  for (const token of added) ids.set(token.content, token.id);
  const listed = config["additional_special_tokens"];
  const alsoSpecial = new Set(isJsonArray(listed) ? listed.filter((token) => typeof token === "string") : []);
  const special = added.filter((token) => token.special || alsoSpecial.has(token.content));
  return {
    encode: (text) => (text === "" ? [] : library.encode(text, { add_special_tokens: false }).ids),
    decode: createDecoder(tokenBytes({ vocabulary, added, special })),
    idOf: (token) => ids.get(token),
    size: 1 + [...ids.values()].reduce((largest, id) => Math.max(largest, id), -1),
    boundaries: special.filter((token) => token.plain).map((token) => token.content),
  };
}

function readVocabulary(json: JsonValue): Record<string, number> {
  if (!isJsonObject(json) || !isJsonObject(json["model"]))
    throw new WeightsError('tokenizer.json: expected an object with a "model"');
  const { type, vocab } = json["model"];
  if (type !== undefined && type !== "BPE")
    throw new WeightsError(`tokenizer.json: model type ${JSON.stringify(type)} is not supported, expected "BPE"`);
  if (!usesBytes(json["decoder"]))
    throw new WeightsError(
      "tokenizer.json: only byte-level tokenizers are supported, and its decoder is not ByteLevel",
    );
  if (!isJsonObject(vocab)) throw new WeightsError('tokenizer.json: "model.vocab" is missing');
  for (const [token, id] of Object.entries(vocab))
    if (!isId(id)) throw new WeightsError(`tokenizer.json: token ${JSON.stringify(token)} has no valid id`);
  return vocab as Record<string, number>;
}

function usesBytes(decoder: JsonValue | undefined): boolean {
  if (!isJsonObject(decoder)) return false;
  if (decoder["type"] === "ByteLevel") return true;
  const parts = decoder["decoders"];
  return isJsonArray(parts) && parts.some(usesBytes);
}

function readAddedTokens(json: JsonValue): AddedToken[] {
  const list = isJsonObject(json) ? json["added_tokens"] : undefined;
  if (!isJsonArray(list)) return [];
  return list.map((entry): AddedToken => {
    if (!isJsonObject(entry) || !isId(entry["id"]) || typeof entry["content"] !== "string")
      throw new WeightsError("tokenizer.json: an entry of added_tokens lacks its id or content");
    const plain = entry["lstrip"] !== true && entry["rstrip"] !== true && entry["single_word"] !== true;
    return { id: entry["id"], content: entry["content"], special: entry["special"] === true, plain };
  });
}

function isId(value: JsonValue | undefined): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

function openLibrary(json: JsonObject, config: JsonObject): Tokenizer {
  try {
    return new Tokenizer(json, config);
  } catch (error) {
    throw new WeightsError(`tokenizer.json: cannot be read, ${describeError(error)}`, { cause: error });
  }
}

type TokenLists = {
  readonly vocabulary: Record<string, number>;
  readonly added: readonly AddedToken[];
  readonly special: readonly AddedToken[];
};

/** The bytes of each id, undefined for special tokens and for ids without a token. */
function tokenBytes(lists: TokenLists): (Uint8Array | undefined)[] {
  const byteOf = byteAlphabet();
  const utf8 = new TextEncoder();
  const table: (Uint8Array | undefined)[] = [];
  for (const [token, id] of Object.entries(lists.vocabulary)) {
    const bytes = Array.from(token, (character) => byteOf.get(character));
    // A token outside the byte alphabet can only have been meant as plain text.
    table[id] = bytes.includes(undefined) ? utf8.encode(token) : Uint8Array.from(bytes as number[]);
  }
  for (const { id, content } of lists.added) table[id] = utf8.encode(content);
  for (const { id } of lists.special) table[id] = undefined;
  return table;
}

/**
 * GPT-2's alphabet: printable Latin-1 characters stand for their own byte, and the other 68 bytes, in order, for the
 * characters from U+0100 on.
 */
function byteAlphabet(): Map<string, number> {
  const alphabet = new Map<string, number>();
  let next = 0x100;
  for (let byte = 0; byte < 256; byte += 1) {
    const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    alphabet.set(String.fromCharCode(printable ? byte : next), byte);
    if (!printable) next += 1;
  }
  return alphabet;
}

function createDecoder(table: readonly (Uint8Array | undefined)[]): (ids: readonly number[]) => string {
  // A byte order mark that a model wrote is text like any other.
  const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
  let buffer = new Uint8Array(256);
  return (ids) => {
    let length = 0;
    for (const id of ids) {
      const bytes = table[id];
      if (bytes === undefined) continue;
      if (length + bytes.length > buffer.length) {
        const larger = new Uint8Array(2 * (length + bytes.length));
        larger.set(buffer);
        buffer = larger;
      }
      buffer.set(bytes, length);
      length += bytes.length;
    }
    return utf8.decode(buffer.subarray(0, length));
  };
}
