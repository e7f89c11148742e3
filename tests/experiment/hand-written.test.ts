import { describe, expect, test } from "vitest";
import { ProposerError } from "../../src/base/errors.ts";
import type { ProposerContext, ProposerFactory } from "../../src/experiment/context.ts";
import { HAND_AXIS, submitHandWritten, withHandWritten } from "../../src/experiment/hand-written.ts";
import type { Proposal, SearchView } from "../../src/search/candidate.ts";
import { createMemoryStore } from "../../src/store/memory-store.ts";
import { createRun, type RunStore } from "../../src/store/run-store.ts";

const CONTEXT = { phase: 1 } as ProposerContext;
const view = (iteration: number, count = 3): SearchView => ({ candidates: [], incumbent: "h0", iteration, count });

const offline: ProposerFactory = () => ({
  name: "offline",
  propose: ({ count }) =>
    Promise.resolve(
      Array.from({ length: count }, (_, i): Proposal => {
        return { source: `offline ${String(i)}`, parent: "h0", axis: "x", hypothesis: "", mechanisms: ["m"] };
      }),
    ),
  tokensUsed: () => 0,
});

const exhausted: ProposerFactory = (context) => ({
  ...offline(context),
  propose: () => Promise.reject(new ProposerError("nothing left")),
});

function newStore(): Promise<RunStore> {
  return createRun(createMemoryStore(), { name: "run", config: {} });
}

const sources = (proposals: readonly Proposal[]): string[] => proposals.map(({ source }) => source);

describe("withHandWritten", () => {
  test("proposes what the inner proposer does when nothing waits", async () => {
    const proposer = withHandWritten(offline, await newStore())(CONTEXT);
    expect(sources(await proposer.propose(view(1)))).toEqual(["offline 0", "offline 1", "offline 2"]);
  });

  test("puts what waits first, once, when a round begins", async () => {
    const store = await newStore();
    expect(await submitHandWritten(store, { source: "mine", hypothesis: "because" })).toBe(1);
    const proposer = withHandWritten(offline, store)(CONTEXT);
    const [first, ...rest] = await proposer.propose(view(1));
    expect(first).toEqual({ source: "mine", hypothesis: "because", parent: "h0", axis: HAND_AXIS, mechanisms: [] });
    expect(sources(rest)).toEqual(["offline 0", "offline 1"]);
    expect(sources(await proposer.propose(view(2)))).toEqual(["offline 0", "offline 1", "offline 2"]);
  });

  test("proposes the same again when a killed run plays the round again", async () => {
    const store = await newStore();
    await submitHandWritten(store, { source: "mine", hypothesis: "" });
    const before = await withHandWritten(offline, store)(CONTEXT).propose(view(1));
    await submitHandWritten(store, { source: "later", hypothesis: "" });
    expect(await withHandWritten(offline, store)(CONTEXT).propose(view(1))).toEqual(before);
    expect(sources(await withHandWritten(offline, store)(CONTEXT).propose(view(2)))[0]).toBe("later");
  });

  test("leaves what does not fit a round for the next", async () => {
    const store = await newStore();
    for (const source of ["a", "b", "c"]) await submitHandWritten(store, { source, hypothesis: "" });
    const proposer = withHandWritten(exhausted, store)(CONTEXT);
    expect(sources(await proposer.propose(view(1, 2)))).toEqual(["a", "b"]);
    expect(sources(await proposer.propose(view(2, 2)))).toEqual(["c"]);
    await expect(proposer.propose(view(3, 2))).rejects.toThrow(ProposerError);
  });
});
