import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StoreError } from "../../src/base/errors.ts";
import { CONDITIONS } from "../../src/experiment/conditions.ts";
import { createFsBlobStore } from "../../src/platform/node/fs-blob-store.ts";
import { parseCommandLine } from "../../src/cli/args.ts";
import { chooseConditions, parseNames, parseSeeds, planCells, type Cell } from "../../src/cli/sweep/cells.ts";
import { runCommandLine } from "../../src/cli/dispatch.ts";
import { concludeSweep } from "../../src/cli/sweep/conclude.ts";
import { cellCommand, needOf, type CellNeed } from "../../src/cli/sweep/play.ts";
import {
  describeSweep,
  readSeconds,
  startRecord,
  writeSweep,
  type CellRecord,
  type CellStatus,
} from "../../src/cli/sweep/record.ts";
import { runCells } from "../../src/cli/sweep/run-cells.ts";
import { UsageError } from "../../src/cli/usage.ts";
import { createRun } from "../../src/store/run-store.ts";
import { fakeTerminal } from "../support/fake-terminal.ts";
import { writeSyntheticRun } from "../support/synthetic-run.ts";

const REQUEST = {
  domains: ["math-reasoning"],
  conditions: ["whale", "fst-native"],
  schedules: [],
  seeds: [0, 1],
  model: "tiny",
  preset: "smoke",
  settings: { "tasks.test": 5 },
};

describe("planCells", () => {
  it("has every combination, seed by seed, with the settings of all", () => {
    const cells = planCells({ ...REQUEST, domains: ["math-reasoning", "search-qa"] });
    expect(cells.map(({ name }) => name)).toEqual([
      "math-reasoning-whale-s0",
      "math-reasoning-fst-native-s0",
      "search-qa-whale-s0",
      "search-qa-fst-native-s0",
      "math-reasoning-whale-s1",
      "math-reasoning-fst-native-s1",
      "search-qa-whale-s1",
      "search-qa-fst-native-s1",
    ]);
    expect(cells.every(({ config }) => config.tasks.test === 5)).toBe(true);
  });

  it("names schedules by E and I and gives each its own lengths", () => {
    const { schedules } = chooseConditions(undefined, true);
    const cells = planCells({ ...REQUEST, preset: "full", conditions: [], schedules, seeds: [3] });
    expect(
      cells.map(({ variant, config }) => [variant, config.schedule.phaseSteps, config.schedule.iterations]),
    ).toEqual([
      ["whale-e0.2-i2", 14, 2],
      ["whale-e0.2-i6", 14, 6],
      ["whale-e0.6-i2", 42, 2],
      ["whale-e0.6-i6", 42, 6],
      ["whale-e1-i10", 70, 10],
    ]);
  });

  it("gives `run` a command line that means the same config", () => {
    const { schedules } = chooseConditions(undefined, true);
    const [cell] = planCells({ ...REQUEST, conditions: [], schedules }) as [Cell];
    const options = { device: "cpu", threads: 1, signal: new AbortController().signal };
    const words = cellCommand({ cell, folder: "x/y", need: "run" }, options);
    const invocation = parseCommandLine(words);
    expect(invocation).toMatchObject({ kind: "command", command: "run" });
    if (invocation.kind !== "command") return;
    expect(invocation.args.text("condition")).toBe("whale");
    expect(invocation.args.text("out")).toBe("x/y");
    expect(invocation.args.integer("threads")).toBe(1);
    expect(invocation.args.list("set")).toContain(`schedule.phaseSteps=${String(cell.config.schedule.phaseSteps)}`);
    expect(parseCommandLine(cellCommand({ cell, folder: "x/y", need: "resume" }, options))).toMatchObject({
      command: "resume",
    });
  });
});

describe("chooseConditions", () => {
  it("takes all conditions, those that are given, or schedules alone", () => {
    expect(chooseConditions(undefined, false).conditions).toEqual(CONDITIONS);
    expect(chooseConditions("whale, fst", false).conditions).toEqual(["whale", "fst"]);
    expect(chooseConditions(undefined, true)).toMatchObject({ conditions: [], schedules: { length: 5 } });
    expect(chooseConditions("adaptive", true)).toMatchObject({ conditions: ["adaptive"], schedules: { length: 5 } });
    expect(() => chooseConditions("wale", false)).toThrow(/did you mean "whale"/);
    expect(() => parseNames("a,a", "domain", ["a"])).toThrow(UsageError);
  });
});

describe("parseSeeds", () => {
  it("reads numbers and ranges", () => {
    expect(parseSeeds("0-4")).toEqual([0, 1, 2, 3, 4]);
    expect(parseSeeds("0, 2,5-7")).toEqual([0, 2, 5, 6, 7]);
  });

  it.each(["", "4-0", "a", "-1", "1.5", "0-99999", "1,1", "0-2,2"])("refuses %j", (text) => {
    expect(() => parseSeeds(text)).toThrow(UsageError);
  });
});

describe("needOf", () => {
  let out = "";
  beforeEach(() => {
    out = mkdtempSync(join(tmpdir(), "spyhop-sweep-"));
  });
  afterEach(() => {
    rmSync(out, { recursive: true, force: true });
  });

  it("starts, resumes or skips a run by what its folder holds", async () => {
    const [cell] = planCells(REQUEST) as [Cell];
    const folder = join(out, cell.name);
    expect(await needOf(cell, folder)).toBe("run");
    const store = await createRun(createFsBlobStore(folder), { name: folder, config: cell.config });
    expect(await needOf(cell, folder)).toBe("resume");
    await store.finish({ schema: 1 });
    expect(await needOf(cell, folder)).toBe("nothing");
  });

  it("refuses a folder with a run of other settings, or with something else", async () => {
    const [cell, other] = planCells(REQUEST) as [Cell, Cell];
    const folder = join(out, cell.name);
    await createRun(createFsBlobStore(folder), { name: folder, config: other.config });
    await expect(needOf(cell, folder)).rejects.toThrow(/holds a run with condition "fst-native" instead of "whale"/);
    await createFsBlobStore(join(out, "b")).write("note.txt", Uint8Array.of(1));
    await expect(needOf(cell, join(out, "b"))).rejects.toThrow(/no run here/);
  });

  it("adds up the seconds of earlier sweeps", async () => {
    const [cell] = planCells(REQUEST) as [Cell];
    expect(await readSeconds(out)).toEqual(new Map());
    await writeSweep(out, describeSweep("smoke", 1, [{ ...startRecord(cell, out, 0), seconds: 12.5 }]));
    expect(await readSeconds(out)).toEqual(new Map([[cell.name, 12.5]]));
  });
});

type Fate = CellNeed | "fails" | "other";

/** Plays cells that meet the given fates; each takes a second of a clock of its own. */
async function play(fates: readonly Fate[], options: { readonly jobs?: number; readonly stopAt?: number } = {}) {
  const cells = planCells({ ...REQUEST, conditions: ["whale"], seeds: fates.map((_, seed) => seed) });
  const stop = new AbortController();
  const [lines, played, saves]: [string[], string[], string[][]] = [[], [], []];
  let now = 0;
  let most = 0;
  let running = 0;
  let isSaving = false;
  const records = await runCells(
    cells.map((cell) => ({ cell, record: startRecord(cell, "out", 0) })),
    {
      need: ({ config }) => {
        const fate = fates[config.seed] as Fate;
        if (fate === "other") return Promise.reject(new StoreError("holds another run"));
        return Promise.resolve(fate === "fails" ? "run" : fate);
      },
      play: async ({ cell: { config, name }, need }) => {
        played.push(`${need} ${name}`);
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setTimeout(resolve, 10));
        now += 1000;
        running -= 1;
        if (config.seed === options.stopAt) stop.abort();
        if (fates[config.seed] === "fails" || stop.signal.aborted) throw new StoreError("the disk is full");
      },
      save: async (all) => {
        expect(isSaving).toBe(false);
        isSaving = true;
        await new Promise((resolve) => setTimeout(resolve, 1));
        isSaving = false;
        saves.push(all.map(({ status }) => status));
      },
      note: (line) => lines.push(line),
      clock: () => now,
      jobs: options.jobs ?? 1,
      signal: stop.signal,
    },
  );
  return { records, lines, played, saves, most };
}

const statuses = (records: readonly CellRecord[]): string[] => records.map(({ status }) => status);

describe("runCells", () => {
  it("skips what is done, resumes what broke off, and goes on after a failure", async () => {
    const { records, lines, played, saves } = await play(["nothing", "resume", "fails", "other", "run"]);
    expect(statuses(records)).toEqual(["done", "done", "failed", "failed", "done"]);
    expect(played.map((line) => line.split(" ")[0])).toEqual(["resume", "run", "run"]);
    expect(records[2]).toMatchObject({ error: "the disk is full", seconds: 1 });
    expect(records[3]).toMatchObject({ error: "holds another run" });
    expect(lines.filter((line) => line.includes("failed"))).toHaveLength(2);
    expect(saves.at(-1)).toEqual(statuses(records));
  });

  it("says how long the rest will take once a whole run has been timed", async () => {
    const { lines } = await play(["run", "run", "run"]);
    expect(lines[1]).toMatch(/1\/3 math-reasoning-whale-s0: done in 1 s, about 2 s left/);
    expect(lines.at(-1)).toMatch(/3\/3 .*: done in 1 s$/);
  });

  it("plays as many at once as there are jobs", async () => {
    const { records, most } = await play(["run", "run", "run", "run", "run"], { jobs: 2 });
    expect(most).toBe(2);
    expect(statuses(records)).toEqual(Array(5).fill("done"));
  });

  it("begins nothing more when it is interrupted, and calls what broke off waiting", async () => {
    const { records, played } = await play(["run", "run", "run"], { stopAt: 1 });
    expect(statuses(records)).toEqual(["done", "waiting", "waiting"]);
    expect(played).toHaveLength(2);
  });
});

describe("concludeSweep", () => {
  let out = "";
  beforeEach(() => {
    out = mkdtempSync(join(tmpdir(), "spyhop-sweep-"));
  });
  afterEach(() => {
    rmSync(out, { recursive: true, force: true });
  });

  /** Records of seeds 0, 1, … of whale and weight-only in turn; those that are done have a finished run. */
  async function record(statuses: readonly CellStatus[]): Promise<CellRecord[]> {
    const cells = planCells({ ...REQUEST, conditions: ["whale", "weight-only"] });
    for (const [i, status] of statuses.entries()) {
      const { name, config } = cells[i] as Cell;
      if (status !== "done") continue;
      const { condition, seed } = config;
      const shift = condition === "whale" ? 0 : -0.2;
      await writeSyntheticRun(createFsBlobStore(join(out, name)), { condition, seed, shift });
    }
    return statuses.map((status, i) => ({
      ...startRecord(cells[i] as Cell, out, 0),
      status,
      error: status === "failed" ? "the disk is full" : "",
    }));
  }

  it("says and writes what compare says of the finished runs, whatever failed beside them", async () => {
    const records = await record(["done", "done", "failed", "waiting"]);
    const terminal = fakeTerminal();
    await concludeSweep({ records, out, isJson: false }, terminal);
    const folders = records.slice(0, 2).map(({ folder }) => folder);
    const page = join(out, "page.html");
    const plain = fakeTerminal();
    await runCommandLine(["compare", ...folders, "--out", page], plain);
    expect(terminal.stdout()).toBe(
      `${plain.stdout()}Comparison: ${join(out, "compare.html")}, ${join(out, "compare.json")}\nRuns: ${join(out, "sweep.json")}\n`,
    );
    expect(terminal.stdout()).toMatch(/weight-only, chosen +−20\.0 \[/);
    expect(terminal.stderr()).toMatch(/whale-s1: the disk is full\n1 run of 4 failed; the same command tries again\n$/);
    expect(readFileSync(join(out, "compare.html"), "utf8")).toBe(readFileSync(page, "utf8"));
    expect(JSON.parse(readFileSync(join(out, "compare.json"), "utf8"))).toMatchObject({
      page: join(out, "compare.html"),
      domains: [{ domain: "math-reasoning", conditions: [{ label: "whale" }, { label: "weight-only" }] }],
      comparisons: [{ folder: folders[1], chosen: { tasks: 40 } }],
    });
  });

  it("leaves files that compare passes over when it is given all of the folder, but not what lies there of others", async () => {
    const records = await record(["done", "done"]);
    const folders = records.map(({ folder }) => folder).sort();
    await writeSweep(out, describeSweep("smoke", 1, records));
    await concludeSweep({ records, out, isJson: false }, fakeTerminal());
    mkdirSync(join(out, "logs"));
    writeFileSync(join(out, "run.lock"), "");
    const compare = async (...paths: readonly string[]): Promise<{ stdout: string; stderr: string }> => {
      const terminal = fakeTerminal();
      await runCommandLine(["compare", ...paths], terminal);
      return { stdout: terminal.stdout(), stderr: terminal.stderr() };
    };
    const all = (): string[] => readdirSync(out).map((name) => join(out, name));
    expect(all()).toHaveLength(7);
    expect(await compare(...all())).toEqual(await compare(...folders));
    mkdirSync(join(out, "photos"));
    expect((await compare(...all())).stdout).toContain(join(out, "photos"));
    rmSync(join(out, "sweep.json"));
    expect((await compare(...all())).stdout).toContain(join(out, "logs"));
  });

  it("writes nothing where no two runs are finished", async () => {
    const terminal = fakeTerminal();
    await concludeSweep({ records: await record(["done", "failed"]), out, isJson: false }, terminal);
    expect(terminal.stdout()).toMatch(/whale +1 +400/);
    expect(terminal.stdout()).not.toContain("Comparison:");
    expect(readdirSync(out).filter((name) => name.startsWith("compare"))).toEqual([]);
  });

  it("says only where the runs are where none is finished", async () => {
    const terminal = fakeTerminal();
    await concludeSweep({ records: await record(["failed"]), out, isJson: false }, terminal);
    expect(terminal.stdout()).toBe(`Runs: ${join(out, "sweep.json")}\n`);
  });

  it("names a finished run whose files are damaged", async () => {
    const records = await record(["done", "done", "done"]);
    rmSync(join(out, records[0]?.name ?? "", "events.jsonl"));
    const terminal = fakeTerminal();
    await concludeSweep({ records, out, isJson: true }, terminal);
    const { comparison } = JSON.parse(terminal.stdout()) as { comparison: { leftOut: object[]; domains: object[] } };
    expect(comparison.leftOut).toMatchObject([{ folder: records[0]?.folder }]);
    expect(comparison.domains).toMatchObject([{ conditions: [{ label: "weight-only" }, { label: "whale" }] }]);
  });
});
