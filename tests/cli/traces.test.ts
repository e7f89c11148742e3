import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { formatTrace } from "../../src/cli/commands/trace.ts";
import { runCommandLine } from "../../src/cli/dispatch.ts";
import { createFsBlobStore } from "../../src/platform/node/fs-blob-store.ts";
import type { FoundTrace } from "../../src/report/read-traces.ts";
import { fakeTerminal } from "../support/fake-terminal.ts";
import { finishRun } from "../support/finished-run.ts";
import { makeTrace } from "../support/traces.ts";

let root = "";
const folder = (name: string): string => join(root, name);

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "spyhop-traces-"));
  await finishRun(createFsBlobStore(folder("run")), "whale");
});

afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

async function spyhop(...argv: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  const terminal = fakeTerminal();
  const status = await runCommandLine(argv, terminal);
  return { status, stdout: terminal.stdout(), stderr: terminal.stderr() };
}

describe("trace", () => {
  test("lists what the run kept", async () => {
    const { status, stdout } = await spyhop("trace", folder("run"));
    expect(status).toBe(0);
    expect(stdout).toContain("weights-2");
    expect(stdout).toMatch(/^\d+ rollouts kept/m);
  });

  test("prints one rollout, and how many others match", async () => {
    const { stdout, stderr } = await spyhop("trace", folder("run"), "--task", "1");
    expect(stdout).toContain("Add carefully");
    expect(stdout).toMatch(/reward [01]: /);
    expect(stdout).not.toContain("\x1b");
    expect(stderr).toContain("one of 2 that match");
  });

  test("prints the whole trace as JSON", async () => {
    const { stdout } = await spyhop("trace", folder("run"), "--task", "1", "--sample", "1", "--json");
    const { header, trace, matches } = JSON.parse(stdout) as {
      header: { purpose: string };
      trace: { steps: { ids: number[]; logprobs: number[] }[] };
      matches: number;
    };
    expect({ purpose: header.purpose, matches }).toEqual({ purpose: "test", matches: 1 });
    expect(trace.steps[0]?.ids.length).toBe(trace.steps[0]?.logprobs.length);
  });

  test("fails with one line when nothing matches", async () => {
    const { status, stderr } = await spyhop("trace", folder("run"), "--task", "1", "--phase", "9");
    expect(status).toBe(1);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });
});

test("formatTrace colours only when asked, and lets no control character of a text through", () => {
  const text = "\x1b[2J<b>";
  const chat = {
    kind: "chat",
    messages: [],
    prefill: "",
    text,
    ids: [5],
    logprobs: [-0.25],
    promptTokens: 3,
    finish: "end",
  } as const;
  const found: FoundTrace = {
    header: {
      ...{ schema: 1, phase: 1, use: "weights", purpose: "weights-1", harness: "h0", step: 1 },
      ...{ first: 0, rollouts: 1, kept: 1, reward: 0 },
    },
    trace: makeTrace({ key: "0/weights/1/t/3", steps: [chat] }),
  };
  const plain = formatTrace(found, { isColoured: false, showIds: true });
  expect(plain).not.toContain("\x1b");
  expect(plain).toContain("\\x1b[2J<b>");
  expect(plain).toContain("5  ln p -0.2500");
  expect(plain).toContain("sample 3");
  const coloured = formatTrace(found, { isColoured: true, showIds: false });
  expect(coloured).toContain("\x1b[38;5;33m\\x1b[2J<b>\x1b[0m");
});

describe("export trl", () => {
  test("writes the accepted rollouts as conversations that end with what was sampled", async () => {
    const out = join(root, "sub", "accepted.jsonl");
    const { status, stdout } = await spyhop("export", "trl", folder("run"), "--out", out, "--json");
    expect(status).toBe(0);
    const counts = JSON.parse(stdout) as { rows: number; rollouts: number };
    const lines = (await readFile(out, "utf8")).trimEnd().split("\n");
    expect(lines).toHaveLength(counts.rows);
    expect(counts.rollouts).toBeGreaterThan(0);
    for (const line of lines) {
      const { messages } = JSON.parse(line) as { messages: { role: string; content: string }[] };
      expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
      expect(messages[1]?.content).toMatch(/<answer>\d+<\/answer>/);
    }
    const steps = (await readFile(join(folder("run"), "events.jsonl"), "utf8"))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { kind: string; accepted?: number });
    const accepted = steps.reduce((sum, { kind, accepted: n = 0 }) => sum + (kind === "rsft-step" ? n : 0), 0);
    expect(counts.rollouts).toBe(accepted);
  });

  test("wants --out with --json", async () => {
    expect((await spyhop("export", "trl", folder("run"), "--json")).status).toBe(2);
  });
});

describe("export adapter", () => {
  test("copies the adapter of a step, byte for byte", async () => {
    const out = folder("adapter");
    const { status, stdout } = await spyhop("export", "adapter", folder("run"), "--step", "2", "--out", out, "--json");
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ step: 2 });
    expect((await readdir(out)).sort()).toEqual(["adapter_config.json", "adapter_model.safetensors"]);
    const name = "adapter_model.safetensors";
    expect(await readFile(join(out, name))).toEqual(
      await readFile(join(folder("run"), "checkpoints", "step-000002", name)),
    );
  });

  test("refuses a step that the run did not take, and a folder in use", async () => {
    const late = await spyhop("export", "adapter", folder("run"), "--step", "77", "--out", folder("none"));
    expect(late.status).toBe(1);
    expect(late.stderr).toContain("no checkpoint of step 77; there are 0, 1, 2, 3");
    const used = await spyhop("export", "adapter", folder("run"), "--out", folder("run"));
    expect(used.stderr).toContain("give another --out");
  });
});

describe("data check", () => {
  const check = async (name: string, content: string | Uint8Array, ...more: string[]) => {
    await writeFile(join(root, name), content);
    return spyhop("data", "check", join(root, name), ...more);
  };
  const rows = (from: number, to: number): string =>
    Array.from(
      { length: to - from },
      (_, i) => `{"question":"What is ${String(from + i)} plus 1?","answer":"#### ${String(from + i + 1)}"}\n`,
    ).join("");

  test("counts, judges and divides the rows of a file", async () => {
    const { status, stdout } = await check("good.jsonl", rows(0, 30) + rows(0, 2) + "not JSON\n", "--json");
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ rows: 33, loaded: 30, goldAccepted: 30, corruptedRefused: 30, disjoint: true },
      skipped: [
        { reason: "repeats an earlier row", count: 2, first: "row 31" },
        { reason: expect.stringContaining("not a JSON object") as string, count: 1, first: "row 33" },
      ],
    });
  });

  test("says for a person that the file holds fewer than a split wants", async () => {
    const { stdout } = await check("small.jsonl", rows(0, 12));
    expect(stdout).toContain("wanted: the file holds fewer");
    expect(stdout).toContain("no task stands in two splits");
  });

  test.each([
    ["wrong columns", '{"frage":"1"}\n', "expected the columns"],
    ["an empty file", "", "empty"],
    ["a damaged gzip", Uint8Array.of(0x1f, 0x8b, 8, 0, 1, 2, 3), "damaged gzip"],
    ["too few rows for the splits", rows(0, 2), "cannot fill"],
  ])("names %s in one line", async (name, content, part) => {
    const { status, stdout, stderr } = await check(`${name}.jsonl`, content);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr).toContain(part);
  });

  test("counts lines that are not UTF-8", async () => {
    const bad = new Uint8Array([...new TextEncoder().encode(rows(0, 12)), 0x7b, 0xff, 0xfe, 0x0a]);
    const { stdout } = await check("latin.jsonl", bad, "--json");
    expect(JSON.parse(stdout)).toMatchObject({ rows: 13, loaded: 12, skipped: [{ count: 1, first: "row 13" }] });
  });
});
