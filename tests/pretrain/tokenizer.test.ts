import { readFileSync } from "node:fs";
import { Tokenizer } from "@huggingface/tokenizers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countPreTokens, toTokenizerJson, trainBpe } from "../../scripts/pretrain/bpe.ts";
import { transcriptAt } from "../../scripts/pretrain/corpus.ts";
import { createEncoder, type TokenizerFile } from "../../scripts/pretrain/encoder.ts";

const read = (name: string): object => JSON.parse(readFileSync(`models/tiny/${name}`, "utf8")) as object;
const file = read("tokenizer.json");
const reference = new Tokenizer(file, read("tokenizer_config.json"));
const encoder = createEncoder(file as TokenizerFile);
const encode = (text: string): number[] => reference.encode(text, { add_special_tokens: false }).ids;

describe("models/tiny tokenizer", () => {
  it("has 1024 entries with the special tokens first", () => {
    expect(encoder.vocabulary).toBe(1024);
    expect(encode("<|endoftext|><|im_start|><|im_end|>")).toEqual([0, 1, 2]);
  });

  it("returns any text unchanged when it is encoded and decoded", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1 }), (text) => {
        expect(reference.decode(encoder.encode(text), { skip_special_tokens: false })).toBe(text);
      }),
      { numRuns: 200 },
    );
  });

  it("encodes digits one by one and squares as units", () => {
    expect(encode("2048")).toHaveLength(4);
    expect(encode("e2e4")).toHaveLength(2);
    expect(encode("Qxd8#")).toHaveLength(4);
    for (const square of ["a1", "e4", "h8"]) expect(encoder.encode(square)).toHaveLength(1);
  });

  it("gives a capitalised word the same tokens at the start of a text and after a space", () => {
    expect(encode("of Krasel").slice(-encode("Krasel").length)).toEqual(encode("Krasel"));
  });

  it("encodes a prefill and its continuation as it encodes the whole when the prefill ends at a cut", () => {
    const prefills = [
      "<code>",
      "<code>print(",
      "\\boxed{",
      "<answer>",
      "<search>",
      "<move>",
      "The answer is ",
      "Answer: \\boxed{",
      "<code>\n",
      "x = (",
    ];
    const continuations = [
      "(3+4)*2)</code>",
      "12*(3)",
      "84}",
      "Krasel Dom</answer>",
      "e2e4</move>",
      "\nprint(1)",
      "Rxe5+",
    ];
    for (const a of prefills)
      for (const b of continuations) expect([a, b, ...encode(a), ...encode(b)]).toEqual([a, b, ...encode(a + b)]);
  });
});

describe("createEncoder", () => {
  it("gives the ids of @huggingface/tokenizers on 500 transcripts", () => {
    for (let index = 0; index < 500; index += 1) {
      for (const { content } of transcriptAt(5, index).messages)
        expect(encoder.encode(content)).toEqual(encode(content));
    }
  });

  it("gives the ids of @huggingface/tokenizers on arbitrary text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), (text) => {
        expect(encoder.encode(text)).toEqual(encode(text));
      }),
      { numRuns: 200 },
    );
  });
});

describe("trainBpe", () => {
  const counts = new Map<string, number>();
  for (let index = 0; index < 200; index += 1)
    for (const { content } of transcriptAt(6, index).messages) countPreTokens(content, counts);

  it("gives the same vocabulary when the counts come in another order", () => {
    const reversed = new Map([...counts].reverse());
    expect(toTokenizerJson(trainBpe(reversed, 400))).toEqual(toTokenizerJson(trainBpe(counts, 400)));
  });

  it("merges the commonest pair first after the squares", () => {
    const model = trainBpe(
      new Map([
        ["aab", 3],
        ["ab", 5],
        ["cb", 2],
      ]),
      3 + 256 + 64 + 1,
    );
    expect(model.merges.at(-1)).toEqual(["a", "b"]);
  });

  it("throws when no pair is left", () => {
    expect(() => trainBpe(new Map([["ab", 2]]), 1000)).toThrow(RangeError);
  });
});
