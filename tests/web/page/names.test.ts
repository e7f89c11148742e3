/** What runs are called on the page. */
import { describe, expect, test } from "vitest";
import { describeExperiment, runTitle, splitTitle } from "../../../web/page/model/names.ts";

const run = { domain: "chess-puzzles", condition: "whale", preset: "smoke", seed: 3 };

describe("runTitle", () => {
  test("says the settings in words when nobody named the run", () => {
    const title = runTitle({ ...run, title: "chess-puzzles, whale, smoke, seed 3" });
    expect(title).toBe("Chess puzzles, both in turns, smoke, seed 3");
    expect(describeExperiment(run)).toBe(title);
  });

  test("keeps a name that was given", () => {
    expect(runTitle({ ...run, title: "chess, my first" })).toBe("chess, my first");
  });

  test("keeps names that it does not know", () => {
    expect(describeExperiment({ ...run, domain: "go", condition: "other" })).toBe("go, other, smoke, seed 3");
  });
});

describe("splitTitle", () => {
  test("puts size and seed on a line of their own, unless the user named the run", () => {
    const title = "chess-puzzles, whale, smoke, seed 3";
    expect(splitTitle({ ...run, title })).toEqual(["Chess puzzles, both in turns", "smoke, seed 3"]);
    expect(splitTitle({ ...run, title: "mine" })).toEqual(["mine", ""]);
  });
});
