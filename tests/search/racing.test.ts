import { describe, expect, it } from "vitest";
import { createRng } from "../../src/base/rng.ts";
import { raceDecision } from "../../src/search/racing.ts";

const repeat = (count: number, value: number): number[] => Array.from({ length: count }, () => value);

describe("raceDecision", () => {
  it("continues inside a block, at equality and at the end", () => {
    expect(raceDecision(repeat(31, 0), repeat(256, 1)).kind).toBe("continue");
    expect(raceDecision(repeat(64, 1), repeat(256, 1)).kind).toBe("drop"); // a tie keeps the incumbent, which has all
    expect(raceDecision(repeat(64, 0), [...repeat(64, 0), ...repeat(192, 1)]).kind).toBe("drop");
    expect(raceDecision(repeat(64, 0), [...repeat(64, 0), ...repeat(192, 0.5)]).kind).toBe("continue");
    expect(raceDecision(repeat(256, 0), repeat(256, 1)).kind).toBe("continue");
  });

  it("drops what is surely worse, and what cannot win any more", () => {
    const incumbent = [...repeat(32, 1), ...repeat(224, 0)];
    expect(raceDecision(repeat(32, 0), incumbent)).toEqual({ kind: "drop", ground: "surely-worse", difference: -1 });
    expect(raceDecision(repeat(32, 1), repeat(64, 1))).toMatchObject({ ground: "cannot-win" });
  });

  it("rarely drops an equal candidate and mostly drops a bad one", () => {
    const dropped = (chance: number): number => {
      let drops = 0;
      for (let seed = 0; seed < 200; seed += 1) {
        const rng = createRng("race", seed);
        const incumbent = repeat(256, 0).map(() => (rng.uniform() < 0.5 ? 1 : 0));
        const rival = incumbent.map((reward) => {
          const own = rng.uniform() < chance ? 1 : 0;
          return rng.uniform() < 0.5 ? reward : own;
        });
        const looks = [32, 64, 96, 128, 160, 192, 224];
        if (looks.some((n) => raceDecision(rival.slice(0, n), incumbent).kind === "drop" && n <= 192)) drops += 1;
      }
      return drops / 200;
    };
    expect(dropped(0.5)).toBeLessThan(0.05);
    expect(dropped(0)).toBeGreaterThan(0.9);
  });

  it("throws when lengths or options are impossible", () => {
    expect(() => raceDecision([1, 1], [1])).toThrow(RangeError);
    expect(() => raceDecision([1], [1, 1], { block: 0 })).toThrow(RangeError);
    expect(() => raceDecision([1], [1, 1], { z: 0 })).toThrow(RangeError);
  });
});
