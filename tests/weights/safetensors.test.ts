import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { WeightsError } from "../../src/base/errors.ts";
import { formatSafetensors, parseSafetensors, type Tensor } from "../../src/weights/safetensors.ts";

/** Builds a file from a header and data bytes by hand, independently of the writer. */
function buildFile(header: unknown, data: Uint8Array = new Uint8Array()): Uint8Array {
  const text = new TextEncoder().encode(typeof header === "string" ? header : JSON.stringify(header));
  const file = new Uint8Array(8 + text.length + data.length);
  new DataView(file.buffer).setBigUint64(0, BigInt(text.length), true);
  file.set(text, 8);
  file.set(data, 8 + text.length);
  return file;
}

function entry(dtype: string, shape: number[], offsets: number[]): object {
  return { dtype, shape, data_offsets: offsets };
}

const shapes = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 3 });
const values = fc.float({ noNaN: true });
const tensors = shapes.chain((shape) => {
  const length = shape.reduce((a, b) => a * b, 1);
  return fc.array(values, { minLength: length, maxLength: length }).map((data): Tensor => {
    return { shape, data: Float32Array.from(data) };
  });
});
const names = fc.string().filter((name) => name !== "__metadata__");

describe("parseSafetensors", () => {
  test("parseSafetensors reads F32, F16 and BF16 when bytes are laid out by hand", () => {
    const data = new Uint8Array(12);
    const view = new DataView(data.buffer);
    view.setFloat32(0, 1.5, true);
    view.setUint16(4, 0x3c00, true);
    view.setUint16(6, 0xc000, true);
    view.setUint16(8, 0x3f80, true);
    view.setUint16(10, 0xc040, true);
    const header = {
      __metadata__: { format: "pt" },
      a: entry("F32", [1], [0, 4]),
      b: entry("F16", [2], [4, 8]),
      c: entry("BF16", [1, 2], [8, 12]),
    };
    const file = parseSafetensors(buildFile(header, data), "x.safetensors");
    expect(file.names).toEqual(["a", "b", "c"]);
    expect(file.metadata).toEqual({ format: "pt" });
    expect(file.read("a")).toEqual({ shape: [1], data: Float32Array.of(1.5) });
    expect(file.read("b")).toEqual({ shape: [2], data: Float32Array.of(1, -2) });
    expect(file.read("c")).toEqual({ shape: [1, 2], data: Float32Array.of(1, -3) });
  });

  test("parseSafetensors takes null metadata, padding, scalars and empty tensors when they occur", () => {
    const header = `{"__metadata__":null,"e":{"dtype":"F32","shape":[0,3],"data_offsets":[4,4]},"s":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}   `;
    const file = parseSafetensors(buildFile(header, new Uint8Array(4)));
    expect(file.read("s")).toEqual({ shape: [], data: Float32Array.of(0) });
    expect(file.read("e").data.length).toBe(0);
  });

  test("read shares memory when F32 is aligned and copies when it is not", () => {
    const bytes = formatSafetensors({ w: { shape: [2], data: Float32Array.of(3, 4) } });
    expect(parseSafetensors(bytes).read("w").data.buffer).toBe(bytes.buffer);
    for (const shift of [1, 2, 3]) {
      const holder = Buffer.alloc(bytes.length + shift);
      holder.set(bytes, shift);
      const moved = parseSafetensors(holder.subarray(shift)).read("w").data;
      expect(moved.buffer).not.toBe(holder.buffer);
      expect([...moved]).toEqual([3, 4]);
    }
  });

  test.each([
    ["shorter than its length field", new Uint8Array(5), /f: truncated, expected at least 8 bytes, got 5/],
    ["cut within the header", buildFile({ w: 1 }).subarray(0, 12), /f: truncated within the header/],
    ["of another kind", new TextEncoder().encode("PK\u0003\u0004 some other file"), /f: not a safetensors file/],
    ["not JSON", buildFile("{oops"), /f: damaged, its header is not JSON/],
    ["not UTF-8", buildFile("{}").fill(0xff, 8), /f: damaged, its header is not JSON/],
    ["a JSON list", buildFile([1, 2]), /f: damaged, its header is not a JSON object/],
    ["an entry of the wrong kind", buildFile({ w: 3 }), /f: w: its header entry is not an object/],
    ["an unknown dtype", buildFile({ w: entry("Q4", [1], [0, 4]) }), /f: w: unknown dtype "Q4", expected one of/],
    ["a dtype from the prototype", buildFile({ w: entry("toString", [1], [0, 4]) }), /f: w: unknown dtype/],
    [
      "a negative size",
      buildFile({ w: entry("F32", [-1], [0, 4]) }),
      /f: w: shape must be a list of sizes, got \[-1\]/,
    ],
    ["a fractional offset", buildFile({ w: entry("F32", [1], [0.5, 4.5]) }), /f: w: data_offsets must be/],
    ["three offsets", buildFile({ w: entry("F32", [1], [0, 4, 8]) }), /f: w: data_offsets must be/],
    ["a shape of another size", buildFile({ w: entry("F32", [2], [0, 4]) }), /f: w: F32 \[2\] takes 8 bytes, got 4/],
    ["offsets past the end", buildFile({ w: entry("F32", [1], [0, 4]) }), /f: w: truncated, its bytes end at/],
    [
      "overlapping tensors",
      buildFile({ a: entry("F32", [2], [0, 8]), b: entry("F32", [1], [4, 8]) }, new Uint8Array(8)),
      /f: b: its bytes overlap those of a/,
    ],
    ["a hole", buildFile({ w: entry("F32", [1], [4, 8]) }, new Uint8Array(8)), /f: w: 4 bytes before it belong to no/],
    ["a tail", buildFile({ w: entry("F32", [1], [0, 4]) }, new Uint8Array(7)), /f: damaged, the last 3 bytes belong/],
  ])("parseSafetensors names file and tensor when the file is damaged: %s", (_, bytes, message) => {
    expect(() => parseSafetensors(bytes, "f")).toThrow(WeightsError);
    expect(() => parseSafetensors(bytes, "f")).toThrow(message);
  });

  test("read names the tensor when it is missing or holds integers", () => {
    const file = parseSafetensors(buildFile({ ids: entry("I64", [1], [0, 8]) }, new Uint8Array(8)), "f");
    expect(() => file.read("w")).toThrow(/f: no tensor w; it holds 1 others/);
    expect(() => file.read("ids")).toThrow(/f: ids: dtype I64 is not supported, expected F32, F16, BF16/);
  });

  test("parseSafetensors throws WeightsError and nothing else when a good file is cut anywhere", () => {
    const bytes = formatSafetensors({
      a: { shape: [3], data: Float32Array.of(1, 2, 3) },
      b: { shape: [], data: Float32Array.of(4) },
    });
    for (let length = 0; length < bytes.length; length += 1)
      expect(() => parseSafetensors(bytes.subarray(0, length))).toThrow(WeightsError);
  });

  test("parseSafetensors throws WeightsError or parses when single bytes of the header flip", () => {
    const bytes = formatSafetensors({ a: { shape: [3], data: Float32Array.of(1, 2, 3) } });
    const headerEnd = bytes.length - 12;
    fc.assert(
      fc.property(fc.integer({ min: 0, max: headerEnd - 1 }), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const damaged = bytes.slice();
        damaged[at] = (damaged[at] as number) ^ flip;
        try {
          parseSafetensors(damaged);
        } catch (error) {
          expect(error).toBeInstanceOf(WeightsError);
        }
      }),
      { numRuns: 500, seed: 1 },
    );
  });
});

describe("formatSafetensors", () => {
  test("formatSafetensors and parseSafetensors give the tensors back when stored as F32", () => {
    fc.assert(
      fc.property(fc.dictionary(names, tensors), (record) => {
        const file = parseSafetensors(formatSafetensors(record));
        expect(file.names).toEqual(Object.keys(record).sort());
        for (const name of file.names) expect(file.read(name)).toEqual(record[name]);
      }),
      { numRuns: 100, seed: 2 },
    );
  });

  test.each(["F16", "BF16"] as const)("formatSafetensors keeps %s values when they are exact", (dtype) => {
    const exact = { w: { shape: [2, 3], data: Float32Array.of(0, -0, 1, -2.5, 0.125, 96) } };
    const file = parseSafetensors(formatSafetensors(exact, { dtype }));
    expect(file.entries.get("w")?.dtype).toBe(dtype);
    expect(file.read("w")).toEqual(exact.w);
  });

  test.each([
    ["F16", 2 ** -11],
    ["BF16", 2 ** -8],
  ] as const)("formatSafetensors rounds within half a unit when stored as %s", (dtype, halfUnit) => {
    fc.assert(
      fc.property(fc.float({ min: Math.fround(1e-3), max: 60000, noNaN: true }), (value) => {
        const read = parseSafetensors(formatSafetensors({ w: { shape: [], data: Float32Array.of(value) } }, { dtype }));
        expect(Math.abs(read.read("w").data[0]! / Math.fround(value) - 1)).toBeLessThanOrEqual(halfUnit);
      }),
      { seed: 3 },
    );
  });

  test("formatSafetensors gives equal bytes and an aligned header when insertion order differs", () => {
    const one = { shape: [1], data: Float32Array.of(1) };
    const options = { metadata: { z: "1", format: "pt" } };
    const first = formatSafetensors({ b: one, "10": one, a: one }, options);
    expect(first).toEqual(formatSafetensors({ a: one, b: one, "10": one }, options));
    expect(new DataView(first.buffer).getUint32(0, true) % 8).toBe(0);
    expect(parseSafetensors(first).metadata).toEqual({ format: "pt", z: "1" });
    expect([...parseSafetensors(first).entries.values()].map(({ start }) => start % 4)).toEqual([0, 0, 0]);
  });

  test("formatSafetensors throws RangeError when data does not fill the shape or the name is reserved", () => {
    expect(() => formatSafetensors({ w: { shape: [2], data: Float32Array.of(1) } })).toThrow(
      /w: shape \[2\] holds 2 values, got 1/,
    );
    expect(() => formatSafetensors({ __metadata__: { shape: [], data: Float32Array.of(1) } })).toThrow(RangeError);
  });
});
