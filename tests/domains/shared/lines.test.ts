/** Lines out of bytes: any chunking, any compression, bad bytes told apart, damage named. */
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { readLines, type Line } from "../../../domains/shared/lines.ts";
import { TaskError } from "../../../src/base/errors.ts";
import { memoryFile } from "../../../src/rollout/data-file.ts";
import type { DataFile } from "../../../src/rollout/domain.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

function chunked(bytes: Uint8Array, size: number): DataFile {
  return {
    name: "data.txt",
    chunks: async function* () {
      for (let start = 0; start < bytes.length; start += size)
        yield await Promise.resolve(bytes.slice(start, start + size));
    },
  };
}

async function collect(file: DataFile): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const line of readLines(file)) lines.push(line);
  return lines;
}

/** `abc\n` times two as one Zstandard frame of a single raw block, by RFC 8878. */
const ZSTD = new Uint8Array([0x28, 0xb5, 0x2f, 0xfd, 0x20, 8, (8 << 3) | 1, 0, 0, ...encode("abc\nabc\n")]);

test.each([1, 3, 1000])("readLines gives the same lines in chunks of %i bytes", async (size) => {
  const lines = await collect(chunked(encode("\u{feff}eins\r\nzwölf\n\ndrei 😀"), size));
  expect(lines).toEqual([
    { number: 1, text: "eins" },
    { number: 2, text: "zwölf" },
    { number: 3, text: "" },
    { number: 4, text: "drei 😀" },
  ]);
});

test("readLines reads gzip and Zstandard, told apart by content", async () => {
  const expected = [
    { number: 1, text: "abc" },
    { number: 2, text: "abc" },
  ];
  expect(await collect(memoryFile("x", new Uint8Array(gzipSync("abc\nabc\n"))))).toEqual(expected);
  expect(await collect(chunked(ZSTD, 5))).toEqual(expected);
});

test("readLines marks lines that are not UTF-8 and goes on", async () => {
  const bytes = new Uint8Array([...encode("a\n"), 0xff, 0xfe, 0x0a, ...encode("b\n")]);
  expect((await collect(memoryFile("x", bytes))).map(({ text }) => text)).toEqual(["a", undefined, "b"]);
});

test.each([
  ["an empty file", new Uint8Array(0), /x: the file is empty/],
  ["gzip that is cut short", new Uint8Array(gzipSync("x".repeat(5000))).subarray(0, 20), /x: damaged gzip/],
  ["gzip with a wrong checksum", flip(new Uint8Array(gzipSync("x".repeat(5000))), -6), /x: damaged gzip/],
  ["Zstandard that is cut short", ZSTD.subarray(0, 12), /x: damaged Zstandard/],
])("readLines refuses %s with one line", async (_name, bytes, message) => {
  const failure = collect(memoryFile("x", bytes));
  await expect(failure).rejects.toThrow(TaskError);
  await expect(failure).rejects.toThrow(message);
});

function flip(bytes: Uint8Array, at: number): Uint8Array {
  return bytes.with(bytes.length + at, (bytes.at(at) ?? 0) ^ 0xff);
}
