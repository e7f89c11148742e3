import { describe, expect, test } from "vitest";
import { describeReading, LATE, type ReadingState } from "../../../web/page/model/reading.ts";
import type { RunView } from "../../../web/page/model/run-view.ts";

const CONFIG = {} as NonNullable<RunView["config"]>;
const IDLE: ReadingState = {
  view: { config: CONFIG, isComplete: false },
  recorded: "",
  groups: [],
  group: "",
  listing: { kind: "none" },
};

describe("describeReading", () => {
  test("says why nothing can be read when the list could not be read", () => {
    const words = describeReading({ ...IDLE, group: "g", listing: { kind: "failed", why: "The worker has ended." } });
    expect(words).toContain("could not be read: The worker has ended.");
    expect(words).not.toContain("Reading");
  });

  test("says why it takes so long when it is late", () => {
    expect(describeReading({ ...IDLE, group: "g", listing: { kind: "reading", isLate: false } })).toContain("Reading");
    expect(describeReading({ ...IDLE, group: "g", listing: { kind: "reading", isLate: true } })).toBe(LATE);
  });

  test("never says that something is read when nothing is", () => {
    const cases: readonly Partial<ReadingState>[] = [
      {},
      { view: { config: undefined, isComplete: false } },
      { view: { config: CONFIG, isComplete: true } },
      { groups: [{ group: "g" }] },
      { groups: [{ group: "g" }], group: "g", listing: { kind: "read", count: 0 } },
      { recorded: "a run" },
    ];
    const words = cases.map((change) => describeReading({ ...IDLE, ...change }));
    expect(words.filter((text) => text === "" || text.startsWith("Reading"))).toEqual([]);
    expect(new Set(words).size).toBe(5);
  });
});
