import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anthropicReply, improveBy, serveAgent } from "../support/scripted-agent.ts";

const KEY = "sk-slow-51c3";
const SMALL = [
  ...["--preset", "smoke", "--condition", "harness-only", "--device", "cpu", "--set", "search.candidates=1"],
  ...["--set", "schedule.harnessOnlyIterations=2", "--set", "tasks.validation=4", "--set", "tasks.test=4"],
  ...["--set", "evaluation.samples=2"],
];
const BEFORE = 'USER_PROMPT = "{question}';
const AFTER = `${BEFORE} Use <code>print(...)</code> for every calculation.`;

let root = "";
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "spyhop-agent-"));
});
afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

type Ended = { readonly status: number | null; readonly stdout: string; readonly stderr: string };

/** The process must not block this one, which serves it. */
function spyhop(key: string, ...argv: readonly string[]): Promise<Ended> {
  const env = { ...process.env, SPYHOP_PROPOSER_KEY: key, ANTHROPIC_API_KEY: "" };
  const child = spawn(process.execPath, ["bin/spyhop.js", ...argv], { env });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString("utf8")));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString("utf8")));
  return new Promise((resolve) => {
    child.on("close", (status) => {
      resolve({ status, stdout, stderr });
    });
  });
}

async function allText(folder: string): Promise<string> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const texts = files
    .filter((file) => file.isFile())
    .map((file) => readFile(join(file.parentPath, file.name), "latin1"));
  return (await Promise.all(texts)).join("\n");
}

/** A small run whose proposer is the agent at `server`. */
function runAgent(key: string, server: { readonly url: string }, out: string): ReturnType<typeof spyhop> {
  const settings = ["--set", "proposer.model=scripted", "--set", `proposer.endpoint=${server.url}`];
  return spyhop(key, "run", "--proposer", "agent", ...settings, ...SMALL, "--out", out);
}

describe("run --proposer agent", () => {
  test("finds the improvement that a scripted agent writes for the tiny model, and keeps no key", async () => {
    await using server = await serveAgent(improveBy(BEFORE, AFTER));
    const out = join(root, "run");
    const { status, stdout, stderr } = await runAgent(KEY, server, out);
    expect(status).toBe(0);
    expect(stderr).toMatch(/proposer: scripted at 127\.0\.0\.1:\d+; .* cannot be repeated bit for bit/);
    expect(stderr).toMatch(/h1 \(prompt, from h0\) \d/);
    expect(stdout).toMatch(/440 by the proposer/);
    expect(`${stdout}${stderr}${await allText(out)}`).not.toContain(KEY);
    expect(await readFile(join(out, "harnesses", "p1-h1.js"), "utf8")).toContain("print(...)");
  });

  test("makes no folder when the key is refused at once", async () => {
    await using server = await serveAgent(() => ({ status: 401, body: { error: { message: "invalid sk-bad" } } }));
    const out = join(root, "none");
    const { status, stderr } = await runAgent("sk-bad", server, out);
    expect({ status, folder: existsSync(out), asked: server.requests.length }).toEqual({
      status: 2,
      folder: false,
      asked: 1,
    });
    expect(stderr).toMatch(
      /^spyhop: 127\.0\.0\.1:\d+: refuses the key \(status 401\); set another \(a run that has begun goes on with resume\)\n$/,
    );
  });

  test("stops with one line when the key is refused later, and goes on once it is mended", async () => {
    const improve = improveBy(BEFORE, AFTER);
    const wrong = { status: 401, body: { error: { message: "invalid x-api-key sk-bad" } } };
    let asked = 0;
    await using server = await serveAgent((request) => {
      asked += 1;
      return request.headers["x-api-key"] === KEY || asked === 1 ? improve(request) : wrong;
    });
    const out = join(root, "refused");
    const settings = ["--set", "proposer.model=scripted", "--set", `proposer.endpoint=${server.url}`];
    const first = await spyhop("sk-bad", "run", "--proposer", "agent", ...settings, ...SMALL, "--out", out);
    expect(first.status).toBe(2);
    expect(first.stderr).toMatch(
      /spyhop: 127\.0\.0\.1:\d+: refuses the key \(status 401\); set another \(a run that has begun goes on with resume\)\n$/,
    );
    expect(first.stderr).not.toContain("sk-bad");
    const second = await spyhop(KEY, "resume", out);
    expect(second.status).toBe(0);
    expect(second.stdout).toMatch(/440 by the proposer/);
  });

  test("spends its rounds and says why when the agent writes nothing", async () => {
    await using server = await serveAgent(() => ({ body: anthropicReply([{ type: "text", text: "No idea." }]) }));
    const settings = ["--set", "proposer.model=scripted", "--set", `proposer.endpoint=${server.url}`];
    const out = join(root, "nothing");
    const { status, stderr } = await spyhop("", "run", "--proposer", "agent", ...settings, ...SMALL, "--out", out);
    expect(status).toBe(0);
    expect(stderr).toMatch(/agent: no candidate, the model ended without one/);
  });
});

test("run --proposer model records what the tiny model says, usually no program", async () => {
  const out = join(root, "model");
  const { status, stderr } = await spyhop("", "run", "--proposer", "model", ...SMALL, "--out", out);
  expect(status).toBe(0);
  expect(stderr).toMatch(/h1 \(\w+, from h0\)/);
  const record = JSON.parse(await readFile(join(out, "proposals", "001-001.json"), "utf8")) as { proposer: string };
  expect(record.proposer).toBe("model");
});
