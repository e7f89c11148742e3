import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCommandLine } from "../../src/cli/dispatch.ts";
import type { HarnessCheck } from "../../src/rollout/check.ts";
import { fakeTerminal } from "../support/fake-terminal.ts";

const TWO_TURNS = `export async function solve(task, env) {
  const ask = () => env.chat([{ role: "user", content: task.question }], { maxTokens: 8 });
  await ask();
  return (await ask()).text;
}`;

let folder = "";
let file = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "spyhop-harness-"));
  file = join(folder, "two-turns.js");
  writeFileSync(file, TWO_TURNS);
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function check(...options: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  const terminal = fakeTerminal();
  const status = await runCommandLine(["harness", "check", file, "--preset", "smoke", ...options], terminal);
  return { status, stdout: terminal.stdout(), stderr: terminal.stderr() };
}

async function smokeOf(...options: string[]): Promise<string | undefined> {
  const { stdout } = await check("--json", ...options);
  return (JSON.parse(stdout) as { checks: HarnessCheck[] }).checks.find(({ name }) => name === "smoke")?.detail;
}

describe("harness check", () => {
  test("judges under the domain's limits, or those of --set", async () => {
    expect(await smokeOf()).toBe("2 rollouts ended as judged and judged");
    expect(await smokeOf("--set", "limits.turns=1")).toBe("2 rollouts ended as limit and limit");
  });

  test("makes the tasks that it plays and no others", async () => {
    // A million puzzles for training would take hours.
    const { status, stderr } = await check("--domain", "chess-puzzles", "--set", "tasks.weight=1000000");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  test.each([
    [["--set", "limits.turms=1"], /unknown setting "limits\.turms"; near it: limits\.turns/],
    [["--set", "limits.turns=-1"], /limits\.turns/],
    [["--set", "limits.turns"], /--set takes KEY=VALUE/],
  ])("refuses %j with one line", async (options, line) => {
    const { status, stdout, stderr } = await check(...options);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr).toMatch(line);
  });
});
