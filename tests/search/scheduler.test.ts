import { describe, expect, it } from "vitest";
import { HarnessError, ProposerError, StoreError } from "../../src/base/errors.ts";
import type { Evaluation, Proposal, Proposer, SearchView } from "../../src/search/candidate.ts";
import { reportPhase } from "../../src/search/report.ts";
import { createSearch, readSnapshot } from "../../src/search/scheduler.ts";
import { paretoFrontier } from "../../src/search/selection.ts";

const H0 = `const TEXT = "0";\nexport async function solve() { return TEXT; }\n`;
const sourceOf = (text: string): string => H0.replace('"0"', JSON.stringify(text));

/** Proposes the sources given for each iteration; throws where a text stands instead. */
function scripted(...script: readonly (readonly string[] | string)[]): Proposer & { readonly views: SearchView[] } {
  const views: SearchView[] = [];
  const propose = (view: SearchView): Proposal[] => {
    views.push(view);
    const step = script[view.iteration - 1] ?? [];
    if (typeof step === "string") throw new ProposerError(step);
    const rest = { parent: view.incumbent, axis: "prompt text", hypothesis: "It helps.", mechanisms: ["m"] };
    return step.map((source) => ({ ...rest, source }));
  };
  return {
    name: "scripted",
    views,
    propose: (view) => Promise.resolve().then(() => propose(view)),
    tokensUsed: () => 0,
  };
}

const scored = (rewards: readonly number[], meanTurns = 2, meanTokens = 20): Evaluation => ({
  rewards,
  meanTurns,
  meanTokens,
  causes: {},
  traces: [],
});

async function started(proposer: Proposer, rewards: readonly number[] = [1, 0, 0, 0], options = {}) {
  const search = createSearch({ incumbentSource: H0, proposer, ...options });
  expect((await search.ask()).map(({ name }) => name)).toEqual(["h0"]);
  search.tell("h0", scored(rewards));
  return search;
}

describe("createSearch", () => {
  it("asks for h0 first, then for what the proposer writes, and picks the best", async () => {
    const proposer = scripted(["a", "b", "c", "too many"].map(sourceOf));
    const search = await started(proposer);
    const asked = await search.ask();
    expect(asked.map(({ name, iteration }) => [name, iteration])).toEqual([
      ["h1", 1],
      ["h2", 1],
      ["h3", 1],
    ]);
    expect(proposer.views[0]).toMatchObject({ incumbent: "h0", iteration: 1, count: 3 });
    search.tell("h2", scored([1, 1, 1, 0]));
    search.tell("h1", scored([1, 1, 0, 0]));
    search.refuse("h3", "smoke", "threw");
    expect(search.incumbent()?.name).toBe("h2");
    expect(search.iterations()).toEqual([
      { iteration: 1, candidates: ["h1", "h2", "h3"], failure: "", incumbent: "h2" },
    ]);
    expect(search.candidates()[3]?.status).toEqual({ kind: "refused", check: "smoke", reason: "threw" });
  });

  it("keeps the incumbent on ties, then prefers fewer turns, then fewer tokens", async () => {
    const search = await started(scripted(["a", "b", "c"].map(sourceOf), ["d"].map(sourceOf)));
    await search.ask();
    search.tell("h1", scored([0, 1, 0, 0], 1, 1));
    search.tell("h2", scored([0, 0, 1, 0], 1, 1));
    search.tell("h3", scored([0, 0, 0, 1], 1, 1));
    expect(search.incumbent()?.name).toBe("h0");
    await search.ask();
    search.tell("h4", scored([1, 1, 0, 0]));
    expect(search.incumbent()?.name).toBe("h4");
  });

  it("breaks ties among challengers by turns, then tokens", async () => {
    const search = await started(scripted(["a", "b", "c"].map(sourceOf)));
    await search.ask();
    search.tell("h1", scored([0, 1, 1, 0], 2, 10));
    search.tell("h2", scored([1, 0, 1, 0], 1, 30));
    search.tell("h3", scored([1, 1, 0, 0], 1, 20));
    expect(search.incumbent()?.name).toBe("h3");
    expect(paretoFrontier(search.candidates()).map(({ name }) => name)).toEqual(["h2", "h3"]);
  });

  it("never lets a candidate win that racing dropped", async () => {
    const search = await started(scripted([sourceOf("a")]));
    await search.ask();
    search.tell("h1", scored([1, 1]));
    expect(search.incumbent()?.name).toBe("h0");
  });

  it("refuses by itself what does not parse, is a duplicate, or breaks the prompt-only rule", async () => {
    const sources = ["export function (", `${H0}// the same`, `${H0}let more;`];
    const search = await started(scripted(sources, [sourceOf("a"), sourceOf("a")]), [1, 0], { promptOnlyBase: H0 });
    expect(await search.ask()).toEqual([]);
    const checks = search.candidates().map(({ status }) => (status.kind === "refused" ? status.check : status.kind));
    expect(checks).toEqual(["evaluated", "syntax", "duplicate", "prompt-only"]);
    expect((await search.ask()).map(({ name }) => name)).toEqual(["h4"]);
    expect(search.candidates()[5]?.status).toMatchObject({ check: "duplicate", reason: "same program as h4" });
  });

  it("spends and records an iteration whose proposer fails", async () => {
    const search = await started(scripted("no idea", [], [sourceOf("a")]));
    expect(await search.ask()).toEqual([]);
    expect(await search.ask()).toEqual([]);
    expect(search.iterations().map(({ failure }) => failure)).toEqual(["no idea", "scripted: no proposal"]);
    expect((await search.ask()).map(({ iteration }) => iteration)).toEqual([3]);
  });

  it("passes on errors that are not a proposer's", async () => {
    const broken = { ...scripted(), propose: () => Promise.reject(new RangeError("a bug")) };
    const search = await started(broken);
    await expect(search.ask()).rejects.toThrow(RangeError);
  });

  it("throws when asked out of turn, told twice, or when h0 is refused", async () => {
    const search = createSearch({ incumbentSource: H0, proposer: scripted([sourceOf("a")]) });
    await search.ask();
    await expect(search.ask()).rejects.toThrow(TypeError);
    expect(() => search.snapshot()).toThrow(TypeError);
    expect(() => {
      search.refuse("h0", "smoke", "threw");
    }).toThrow(HarnessError);
    search.tell("h0", scored([0]));
    expect(() => {
      search.tell("h0", scored([1]));
    }).toThrow(RangeError);
    expect(() => reportPhase(createSearch({ incumbentSource: H0, proposer: scripted() }), 0)).toThrow(TypeError);
  });

  it("stops at the last iteration, by patience, or with a perfect incumbent", async () => {
    const search = await started(scripted(["a"].map(sourceOf), ["b"].map(sourceOf), ["c"].map(sourceOf)), [0, 0], {
      patience: { min: 1, patience: 2, max: 9 },
    });
    for (const [name, rewards] of [
      ["h1", [1, 0]],
      ["h2", [1, 0]],
    ] as const) {
      await search.ask();
      search.tell(name, scored(rewards));
      expect(search.stopped()).toBeUndefined();
    }
    await search.ask();
    search.tell("h3", scored([0, 0]));
    expect(search.stopped()).toBe("patience");
    expect(await search.ask()).toEqual([]);
    expect((await started(scripted(), [1, 1])).stopped()).toBe("perfect");
  });

  it("goes on from a snapshot", async () => {
    const script = [[sourceOf("a")], [sourceOf("b"), sourceOf("a")]];
    const search = await started(scripted(...script));
    await search.ask();
    search.tell("h1", scored([1, 1, 0, 0]));
    const snapshot = readSnapshot(JSON.parse(JSON.stringify(search.snapshot())));
    const resumed = createSearch({ incumbentSource: H0, proposer: scripted(...script), snapshot });
    expect(resumed.incumbent()?.name).toBe("h1");
    expect((await resumed.ask()).map(({ name, iteration }) => [name, iteration])).toEqual([["h2", 2]]);
    expect(resumed.candidates()[3]?.status).toMatchObject({ check: "duplicate" });
    resumed.tell("h2", scored([0, 0, 0, 0]));
    expect(resumed.snapshot().patience).toEqual({ iteration: 2, best: 0.5, bestIteration: 1 });
  });

  it("readSnapshot throws when the version or a part is missing", () => {
    expect(() => readSnapshot({ version: 99 })).toThrow(StoreError);
    expect(() => readSnapshot({ version: 1, candidates: [] })).toThrow(StoreError);
    expect(() => readSnapshot(null)).toThrow(StoreError);
  });
});

describe("reportPhase", () => {
  it("gives the paired difference and the number of candidates behind the winner", async () => {
    const rewards = Array.from({ length: 40 }, (_, i) => (i % 4 === 0 ? 1 : 0));
    const better = rewards.map((reward, i) => (i % 4 === 1 ? 1 : reward));
    const search = await started(scripted(["a", "b", "c"].map(sourceOf)), rewards);
    expect(reportPhase(search, 0)).toMatchObject({ difference: undefined, bestOf: 1, score: 0.25 });
    await search.ask();
    search.tell("h1", scored(better));
    search.refuse("h2", "null-model", "above chance");
    search.tell("h3", scored(rewards.slice(0, 32)));
    const report = reportPhase(search, 0);
    expect(report).toMatchObject({ score: 0.5, baseScore: 0.25, bestOf: 3, iterations: 1 });
    expect(report.counts).toEqual({ proposed: 3, refused: 1, evaluated: 2 });
    expect(report.difference).toMatchObject({ tasks: 40, difference: 0.25 });
    expect(report.difference!.low).toBeGreaterThan(0);
    expect(reportPhase(search, 0)).toEqual(report);
  });
});
