import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRng, type Rng } from "../../src/base/rng.ts";
import { PAPER_SAMPLING } from "../../src/generation/completer.ts";
import { createSampler } from "../../src/generation/sampler.ts";

const CASES = "../shared/data/models/sampler/cases.json";

type Case = {
  readonly name: string;
  readonly logits: number[];
  readonly temperature: number;
  readonly top_k: number;
  readonly top_p: number;
  readonly allowed: number[];
  readonly probs: number[];
};

const cases = existsSync(CASES) ? (JSON.parse(readFileSync(CASES, "utf8")) as { cases: Case[] }).cases : [];

/** Gives the listed numbers in turn. */
function fixedRng(...numbers: number[]): Rng {
  let at = 0;
  return { ...createRng("fixed"), uniform: () => numbers[at++ % numbers.length]! };
}

function logSoftmax(logits: readonly number[], id: number): number {
  const largest = Math.max(...logits);
  return logits[id]! - largest - Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - largest), 0));
}

describe("createSampler", () => {
  it.skipIf(cases.length === 0).each(cases)("keeps the recorded candidates in case $name", (one) => {
    const sampler = createSampler({ temperature: one.temperature, topK: one.top_k, topP: one.top_p });
    const { ids, probabilities } = sampler.candidates(Float32Array.from(one.logits));
    expect(ids).toEqual(one.allowed);
    probabilities.forEach((p, i) => {
      expect(Math.abs(p - one.probs[i]!)).toBeLessThan(1e-6);
    });
  });

  it("draws each candidate as often as its probability says", () => {
    const logits = Float32Array.from([0, 1, 2, 0.5, -1, 1.5]);
    const sampler = createSampler({ temperature: 0.8, topK: 5, topP: 0.95 });
    const { ids, probabilities } = sampler.candidates(logits);
    const rng = createRng("frequencies");
    const counts = new Map<number, number>();
    const draws = 40_000;
    for (let i = 0; i < draws; i += 1) {
      const { id } = sampler.sample(logits, rng);
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    expect([...counts.keys()].sort((a, b) => a - b)).toEqual(ids);
    ids.forEach((id, i) => {
      expect(Math.abs(counts.get(id)! / draws - probabilities[i]!)).toBeLessThan(0.01);
    });
  });

  it("gives the log-probability of the whole softmax at its temperature", () => {
    const row = fc.array(fc.float({ min: -30, max: 30, noNaN: true }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(
        row,
        fc.constantFrom(0.25, 0.5, 1, 2),
        fc.integer({ min: 0, max: 9 }),
        (logits, temperature, topK) => {
          const sampler = createSampler({ temperature, topK, topP: topK % 2 === 0 ? 1 : 0.9 });
          const { id, logprob } = sampler.sample(Float32Array.from(logits), createRng("row", topK));
          const scaled = logits.map((logit) => logit / temperature);
          expect(Math.abs(logprob - logSoftmax(scaled, id))).toBeLessThan(1e-11);
        },
      ),
      { numRuns: 200, seed: 3 },
    );
  });

  it("takes the lowest id among equals and the log-probability at temperature 1 when greedy", () => {
    const logits = [0, 3, 1, 3];
    const sampler = createSampler({ temperature: 0, topK: 1, topP: 0.1 });
    const { id, logprob } = sampler.sample(Float32Array.from(logits), fixedRng(0.99));
    expect(id).toBe(1);
    expect(logprob).toBeCloseTo(logSoftmax(logits, 1), 12);
  });

  it("takes one number from the stream for each draw, whatever the logits", () => {
    const sampler = createSampler(PAPER_SAMPLING);
    const rng = createRng("one");
    const twin = createRng("one");
    for (const logits of [[1e4, 0], [0, 0, 0], Array.from({ length: 99 }, (_, i) => i / 9)]) {
      sampler.sample(Float32Array.from(logits), rng);
      twin.uniform();
    }
    expect(rng.uniform()).toBe(twin.uniform());
  });

  it("never draws a token of probability 0 when the number is at its end", () => {
    const sampler = createSampler({ temperature: 1, topK: 0, topP: 1 });
    const logits = Float32Array.from([-1e30, 0, 1, -Infinity]);
    expect(sampler.sample(logits, fixedRng(0)).id).toBe(1);
    expect(sampler.sample(logits, fixedRng(1)).id).toBe(2);
  });

  it("keeps the right nucleus when it is larger than its first guess", () => {
    const rng = createRng("wide");
    const logits = Float32Array.from({ length: 5000 }, () => rng.normal() / 4);
    const wanted = 0.97;
    const { ids } = createSampler({ temperature: 1, topK: 0, topP: wanted }).candidates(logits);
    const order = [...logits.keys()].sort((a, b) => logits[b]! - logits[a]! || a - b);
    const total = order.reduce((sum, id) => sum + Math.exp(logits[id]!), 0);
    let before = 0;
    const kept: number[] = [];
    for (const id of order) {
      if (before >= wanted) break;
      kept.push(id);
      before += Math.exp(logits[id]!) / total;
    }
    expect(ids).toEqual(kept.sort((a, b) => a - b));
    expect(ids.length).toBeGreaterThan(4096);
  });

  it("refuses logits that are not numbers and settings out of range", () => {
    const sampler = createSampler(PAPER_SAMPLING);
    for (const bad of [[], [NaN], [1, NaN, 2], [Infinity, 1], [-Infinity]])
      expect(() => sampler.sample(Float32Array.from(bad), createRng("bad"))).toThrow(RangeError);
    for (const bad of [
      { temperature: -1 },
      { temperature: NaN },
      { topK: 1.5 },
      { topK: -1 },
      { topP: 0 },
      { topP: 1.1 },
    ])
      expect(() => createSampler({ ...PAPER_SAMPLING, ...bad })).toThrow(RangeError);
  });
});
