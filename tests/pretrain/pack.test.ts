import { readFileSync } from "node:fs";
import { Template } from "@huggingface/jinja";
import { Tokenizer } from "@huggingface/tokenizers";
import { describe, expect, it } from "vitest";
import { FAMILIES, transcriptAt, transcripts } from "../../scripts/pretrain/corpus.ts";
import type { Transcript } from "../../scripts/pretrain/draw.ts";
import { createEncoder, type TokenizerFile } from "../../scripts/pretrain/encoder.ts";
import { encodeDocument, packRows, PROMPT_WEIGHT, validationRows } from "../../scripts/pretrain/pack.ts";

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

describe("packRows", () => {
  const length = encodeDocument(chat.messages, encoder).ids.length;

  it("starts a new row when a document does not fit, and numbers documents and positions", () => {
    const rows = [...packRows([chat, chat, chat], encoder, { rowLength: 2 * length + 3 })];
    expect(rows).toHaveLength(2);
    const [row] = rows;
    const range = Array.from({ length }, (_, i) => i);
    expect([...(row?.positions ?? [])]).toEqual([...range, ...range, 0, 0, 0]);
    expect([...(row?.segments ?? [])]).toEqual([...range.map(() => 1), ...range.map(() => 2), 0, 0, 0]);
    expect([...(row?.weights.slice(2 * length) ?? [])]).toEqual([0, 0, 0]);
    expect([...(row?.ids.slice(2 * length) ?? [])]).toEqual([0, 0, 0]);
  });

  it("leaves out and reports a document that is longer than a row", () => {
    const dropped: number[] = [];
    const rows = [
      ...packRows([chat], encoder, { rowLength: length - 1, onDropped: (_, tokens) => dropped.push(tokens) }),
    ];
    expect([rows, dropped]).toEqual([[], [length]]);
  });

  it("gives equal rows for equal seeds and other rows for another seed", () => {
    const first = (seed: number): number[] => [...(packRows(transcripts(seed), encoder).next().value?.ids ?? [])];
    expect(first(3)).toEqual(first(3));
    expect(first(3)).not.toEqual(first(4));
  });

  it("fills rows to at least four fifths and drops fewer than one document in thirty", () => {
    let used = 0;
    let total = 0;
    let documents = 0;
    let dropped = 0;
    for (const row of packRows(transcripts(8), encoder, { onDropped: () => (dropped += 1) })) {
      used += row.segments.reduce((sum, segment) => sum + (segment > 0 ? 1 : 0), 0);
      total += row.ids.length;
      documents += row.families.length;
      if (total > 120_000) break;
    }
    expect(used / total).toBeGreaterThan(0.8);
    expect(dropped / documents).toBeLessThan(1 / 30);
  });
});

describe("validationRows", () => {
  it("gives fixed rows of one family each", () => {
    const rows = validationRows(1, encoder, { documents: 8 });
    for (const family of FAMILIES) {
      expect(rows[family].flatMap((row) => row.families)).toSatisfy(
        (names: string[]) => names.length > 4 && names.every((name) => name === family),
      );
    }
    expect(validationRows(1, encoder, { documents: 8 })).toEqual(rows);
  });
});

describe("transcripts", () => {
  it("is a function of seed and index", () => {
    const stream = transcripts(7, 40);
    for (let index = 40; index < 60; index += 1) expect(stream.next().value).toEqual(transcriptAt(7, index));
  });
});
