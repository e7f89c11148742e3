/** The offline proposer against its baselines, ten seeds each. */
import { describe, expect, it } from "vitest";
import { createEvolveProposer } from "../../src/search/proposers/evolve.ts";
import { createRandomProposer } from "../../src/search/proposers/random.ts";
import { expectedReward, FAKE_H0, FAKE_SPACE as space, playSearch, trueScore } from "./fake-domain.ts";

const SEEDS = Array.from({ length: 10 }, (_, seed) => seed);

describe("createEvolveProposer against baselines", () => {
  it("beats random choice and prompt-only search within 6 iterations in most seeds", async () => {
    const scores = await Promise.all(
      SEEDS.map(async (seed) => {
        const evolve = await playSearch(createEvolveProposer({ space, seed }), seed);
        const random = await playSearch(createRandomProposer({ space, seed }), seed);
        const prompts = await playSearch(createEvolveProposer({ space, seed, promptOnly: true }), seed);
        return [evolve, random, prompts].map(trueScore) as [number, number, number];
      }),
    );
    const mean = (column: 0 | 1 | 2): number => scores.reduce((sum, row) => sum + row[column], 0) / scores.length;
    expect(mean(0)).toBeGreaterThan(mean(1) + 0.05);
    expect(mean(0)).toBeGreaterThan(4 * expectedReward(FAKE_H0));
    expect(scores.filter(([evolve, random]) => evolve > random).length).toBeGreaterThanOrEqual(7);
    expect(scores.filter(([evolve, , prompts]) => evolve > prompts).length).toBeGreaterThanOrEqual(9);
  });
});
