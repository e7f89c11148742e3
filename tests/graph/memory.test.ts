import { describe, expect, it } from "vitest";
import * as g from "../../src/graph/builder.ts";
import { buildGraph } from "../../src/graph/graph.ts";
import { peakBytes } from "../../src/graph/memory.ts";

const x = g.input("x", "f32", ["N", 10]);
const ten = new Map([["N", 10]]);

describe("peakBytes", () => {
  it("counts a value until its last reader has run", () => {
    // Each step of a chain holds its input and its output.
    const chain = g.exp(g.exp(g.exp(g.exp(x))));
    expect(peakBytes(buildGraph({ y: chain }), ten)).toBe(2 * 400);
    const kept = g.exp(x);
    expect(peakBytes(buildGraph({ y: g.add(g.exp(g.exp(kept)), kept) }), ten)).toBe(3 * 400);
  });

  it("keeps outputs, and counts neither inputs, constants nor other shapes of a value", () => {
    const first = g.exp(x);
    const outputs = { first, second: g.neg(g.exp(g.exp(first))) };
    expect(peakBytes(buildGraph(outputs), ten)).toBe(3 * 400);
    const same = g.reshape(g.reshape(g.exp(x), ["10*N"]), [10, "N"]);
    expect(peakBytes(buildGraph({ y: g.add(same, g.constant(new Float32Array(10), [10, 1])) }), ten)).toBe(2 * 400);
  });
});
