import { describe, expect, test } from "vitest";
import { hashJson } from "../../src/base/hash.ts";
import { checkData, type DataCheck } from "../../src/evaluation/data-check.ts";
import { SeenTasks } from "../../src/evaluation/seen-tasks.ts";
import type { Domain, Task, TaskRow } from "../../src/rollout/domain.ts";
import { createDirectSandbox } from "../support/direct-sandbox.ts";
import { SUM_DOMAIN } from "../support/sum-domain.ts";

const SIZES = { weight: 2, harness: 1, validation: 1, test: 1 };
const FILE = { name: "rows", chunks: async function* () {} };

function task(question: string, gold: string): Task {
  return { id: hashJson({ question }), view: { question }, gold, source: "rows" };
}

function withRows(rows: readonly (Task | string)[], changes: Partial<Domain> = {}): Domain {
  const domain: Domain = {
    ...SUM_DOMAIN,
    read: async function* (): AsyncGenerator<TaskRow> {
      for (const [i, row] of rows.entries())
        yield await Promise.resolve(
          typeof row === "string" ? { number: i + 1, skip: row } : { number: i + 1, task: row },
        );
    },
    load: async (options) => ({ ...(await SUM_DOMAIN.load(options)), domain }),
    ...changes,
  };
  return domain;
}

function check(domain: Domain): Promise<DataCheck> {
  return checkData(domain, { seed: 0, sizes: SIZES, data: FILE, sandbox: createDirectSandbox() });
}

describe("checkData", () => {
  test("counts rows, repeats and rows that could not be read", async () => {
    const rows = [task("1+1", "2"), "no question", task("1+1", "2"), task("2+2", "4"), "no question"];
    expect(await check(withRows(rows))).toMatchObject({
      rows: 5,
      loaded: 2,
      goldAccepted: 2,
      corruptedRefused: 2,
      skipped: [
        { reason: "no question", count: 2, first: "row 2" },
        { reason: "repeats an earlier row", count: 1, first: "row 3" },
      ],
    });
  });

  test("counts rows that have the name of another row and keeps them", async () => {
    const names = ["a", "b", "a", "a", undefined];
    const domain = withRows([], {
      read: async function* (): AsyncGenerator<TaskRow> {
        for (const [i, name] of names.entries()) {
          // The last row with a name repeats the first one altogether, which is another fault.
          const sum = task(i === 3 ? "0+0" : `${String(i)}+0`, i === 3 ? "0" : String(i));
          yield await Promise.resolve({ number: i + 1, task: sum, ...(name !== undefined && { name }) });
        }
      },
    });
    expect(await check(domain)).toMatchObject({
      rows: 5,
      loaded: 4,
      repeatedNames: { count: 1, first: "row 3" },
      skipped: [{ reason: "repeats an earlier row", count: 1, first: "row 4" }],
    });
  });

  test("takes back a task whose rows disagree about the answer", async () => {
    const rows = [task("1+1", "2"), task("1+1", "3"), task("1+1", "3"), task("2+2", "4")];
    const { loaded, goldAccepted, skipped } = await check(withRows(rows));
    expect({ loaded, goldAccepted }).toEqual({ loaded: 1, goldAccepted: 1 });
    expect(skipped).toEqual([
      { reason: "repeats a question with another answer: decide which is right", count: 3, first: "row 2" },
    ]);
  });

  test("names the first answer that is judged wrongly", async () => {
    const rows = [task("1+1", "2"), task("2+2", "5"), task("3+3", "6")];
    const careless = withRows(rows, {
      playAnswer: ({ gold }, answer) =>
        Promise.resolve({ reward: gold === "5" ? (answer === "gold" ? 0 : 1) : answer === "gold" ? 1 : 0, reason: "" }),
    });
    expect(
      await check({ ...careless, load: (o) => SUM_DOMAIN.load(o).then((l) => ({ ...l, domain: careless })) }),
    ).toMatchObject({
      goldAccepted: 2,
      corruptedRefused: 2,
      goldRefused: { count: 1, first: "row 2" },
      corruptedAccepted: { count: 1, first: "row 2" },
    });
  });

  test("names splits by the hash of their sorted ids and says whether they are disjoint", async () => {
    const { splits, disjoint } = await check(withRows([task("1+1", "2")]));
    expect(disjoint).toBe(true);
    const { tasks } = await SUM_DOMAIN.load({ seed: 0, sizes: SIZES });
    expect(splits.weight).toEqual({
      wanted: 2,
      size: 2,
      hash: hashJson(tasks.weight.map(({ id }) => id).toSorted()),
    });
    const same = { ...tasks, test: tasks.weight };
    const overlapping = withRows([task("1+1", "2")], {
      load: () => Promise.resolve({ tasks: same, skipped: [], domain: SUM_DOMAIN }),
    });
    expect((await check(overlapping)).disjoint).toBe(false);
  });

  test("keeps what only loading can see, such as passages without text", async () => {
    const skipped = [{ reason: "passage without text", count: 3, first: "row 9" }];
    const domain = withRows([task("1+1", "2")]);
    const loading: Domain = { ...domain, load: async (o) => ({ ...(await SUM_DOMAIN.load(o)), skipped, domain }) };
    expect((await check(loading)).skipped).toEqual(skipped);
  });
});

describe("SeenTasks", () => {
  test("tells tasks apart and remembers gold and flags", () => {
    const seen = new SeenTasks(64);
    const ids = Array.from({ length: 64 }, (_, i) => hashJson({ i }));
    for (const [i, id] of ids.entries()) {
      expect(seen.find(id)).toBeUndefined();
      seen.add(id, hashJson(i), i);
    }
    for (const [i, id] of ids.entries()) {
      const place = seen.find(id) ?? -1;
      expect(seen.flags(place)).toBe(i);
      expect(seen.hasGold(place, hashJson(i))).toBe(true);
      expect(seen.hasGold(place, hashJson("other"))).toBe(false);
    }
    expect(seen.isFull).toBe(false);
  });

  test("takes no more when it is full, and says so", () => {
    const seen = new SeenTasks(2);
    for (const id of ["a", "b", "c"]) seen.add(hashJson(id), hashJson(0), 0);
    expect(seen.isFull).toBe(true);
    expect(seen.find(hashJson("c"))).toBeUndefined();
    expect(seen.find(hashJson("a"))).toBeDefined();
  });
});
