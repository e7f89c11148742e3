/** XXH64 against published values, in one piece and in many. */
import { expect, test } from "vitest";
import { Xxh64 } from "../../../domains/shared/xxh64.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Values of the reference implementation with seed 0. */
const KNOWN: readonly (readonly [string, bigint])[] = [
  ["", 0xef46db3751d8e999n],
  ["a", 0xd24ec4f1a98c6e5bn],
  ["abc", 0x44bc2cf5ad770999n],
  ["Nobody inspects the spammish repetition", 0xfbcea83c8a378bf1n],
];

test.each(KNOWN)("Xxh64 of %j is the published value", (text, expected) => {
  const hash = new Xxh64();
  hash.update(encode(text));
  expect(hash.digest()).toBe(expected);
});

test("Xxh64 does not depend on where the bytes are cut", () => {
  const bytes = Uint8Array.from({ length: 500 }, (_, i) => (i * i) % 251);
  const whole = new Xxh64();
  whole.update(bytes);
  for (const step of [1, 3, 31, 32, 33, 64, 100]) {
    const parts = new Xxh64();
    for (let at = 0; at < bytes.length; at += step) parts.update(bytes.subarray(at, at + step));
    expect(parts.digest()).toBe(whole.digest());
  }
});
