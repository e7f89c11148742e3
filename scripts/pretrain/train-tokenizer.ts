/**
 * Trains the tiny model's tokenizer on the corpus and writes it to models/tiny.
 *
 * Run with `npx tsx scripts/pretrain/train-tokenizer.ts`. A new tokenizer makes every checkpoint trained with the old
 * one useless.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { countPreTokens, SPECIAL_TOKENS, toTokenizerJson, trainBpe } from "./bpe.ts";
import { transcriptAt } from "./corpus.ts";

const SEED = 20260;
const DOCUMENTS = 24_000;
const VOCABULARY = 1024;

const folder = fileURLToPath(new URL("../../models/tiny/", import.meta.url));
const counts = new Map<string, number>();
for (let index = 0; index < DOCUMENTS; index += 1) {
  for (const { role, content } of transcriptAt(SEED, index).messages) countPreTokens(`${role}\n${content}\n`, counts);
}
const model = trainBpe(counts, VOCABULARY);
const config = {
  add_bos_token: false,
  add_prefix_space: false,
  added_tokens_decoder: Object.fromEntries(
    SPECIAL_TOKENS.map((content, id) => [
      id,
      { content, lstrip: false, normalized: false, rstrip: false, single_word: false, special: true },
    ]),
  ),
  additional_special_tokens: ["<|im_start|>", "<|im_end|>"],
  bos_token: null,
  chat_template: readFileSync(`${folder}chat_template.jinja`, "utf8"),
  clean_up_tokenization_spaces: false,
  eos_token: "<|im_end|>",
  errors: "replace",
  model_max_length: 1024,
  pad_token: "<|endoftext|>",
  split_special_tokens: false,
  tokenizer_class: "PreTrainedTokenizerFast",
  unk_token: null,
};
writeFileSync(`${folder}tokenizer.json`, `${JSON.stringify(toTokenizerJson(model), null, 1)}\n`);
writeFileSync(`${folder}tokenizer_config.json`, `${JSON.stringify(config, null, 2)}\n`);
console.log(
  `${String(counts.size)} pre-tokens, ${String(model.tokens.length)} entries; last: ${model.tokens.slice(-40).join(" ")}`,
);
