/**
 * The files of a small byte-level BPE tokenizer with ChatML's special tokens, made here: 256 bytes, then merges for a few
 * words. Its merges are few but overlap, so that text cut in the wrong place gets other ids.
 */
import type { JsonObject } from "../../src/base/json.ts";
import type { TokenizerFiles } from "../../src/text/tokenizer.ts";

const WORDS = ["the", " the", "answer", " answer", "user", "system", "assistant", "Output", "\n\n", "é", "😀", "42"];
const SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"];

/** GPT-2's characters for the 256 bytes. */
function byteCharacters(): string[] {
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => {
    const printable = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
    return String.fromCharCode(printable ? byte : next++);
  });
}

/** Fresh files of the toy tokenizer. */
export function toyTokenizerFiles(): TokenizerFiles {
  const characters = byteCharacters();
  const vocab = new Map(characters.map((character, byte) => [character, byte]));
  const merges: [string, string][] = [];
  for (const word of WORDS) {
    const [first, ...rest] = Array.from(new TextEncoder().encode(word), (byte) => characters[byte]!);
    let left = first!;
    for (const right of rest) {
      if (!vocab.has(left + right)) {
        merges.push([left, right]);
        vocab.set(left + right, vocab.size);
      }
      left += right;
    }
  }
  const start = vocab.size;
  const added = SPECIAL.map((content, i) => ({
    id: start + i,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  }));
  const tokenizer: JsonObject = {
    version: "1.0",
    added_tokens: [...added, { ...added[0]!, id: start + SPECIAL.length, content: "<think>", special: false }],
    normalizer: { type: "NFC" },
    pre_tokenizer: { type: "ByteLevel", add_prefix_space: false, use_regex: true },
    post_processor: null,
    decoder: { type: "ByteLevel" },
    model: { type: "BPE", vocab: Object.fromEntries(vocab), merges, ignore_merges: false },
  };
  return { tokenizer, config: { eos_token: "<|im_end|>", clean_up_tokenization_spaces: true } };
}

/** ChatML. */
export const CHATML_TEMPLATE =
  "{%- for message in messages %}{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}" +
  "{%- endfor %}{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}";
