import { readFileSync } from "node:fs";
import { Template } from "@huggingface/jinja";
import { Tokenizer } from "@huggingface/tokenizers";
import { describe, expect, it } from "vitest";
import { transcriptAt, transcripts } from "../../scripts/pretrain/corpus.ts";
import type { Transcript } from "../../scripts/pretrain/draw.ts";
import { createEncoder, type TokenizerFile } from "../../scripts/pretrain/encoder.ts";
import { encodeDocument, PROMPT_WEIGHT } from "../../scripts/pretrain/document.ts";

const encoder = createEncoder(JSON.parse(readFileSync("models/tiny/tokenizer.json", "utf8")) as TokenizerFile);
const chat: Transcript = {
  family: "test",
  messages: [
    { role: "user", content: "1" },
    { role: "assistant", content: "23" },
  ],
};

describe("encodeDocument", () => {
  it("puts weight 1 on assistant content and its end token only", () => {
    const { ids, weights } = encodeDocument(chat.messages, encoder);
    const head = (role: string): number[] => [1, ...encoder.encode(`${role}\n`)];
    const newline = encoder.encode("\n");
    expect(ids).toEqual([
      ...head("user"),
      ...encoder.encode("1"),
      2,
      ...newline,
      ...head("assistant"),
      ...encoder.encode("23"),
      2,
      ...newline,
      0,
    ]);
    const low = (count: number): number[] => Array.from({ length: count }, () => PROMPT_WEIGHT);
    const before = head("user").length + 3 + head("assistant").length;
    expect(weights).toEqual([0, ...low(before - 1), 1, 1, 1, ...low(2)]);
  });
});

describe("models/tiny", () => {
  const read = (name: string): Record<string, unknown> =>
    JSON.parse(readFileSync(`models/tiny/${name}`, "utf8")) as Record<string, unknown>;

  it("renders chats with its template as the corpus encodes them", () => {
    const reference = new Tokenizer(read("tokenizer.json"), read("tokenizer_config.json"));
    const source = readFileSync("models/tiny/chat_template.jinja", "utf8");
    expect(read("tokenizer_config.json")["chat_template"]).toBe(source);
    const template = new Template(source);
    for (let index = 0; index < 40; index += 1) {
      const messages = transcriptAt(9, index).messages.map((message) => ({ ...message }));
      const { ids } = encodeDocument(messages, encoder);
      expect([...reference.encode(template.render({ messages }), { add_special_tokens: false }).ids, 0]).toEqual(ids);
    }
    const prompt = template.render({ messages: [{ role: "user", content: "1" }], add_generation_prompt: true });
    expect(prompt).toBe("<|im_start|>user\n1<|im_end|>\n<|im_start|>assistant\n");
  });

  it("has as many embeddings as tokens, and heads that its sizes allow", () => {
    const config = read("config.json");
    expect(config["vocab_size"]).toBe(encoder.vocabulary);
    expect([config["eos_token_id"], config["pad_token_id"]]).toEqual([
      encoder.tokenId("<|im_end|>"),
      encoder.tokenId("<|endoftext|>"),
    ]);
  });
});

describe("transcripts", () => {
  it("is a function of seed and index", () => {
    const stream = transcripts(7, 40);
    for (let index = 40; index < 60; index += 1) expect(stream.next().value).toEqual(transcriptAt(7, index));
  });
});
