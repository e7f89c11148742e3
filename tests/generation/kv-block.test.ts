import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesOfStates, bytesPerPosition, KvBlock } from "../../src/generation/kv-block.ts";

const SHAPE = { layers: 2, kvHeads: 2, headSize: 3, stateShapes: [[2]], tokenMultiple: 1 };
const { layers, kvHeads, headSize } = SHAPE;

type Token = { readonly key: number; readonly value: number };

/** New tokens of a run with T = `tokens` of which the first `count` of row `row` are `fresh`, the rest noise. */
function outputsOf(fresh: readonly Token[], tokens: number, row: number): Parameters<KvBlock["append"]>[2] {
  const fill = (pick: (token: Token) => number): Float32Array[] =>
    Array.from({ length: layers }, (_, layer) =>
      Float32Array.from({ length: (row + 1) * kvHeads * tokens * headSize }, (_, i) => {
        const [b, t] = [Math.floor(i / (kvHeads * tokens * headSize)), Math.floor(i / headSize) % tokens];
        const [k, e] = [Math.floor(i / (tokens * headSize)) % kvHeads, i % headSize];
        const token = b === row ? fresh[t] : undefined;
        return token === undefined ? -1 : pick(token) + 0.25 * layer + 0.01 * k + 0.001 * e;
      }),
    );
  const states = [Float32Array.from({ length: 2 * (row + 1) }, (_, i) => (i < 2 * row ? -1 : stateOf(fresh, i % 2)))];
  const outputs = { keys: fill((one) => one.key), values: fill((one) => one.value), states };
  return { outputs, row, tokens, count: fresh.length };
}

/** A row's state after `tokens`: twice the key of the last, so that each number of tokens has another. */
function stateOf(tokens: readonly Token[], i: number): number {
  return 2 * (tokens.at(-1)?.key ?? 0) + (tokens.length === 0 ? 0 : i);
}

/** What the block's views hold for `row`, against what they should. */
function expectRow(block: KvBlock, row: number, expected: readonly Token[]): void {
  const { keys, values, states } = block.view(row + 1);
  expect([...states[0]!.subarray(2 * row)]).toEqual([stateOf(expected, 0), stateOf(expected, 1)]);
  const f32 = Math.fround;
  for (let layer = 0; layer < layers; layer += 1)
    for (let k = 0; k < kvHeads; k += 1)
      for (let e = 0; e < headSize; e += 1)
        expected.forEach((token, s) => {
          const extra = 0.25 * layer + 0.01 * k + 0.001 * e;
          const line = row * kvHeads + k;
          expect(keys[layer]![(line * block.span + s) * headSize + e]).toBe(f32(token.key + extra));
          expect(values[layer]![(line * block.span + s) * headSize + e]).toBe(f32(token.value + extra));
        });
}

describe("KvBlock", () => {
  it("keeps every row's positions when rows are appended, copied and resized at random", () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant("append"), a: fc.nat(3), b: fc.integer({ min: 1, max: 4 }) }),
      fc.record({ do: fc.constant("copy"), a: fc.nat(3), b: fc.nat(3) }),
      fc.record({ do: fc.constant("resize"), a: fc.nat(12), b: fc.nat(2) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const block = new KvBlock(SHAPE, { rows: 4, span: 8 });
        const rows: Token[][] = [[], [], [], []];
        let counter = 0;
        for (const { do: what, a, b } of steps) {
          const longest = Math.max(...rows.map((row) => row.length));
          if (what === "append" && rows[a]!.length + b <= block.span) {
            const fresh = Array.from({ length: b }, () => ({ key: (counter += 1), value: counter + 500 }));
            block.append(a, rows[a]!.length, outputsOf(fresh, b + 1, a % 2));
            rows[a]!.push(...fresh);
          } else if (what === "copy" && a !== b) {
            block.copyRow(a, { block, row: b }, rows[b]!.length);
            rows[a] = [...rows[b]!];
          } else if (what === "resize") block.resize({ rows: 4 + b, span: Math.max(longest, 1) + a });
          rows.forEach((row, i) => {
            expectRow(block, i, row);
          });
        }
      }),
      { numRuns: 60, seed: 4 },
    );
  });

  it("copies a row into a block of another span", () => {
    const block = new KvBlock(SHAPE, { rows: 2, span: 8 });
    const tokens = [1, 2, 3].map((key) => ({ key, value: 10 + key }));
    block.append(1, 0, outputsOf(tokens, 3, 0));
    const compact = new KvBlock(SHAPE, { rows: 1, span: 3 });
    compact.copyRow(0, { block, row: 1 }, 3);
    expectRow(compact, 0, tokens);
    expect(compact.bytes).toBe(3 * bytesPerPosition(SHAPE) + bytesOfStates(SHAPE));
    expect(bytesOfStates(SHAPE)).toBe(8);
    compact.copyRow(0, { block, row: 1 }, 0);
    expect(compact.view(1).states).toEqual([Float32Array.of(0, 0)]);
  });

  it("gives back memory when it has become much smaller", () => {
    const block = new KvBlock(SHAPE, { rows: 64, span: 64 });
    const before = block.bytes;
    block.resize({ rows: 1, span: 32 });
    expect(block.bytes).toBeLessThan(before / 50);
  });
});
