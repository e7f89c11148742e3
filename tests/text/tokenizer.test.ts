import { existsSync, readFileSync } from "node:fs";
import { Tokenizer } from "@huggingface/tokenizers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WeightsError } from "../../src/base/errors.ts";
import type { JsonObject, JsonValue } from "../../src/base/json.ts";
import { createTokenizer } from "../../src/text/tokenizer.ts";
import { toyTokenizerFiles } from "../support/toy-tokenizer.ts";

const CASES = "../shared/data/models/qwen_tokenization_cases.json";
// The whole Qwen3 tokenizer is too large for this repository: name a folder that holds it to run these cases.
const QWEN = process.env["SPYHOP_QWEN_TOKENIZER"] ?? "";

type Case = { readonly name: string; readonly text: string; readonly ids: number[]; readonly decoded: string };
const readJson = (path: string): JsonValue => JSON.parse(readFileSync(path, "utf8")) as JsonValue;

describe("createTokenizer", () => {
  const files = toyTokenizerFiles();
  const tokenizer = createTokenizer(files);
  const library = new Tokenizer(files.tokenizer as JsonObject, files.config as JsonObject);

  it("decodes what it encoded when the text is any Unicode text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (text) => {
        const normal = text.normalize("NFC");
        expect(tokenizer.decode(tokenizer.encode(normal))).toBe(normal);
      }),
      { numRuns: 200, seed: 5 },
    );
  });

  it("decodes as the library does when ids are random", () => {
    // The library decodes the parts between added tokens apart, so only ids of plain bytes can be compared.
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: tokenizer.size - 5 }), { minLength: 1, maxLength: 40 }), (ids) => {
        expect(tokenizer.decode(ids)).toBe(
          library.decode(ids, { skip_special_tokens: true, clean_up_tokenization_spaces: false }),
        );
      }),
      { numRuns: 300, seed: 6 },
    );
  });

  it("keeps blanks before punctuation, byte order marks and added tokens that are not special", () => {
    for (const text of ["a . b ? c", "\u{FEFF}x", "<think>a 's", " the answer is 42"])
      expect(tokenizer.decode(tokenizer.encode(text))).toBe(text);
  });

  it("leaves special tokens and unknown ids out when it decodes", () => {
    const ids = tokenizer.encode("<|im_start|>user\n42<|im_end|>");
    expect(ids[0]).toBe(tokenizer.idOf("<|im_start|>"));
    expect(tokenizer.decode([...ids, 5000])).toBe("user\n42");
    expect(tokenizer.decode([])).toBe("");
  });

  it("gives a replacement character when ids end within a character", () => {
    const ids = tokenizer.encode("ü");
    expect(ids).toHaveLength(2);
    expect(tokenizer.decode(ids.slice(0, 1))).toBe("\u{FFFD}");
  });

  it.each([
    ["not an object", null, /expected an object/],
    ["no model", {}, /expected an object with a "model"/],
    ["another model", { model: { type: "Unigram", vocab: [] } }, /"Unigram" is not supported/],
    ["another decoder", { model: { type: "BPE", vocab: {} }, decoder: { type: "Metaspace" } }, /byte-level/],
    ["no vocabulary", { model: { type: "BPE" }, decoder: { type: "ByteLevel" } }, /"model.vocab" is missing/],
    ["a bad id", { model: { type: "BPE", vocab: { a: -1 } }, decoder: { type: "ByteLevel" } }, /"a" has no valid id/],
    ["no merges", { model: { type: "BPE", vocab: { a: 1 } }, decoder: { type: "ByteLevel" } }, /cannot be read/],
  ] as [string, JsonValue, RegExp][])("names the fault on one line when the file is wrong: %s", (_, json, message) => {
    const open = (): unknown => createTokenizer({ tokenizer: json, config: {} });
    expect(open).toThrow(WeightsError);
    expect(open).toThrow(message);
    expect(open).not.toThrow(/\n/);
  });

  describe.skipIf(QWEN === "" || !existsSync(CASES))("with Qwen's own files in $SPYHOP_QWEN_TOKENIZER", () => {
    const qwen = (): ReturnType<typeof createTokenizer> =>
      createTokenizer({
        tokenizer: readJson(`${QWEN}/tokenizer.json`),
        config: readJson(`${QWEN}/tokenizer_config.json`),
      });

    it("gives the recorded ids and texts", () => {
      const one = qwen();
      for (const { name, text, ids, decoded } of readJson(CASES) as unknown as Case[]) {
        expect(one.encode(text), name).toEqual(ids);
        // The records keep special tokens in the text.
        if (!/<\|/.test(decoded)) expect(one.decode(ids), name).toBe(decoded);
      }
    });
  });
});
