/** Zstandard as a stream: several frames, frames to pass over, and every kind of damage that its checksum shows. */
import { describe, expect, test } from "vitest";
import { ByteReader, concat } from "../../../domains/shared/byte-reader.ts";
import { unzstd } from "../../../domains/shared/zstd.ts";

/** 40 lines, `1 a line of text` and so on, as `zstd -19 --check` packs them. */
const PACKED = Uint8Array.from(
  atob(
    "KLUv/WTHAW0CAMJDDBDAd3DUgNb2f0Q22U2/OA4Lpu/Nq4ln+d68mniG782riWf33ryaCFASqMYpYUipUBcnqBGgu/8G8OUQ/lEffE/+hvhyxd6McKoCm3p3ew==",
  ),
  (char) => char.charCodeAt(0),
);
const TEXT = Array.from({ length: 40 }, (_, i) => `${String(i + 1)} a line of text\n`).join("");
/** A frame of three bytes that readers pass over. */
const SKIPPED = new Uint8Array([0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 9, 9, 9]);

async function unpack(bytes: Uint8Array, size = bytes.length): Promise<string> {
  const chunks = async function* (): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.slice(at, at + size));
  };
  const pieces: Uint8Array[] = [];
  for await (const piece of unzstd(new ByteReader(chunks()))) pieces.push(piece);
  return new TextDecoder().decode(concat(pieces));
}

describe("unzstd", () => {
  test.each([1, 7, 1000])("reads frames one after the other in chunks of %i bytes", async (size) => {
    expect(await unpack(concat([SKIPPED, PACKED, SKIPPED, PACKED]), size)).toBe(TEXT + TEXT);
  });

  test("never gives another text when a byte is another", async () => {
    const refused: number[] = [];
    for (const at of PACKED.keys()) {
      const text = await unpack(PACKED.with(at, (PACKED[at] ?? 0) ^ 0x11)).catch(() => undefined);
      if (text === undefined) refused.push(at);
      // A bit that no decoder looks at may be anything.
      else expect(text).toBe(TEXT);
    }
    expect(refused.length).toBeGreaterThan(PACKED.length - 3);
  });

  test("refuses a file that ends anywhere but at its end", async () => {
    for (let length = 1; length < PACKED.length; length += 1)
      await expect(unpack(PACKED.subarray(0, length)), `length ${String(length)}`).rejects.toThrow();
  });

  test("says what is wrong when the content is not that of the checksum, or something follows", async () => {
    await expect(unpack(PACKED.with(PACKED.length - 1, 0))).rejects.toThrow("not what its checksum says");
    await expect(unpack(concat([PACKED, new TextEncoder().encode("more")]))).rejects.toThrow("bytes of another kind");
  });
});
