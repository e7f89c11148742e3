import { describe, expect, it } from "vitest";
import { ProposerError } from "../../src/base/errors.ts";
import { createEvolveProposer } from "../../src/search/proposers/evolve.ts";
import { closePhase, EMPTY_MEMORY } from "../../src/search/proposers/memory.ts";
import { createSearch, readSnapshot } from "../../src/search/scheduler.ts";
import { isPromptOnlyEdit, normaliseSource } from "../../src/search/syntax/compare.ts";
import { evaluateFake, expectedReward, FAKE_H0, FAKE_SPACE, playRound, playSearch, trueScore } from "./fake-domain.ts";

const SEEDS = Array.from({ length: 10 }, (_, seed) => seed);
const space = FAKE_SPACE;

describe("createEvolveProposer", () => {
  it("improves on the first harness by several steps", async () => {
    for (const seed of [0, 1]) {
      const search = await playSearch(createEvolveProposer({ space, seed }), seed);
      expect(trueScore(search)).toBeGreaterThan(3 * expectedReward(FAKE_H0));
      expect(
        search.iterations().filter(({ candidates, incumbent }) => candidates.includes(incumbent)).length,
      ).toBeGreaterThan(1);
    }
  });

  it("writes proposals that parse, differ from all others and say why", async () => {
    for (const seed of [2]) {
      const search = await playSearch(createEvolveProposer({ space, seed }), seed);
      const candidates = search.candidates();
      expect(candidates.length).toBe(19);
      expect(new Set(candidates.map(({ source }) => normaliseSource(source))).size).toBe(candidates.length);
      for (const candidate of candidates.slice(1)) {
        expect(candidate.status.kind).toBe("evaluated");
        expect(candidate.hypothesis).not.toBe("");
        expect(candidate.mechanisms.length).toBeGreaterThanOrEqual(1);
      }
    }
  });

  it("changes prompt text only when told so", async () => {
    const proposer = createEvolveProposer({ space, seed: 3, promptOnly: true });
    const search = await playSearch(proposer, 3, { promptOnlyBase: FAKE_H0 });
    for (const { source, status } of search.candidates()) {
      expect(isPromptOnlyEdit(FAKE_H0, source)).toBe(true);
      expect(status.kind).toBe("evaluated");
    }
  });

  it("goes on identically when a search is restored from its JSON", async () => {
    const whole = await playSearch(createEvolveProposer({ space, seed: 4 }), 4);
    for (const cut of [1, 3]) {
      const first = await playSearch(createEvolveProposer({ space, seed: 4 }), 4, { iterations: cut });
      const snapshot = readSnapshot(JSON.parse(JSON.stringify(first.snapshot())));
      const rest = await playSearch(createEvolveProposer({ space, seed: 4 }), 4, { snapshot });
      expect(JSON.stringify(rest.snapshot())).toBe(JSON.stringify(whole.snapshot()));
    }
  });

  it("spends an iteration with a ProposerError when nothing is left", async () => {
    const bare = { ...space, phrases: { SYSTEM_PROMPT: ["Go."] }, variants: [] };
    const proposer = createEvolveProposer({ space: bare, seed: 0, promptOnly: true });
    const search = createSearch({ incumbentSource: FAKE_H0, proposer, patience: { min: 0, patience: 2, max: 9 } });
    while (!search.stopped()) await playRound(search, 0);
    expect(search.iterations().length).toBe(9);
    expect(search.iterations().at(-1)?.failure).toContain("every mechanism");
    const view = { candidates: search.candidates(), incumbent: search.incumbent()!.name, iteration: 10, count: 3 };
    await expect(proposer.propose(view)).rejects.toThrow(ProposerError);
  });

  it("tries a good harness of a former phase again when the weights have changed", async () => {
    const first = await playSearch(createEvolveProposer({ space, seed: 5 }), 5);
    const memory = closePhase(EMPTY_MEMORY, first.candidates(), first.incumbent()!.name);
    expect(memory.former.length).toBeGreaterThan(0);
    expect(JSON.parse(JSON.stringify(memory))).toEqual(memory);
    const proposer = createEvolveProposer({ space, seed: 5, phase: 1, memory });
    const search = createSearch({ incumbentSource: first.incumbent()!.source, proposer });
    await playRound(search, 6);
    const proposed = await playRound(search, 6);
    expect(proposed.map(({ source }) => source)).toContain(memory.former[0]!.source);
  });

  it("favours mechanisms that address the commonest cause", async () => {
    const evaluation = { ...evaluateFake(FAKE_H0, 0), causes: { "tool error": 100 } };
    let addressed = 0;
    for (const seed of SEEDS) {
      const search = createSearch({ incumbentSource: FAKE_H0, proposer: createEvolveProposer({ space, seed }) });
      await search.ask();
      search.tell("h0", evaluation);
      const [first] = await search.ask();
      if (/mendCall|remind|fresh|raise|example/.test(first!.mechanisms[0]!)) addressed += 1;
    }
    expect(addressed).toBeGreaterThanOrEqual(7);
  });
});
