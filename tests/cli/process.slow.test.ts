import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const SMALL = [
  ...["--preset", "smoke", "--device", "cpu", "--set", "tasks.weight=16", "--set", "tasks.harness=6"],
  ...["--set", "tasks.validation=4", "--set", "tasks.test=4", "--set", "rsft.prompts=4", "--set", "rsft.samples=2"],
  ...["--set", "evaluation.samples=2", "--set", "schedule.totalSteps=2", "--set", "schedule.phaseSteps=1"],
];

let root = "";
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "spyhop-process-"));
});
afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

function spyhop(...argv: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, ["bin/spyhop.js", ...argv], { encoding: "utf8", maxBuffer: 1 << 28 });
}

describe("the spyhop process", () => {
  test("ends with status 2 and nothing on stdout when the usage is wrong", () => {
    const { status, stdout, stderr } = spyhop("run", "--sede", "1");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toBe("spyhop: run: unknown option --sede; did you mean --seed?\n");
  });

  test("runs, prints the summary as its one document, and leaves a report behind", async () => {
    const out = join(root, "run");
    const first = spyhop("run", ...SMALL, "--out", out, "--json");
    expect(first.status).toBe(0);
    expect(first.stdout).toBe(await readFile(join(out, "summary.json"), "utf8"));
    expect(existsSync(join(out, "report.html"))).toBe(true);
    const again = spyhop("run", ...SMALL, "--out", out, "--json");
    expect({ status: again.status, stdout: again.stdout }).toEqual({ status: 1, stdout: "" });
    expect(again.stderr.trim().split("\n")).toHaveLength(1);
    expect(spyhop("resume", out, "--json").stdout).toBe(first.stdout);
  });

  test("leaves no folder behind when the data cannot be used", async () => {
    const data = join(root, "empty.jsonl");
    await writeFile(data, "");
    const { status, stderr } = spyhop("run", ...SMALL, "--data", data, "--out", join(root, "none"));
    expect(status).toBe(1);
    expect(stderr).toBe(`spyhop: ${data}: data file is empty\n`);
    expect(existsSync(join(root, "none"))).toBe(false);
  });

  test("judges a harness with status 0, whatever it says", async () => {
    const file = join(root, "harness.js");
    await writeFile(file, "export async function solve(task, env) { return eval('1'); }");
    const { status, stdout } = spyhop("harness", "check", file, "--json");
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ accepted: false, checks: [{ name: "static", ok: false }] });
  });

  test("evaluates the first harness and counts every rollout", () => {
    const { status, stdout } = spyhop("eval", "--tasks", "3", "--samples", "2", "--device", "cpu", "--json");
    expect(status).toBe(0);
    const result = JSON.parse(stdout) as {
      tasks: number;
      usage: { rollouts: number };
      reasons: Record<string, number>;
    };
    expect(result.tasks).toBe(3);
    expect(result.usage.rollouts).toBe(6);
    expect(Object.values(result.reasons).reduce((sum, count) => sum + count, 0)).toBe(6);
  });
});
