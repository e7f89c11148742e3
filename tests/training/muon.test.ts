import { describe, expect, it } from "vitest";
import { createRng } from "../../src/base/rng.ts";
import { evaluateGraph } from "../../src/graph/evaluate.ts";
import { flatLayout } from "../../src/model/parameters.ts";
import { openRuntime } from "../../src/platform/node/ort-node.ts";
import { createMuonAdam } from "../../src/training/muon-adam.ts";
import { buildMuonGraph } from "../../src/training/muon.ts";

const LAYOUT = flatLayout([
  { name: "a_proj.weight", shape: [6, 10] },
  { name: "embed.weight", shape: [4, 3] },
  { name: "b_proj.weight", shape: [10, 6] },
  { name: "c_proj.weight", shape: [6, 10] },
]);
const CONFIG = { momentum: 0, betas: [0.9, 0.98], eps: 1e-8, weightDecay: 0 } as const;

describe("Muon", () => {
  it("makes updates whose singular values are near one, times 0.2 sqrt(max(O, I))", () => {
    const { graph, groups } = buildMuonGraph(LAYOUT, (name) => name.includes("_proj"));
    expect(groups.map(({ offsets }) => offsets)).toEqual([[0, 132], [72]]);
    const rng = createRng("muon");
    const stack = Float64Array.from({ length: 120 }, () => rng.normal());
    const feeds = {
      stack0: { shape: [2, 6, 10], data: stack },
      stack1: { shape: [1, 10, 6], data: stack.slice(0, 60) },
    };
    const { update0 } = evaluateGraph(graph, feeds);
    const scale = 0.2 * Math.sqrt(10);
    const rows = Array.from({ length: 6 }, (_, i) => update0!.data.subarray(i * 10, i * 10 + 10));
    // The rows of a matrix with singular values s are nearly orthogonal with squared norms between min and max s^2;
    // the iteration brings every s into about [0.7, 1.2].
    rows.forEach((row, i) => {
      rows.forEach((other, j) => {
        const product = row.reduce((sum, value, k) => sum + value * other[k]!, 0) / scale ** 2;
        if (i === j) expect(Math.sqrt(product)).toBeGreaterThan(0.68);
        if (i === j) expect(Math.sqrt(product)).toBeLessThan(1.22);
        else expect(Math.abs(product)).toBeLessThan(0.45);
      });
    });
  });

  it("moves linear maps by the learning rate alone and other values by AdamW", async () => {
    const runtime = await openRuntime("cpu", { threads: 1 });
    await using optimizer = await createMuonAdam({ runtime, layout: LAYOUT, config: CONFIG });
    const rng = createRng("muon-adam");
    const gradient = Float32Array.from({ length: LAYOUT.size }, () => rng.normal());
    const small = new Float32Array(LAYOUT.size);
    await optimizer.step(small, gradient.slice(), 0.01);
    await using again = await createMuonAdam({ runtime, layout: LAYOUT, config: CONFIG });
    const large = new Float32Array(LAYOUT.size);
    await again.step(
      large,
      gradient.map((value) => 100 * value),
      0.01,
    );
    for (let i = 0; i < LAYOUT.size; i += 1) expect(Math.abs(large[i]! - small[i]!)).toBeLessThan(1e-5);
    // AdamW's first step has the size of the learning rate.
    expect(Math.abs(small[60]!)).toBeCloseTo(0.01, 5);
  });
});
