import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createStopWatcher } from "../../src/generation/stop.ts";
import { createTokenizer } from "../../src/text/tokenizer.ts";
import { toyTokenizerFiles } from "../support/toy-tokenizer.ts";

const tokenizer = createTokenizer(toyTokenizerFiles());

/** Index of the first id after which a stop text stands in the decoded text; -1 if none does. */
function watch(stop: readonly string[], ids: readonly number[]): number {
  const watcher = createStopWatcher(stop, tokenizer.decode);
  return ids.findIndex((id) => watcher?.push(id) === true);
}

describe("createStopWatcher", () => {
  it("is not there when no stop text is given", () => {
    expect(createStopWatcher([""], tokenizer.decode)).toBeUndefined();
  });

  it("finds a text that begins and ends within tokens", () => {
    const ids = tokenizer.encode("so the answer is");
    const at = watch(["he ans"], ids);
    expect(tokenizer.decode(ids.slice(0, at + 1))).toContain("he ans");
    expect(tokenizer.decode(ids.slice(0, at))).not.toContain("he ans");
  });

  it("finds a character that several tokens make up", () => {
    const ids = Array.from(new TextEncoder().encode("aü🎉b"));
    expect(watch(["ü"], ids)).toBe(2);
    expect(watch(["🎉"], ids)).toBe(6);
    expect(watch(["🎉b"], ids)).toBe(7);
  });

  it("stops where the whole text would when ids are random bytes", () => {
    const byte = fc.constantFrom(0x61, 0x62, 0xc3, 0xa9, 0xf0, 0x9f, 0x8e, 0x89, 0xff);
    const stop = fc.array(fc.constantFrom("a", "ab", "é", "aé", "🎉", "ba", "bb🎉"), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 40 }), stop, (ids, texts) => {
        const expected = ids.findIndex((_, i) => {
          const text = tokenizer.decode(ids.slice(0, i + 1));
          return texts.some((one) => text.includes(one));
        });
        expect(watch(texts, ids)).toBe(expected);
      }),
      { numRuns: 500, seed: 2 },
    );
  });
});
