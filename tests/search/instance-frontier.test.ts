import { describe, expect, it } from "vitest";
import { createRng } from "../../src/base/rng.ts";
import { drawParent, instanceFrontier, selectPopulation } from "../../src/search/instance-frontier.ts";
import type { Scored } from "../../src/search/selection.ts";

function scored(name: string, rewards: readonly number[]): Scored {
  const evaluation = { rewards, meanTurns: 1, meanTokens: 1, causes: {}, traces: [] };
  const about = { source: name, parent: "", axis: "", hypothesis: "", mechanisms: [], iteration: 0 };
  return { ...about, name, status: { kind: "evaluated", evaluation } };
}

const names = (of: readonly { readonly candidate: Scored }[]): string[] => of.map(({ candidate }) => candidate.name);

describe("instanceFrontier", () => {
  it("keeps a candidate that is best on one instance, however low its mean", () => {
    const frontier = instanceFrontier([
      scored("a", [1, 1, 1, 0]),
      scored("b", [0, 0, 0, 1]),
      scored("c", [0, 0, 1, 0]),
    ]);
    expect(frontier.map(({ candidate, wins }) => [candidate.name, wins])).toEqual([
      ["a", 3],
      ["b", 1],
    ]);
  });

  it("keeps the better of two that win the same instances, and the earlier of equals", () => {
    expect(names(instanceFrontier([scored("a", [1, 0]), scored("b", [1, 0.5])]))).toEqual(["b"]);
    expect(names(instanceFrontier([scored("a", [1, 0]), scored("b", [1, 0])]))).toEqual(["a"]);
  });

  it("covers every instance with a best candidate", () => {
    const rng = createRng("frontier");
    for (let round = 0; round < 50; round += 1) {
      const pool = Array.from({ length: 6 }, (_, i) =>
        scored(
          `h${String(i)}`,
          Array.from({ length: 8 }, () => rng.int(2)),
        ),
      );
      const frontier = instanceFrontier(pool).map(({ candidate }) => candidate.status.evaluation.rewards);
      for (let instance = 0; instance < 8; instance += 1) {
        const most = Math.max(...pool.map(({ status }) => status.evaluation.rewards[instance] ?? 0));
        expect(frontier.some((rewards) => rewards[instance] === most)).toBe(true);
      }
    }
  });
});

describe("drawParent", () => {
  it("draws in proportion to wins", () => {
    const frontier = instanceFrontier([scored("a", [1, 1, 1, 0]), scored("b", [0, 0, 0, 1])]);
    const rng = createRng("draws");
    const drawn = Array.from({ length: 2000 }, () => drawParent(frontier, rng).name);
    expect(drawn.filter((name) => name === "a").length / drawn.length).toBeCloseTo(0.75, 1);
    expect(() => drawParent([], rng)).toThrow(RangeError);
  });
});

describe("selectPopulation", () => {
  const pool = [
    scored("a", [1, 1, 0, 0]),
    scored("b", [0, 0, 0, 1]),
    scored("c", [1, 0, 1, 0]),
    scored("d", [0, 1, 0, 0]),
  ];

  it("takes the frontier by mean reward first and fills up with the best of the others", () => {
    expect(selectPopulation(pool, 2).map(({ name }) => name)).toEqual(["a", "c"]);
    expect(selectPopulation(pool, 4).map(({ name }) => name)).toEqual(["a", "c", "b", "d"]);
  });

  it("is smaller only where fewer have been scored", () => {
    expect(selectPopulation(pool.slice(0, 1), 4).map(({ name }) => name)).toEqual(["a"]);
  });
});
