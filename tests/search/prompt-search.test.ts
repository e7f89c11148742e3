import { describe, expect, it } from "vitest";
import { ProposerError, StoreError } from "../../src/base/errors.ts";
import type { Evaluation, Proposer } from "../../src/search/candidate.ts";
import { createPromptSearch, readPromptSnapshot, type PromptSearch } from "../../src/search/prompt-search.ts";

const H0 = `export const USER_PROMPT = "Go {question}";
export async function solve(task, env) {
  const reply = await env.chat([{ role: "user", content: USER_PROMPT }]);
  return reply.text;
}
`;

/** Writes a new prompt each time. */
const proposer: Proposer = {
  name: "counting",
  tokensUsed: () => 0,
  propose: ({ incumbent, iteration }) =>
    Promise.resolve([
      {
        source: H0.replace("Go", `Go ${String(iteration)}`),
        parent: incumbent,
        axis: "prompt",
        hypothesis: "a number helps",
        mechanisms: ["count"],
      },
    ]),
};

const evaluation = (rewards: readonly number[]): Evaluation => ({
  rewards,
  meanTurns: 1,
  meanTokens: 1,
  causes: {},
  traces: [],
});

type Options = Partial<Parameters<typeof createPromptSearch>[0]>;

function open(options: Options = {}): PromptSearch {
  return createPromptSearch({
    population: [H0],
    proposer,
    promptOnlyBase: H0,
    instances: 6,
    minibatch: 3,
    budget: 30,
    keys: ["test"],
    ...options,
  });
}

function scoreIncoming(search: PromptSearch): void {
  for (const { name } of search.incoming()) search.tell(name, evaluation([1, 0, 0, 0, 0, 0]));
}

describe("createPromptSearch", () => {
  it("scores what comes in first, then tries one child at a time on a minibatch", async () => {
    const search = open({ population: [H0, H0.replace("Go", "Come")] });
    expect(search.incoming().map(({ name }) => name)).toEqual(["h0", "h1"]);
    scoreIncoming(search);
    expect(search.incoming()).toEqual([]);
    const trial = await search.propose();
    expect(trial?.candidate.name).toBe("h2");
    expect(trial?.parent.name).toBe("h0");
    expect(new Set(trial?.minibatch).size).toBe(3);
    expect(search.meet("h2", { child: [1, 1, 0], parent: [1, 0, 0] })).toBe(true);
    search.tell("h2", evaluation([0, 1, 1, 0, 0, 0]));
    expect(search.best()?.name).toBe("h2");
    expect(search.population(2).map(({ name }) => name)).toEqual(["h2", "h0"]);
    // Two minibatches and one pass; the population that came in is not counted.
    expect(search.snapshot().spent).toBe(6 + 6);
  });

  it("refuses a child that is no better on the minibatch", async () => {
    const search = open();
    scoreIncoming(search);
    await search.propose();
    expect(search.meet("h1", { child: [1, 0, 0], parent: [0, 0, 1] })).toBe(false);
    expect(search.candidates()[1]?.status).toEqual({
      kind: "refused",
      check: "minibatch",
      reason: "1 of 3 solved, its parent 1",
    });
  });

  it("stops before the budget could be passed", async () => {
    const search = open();
    scoreIncoming(search);
    let rounds = 0;
    while (search.stopped() === undefined) {
      const trial = await search.propose();
      search.meet(trial?.candidate.name ?? "", { child: [0, 0, 0], parent: [0, 0, 0] });
      rounds += 1;
    }
    expect(search.stopped()).toBe("budget");
    // 30 - 6 for a full evaluation leave four meetings of 6.
    expect(rounds).toBe(4);
  });

  it("gives each task of the anchor set its turn in minibatches", async () => {
    const search = open({ budget: 1000 });
    scoreIncoming(search);
    const met: number[] = [];
    for (let i = 0; i < 2; i += 1) {
      const trial = await search.propose();
      met.push(...(trial?.minibatch ?? []));
      search.refuse(trial?.candidate.name ?? "", "test", "not played");
    }
    expect(met.sort()).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it("ends when the proposer has had nothing for ten iterations, and when everything is solved", async () => {
    const dry: Proposer = { ...proposer, propose: () => Promise.reject(new ProposerError("dry: nothing")) };
    const search = open({ proposer: dry });
    scoreIncoming(search);
    for (let i = 0; i < 10; i += 1) {
      expect(search.stopped()).toBeUndefined();
      expect(await search.propose()).toBeUndefined();
    }
    expect(search.stopped()).toBe("barren");
    expect(search.snapshot().failure).toBe("dry: nothing");
    const solved = open();
    solved.tell("h0", evaluation([1, 1, 1, 1, 1, 1]));
    expect(solved.stopped()).toBe("perfect");
  });

  it("refuses what changes more than prompt text, and what was proposed before", async () => {
    const sources = [H0.replace("reply.text", "'4'"), H0.replace("Go", "Run"), `// again\n${H0.replace("Go", "Run")}`];
    const listed: Proposer = {
      ...proposer,
      propose: async (view) =>
        (await proposer.propose(view)).map((one) => ({ ...one, source: sources[view.iteration - 1] ?? "" })),
    };
    const search = open({ proposer: listed });
    scoreIncoming(search);
    expect(await search.propose()).toBeUndefined();
    expect(await search.propose()).toBeDefined();
    search.refuse("h2", "test", "not played");
    expect(await search.propose()).toBeUndefined();
    const checks = search.candidates().map(({ status }) => (status.kind === "refused" ? status.check : ""));
    expect(checks).toEqual(["", "prompt-only", "test", "duplicate"]);
  });

  it("goes on identically when it is restored from its JSON", async () => {
    const play = async (search: PromptSearch, rounds: number): Promise<void> => {
      for (let i = 0; i < rounds; i += 1) {
        const trial = await search.propose();
        const name = trial?.candidate.name ?? "";
        const won = (trial?.candidate.iteration ?? 0) % 2 === 0;
        if (search.meet(name, { child: [won ? 1 : 0, 0, 0], parent: [0, 0, 0] }))
          search.tell(name, evaluation([0, 1, 0, 1, 0, 0]));
      }
    };
    const whole = open({ budget: 1000 });
    scoreIncoming(whole);
    await play(whole, 6);
    const first = open({ budget: 1000 });
    scoreIncoming(first);
    await play(first, 3);
    const snapshot = readPromptSnapshot(JSON.parse(JSON.stringify(first.snapshot())));
    const rest = open({ budget: 1000, snapshot });
    await play(rest, 3);
    expect(JSON.stringify(rest.snapshot())).toBe(JSON.stringify(whole.snapshot()));
    expect(() => readPromptSnapshot({ ...snapshot, version: 9 })).toThrow(StoreError);
  });
});
