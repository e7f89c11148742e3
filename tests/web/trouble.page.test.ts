/** What goes wrong in a tab, and what a person may do to it: hostile harnesses, full and evicted storage, no headers, no network. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unzipSync } from "fflate";
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { HarnessContext } from "../../web/protocol/by-hand.ts";
import type { LabEvent } from "../../web/protocol/messages.ts";
import { exportZip, launchProfile, openLabPage, TINY, type LabPage } from "../support/lab-page.ts";
import { servePage, type PageServer } from "../support/page-server.ts";

let server: PageServer;
let context: BrowserContext;
let profile = "";
let lab: LabPage;

beforeAll(async () => {
  profile = await mkdtemp(join(tmpdir(), "spyhop-profile-"));
  server = await servePage(inject("pageFolder"), { isolated: true });
  context = await launchProfile(profile);
  lab = await openLabPage(context, server.url);
  await lab.call("boot", { device: "wasm-threads" });
});

afterAll(async () => {
  await context.close();
  await server[Symbol.asyncDispose]();
  await rm(profile, { recursive: true, force: true });
});

const CONTEXT: HarnessContext = { choice: TINY };

const harness = (body: string): string =>
  `export async function solve(task, env) {\n  const reply = await env.chat([{ role: "user", content: task.question }]);\n  ${body}\n}\n`;

/** Each must end as its own recorded event and leave the worker able to answer. */
const HOSTILE: readonly (readonly [name: string, body: string])[] = [
  ["loops for ever", "for (;;) {}"],
  ["loops for ever in promises", "for (;;) await null;"],
  ["eats memory", 'const kept = []; for (;;) kept.push("x".repeat(100000) + kept.length);'],
  [
    "floods promises",
    "const flood = () => { for (let i = 0; i < 1000; i += 1) Promise.resolve().then(flood); }; flood(); await new Promise(() => {});",
  ],
  ["recurses for ever", "const down = () => down() + 1; return down();"],
];

const isStatus =
  (status: string) =>
  (event: LabEvent): boolean =>
    event.kind === "status" && event.status === status;

const isStep = (event: LabEvent): boolean => event.kind === "progress" && event.event.kind === "rsft-step";

describe("a hostile harness", () => {
  test.each(HOSTILE)("is refused by the checks and leaves the worker live: one that %s", async (_, body) => {
    const report = await lab.call("checkHarness", { context: CONTEXT, source: harness(body) });
    expect(report.isAccepted).toBe(false);
    expect(report.checks.at(-1)).toMatchObject({ name: "smoke", ok: false });
    expect((await lab.attempt("readStorage", {})).problem).toBeUndefined();
  });

  test("scores 0 in an evaluation, with its event in each rollout", async () => {
    const { run } = await lab.call("startRun", { choice: TINY, isPaused: true });
    const report = await lab.call("evaluateHarness", {
      context: { run },
      source: harness("for (;;) {}"),
      tasks: 2,
      samples: 2,
    });
    expect(report.first.mean).toBe(0);
    expect(report.paired.tasks).toBe(2);
    expect(report.weights).toBe("the untrained weights");
    const rows = await lab.call("listRollouts", { run, group: report.groups[0] });
    expect(rows.map(({ outcome }) => outcome)).toEqual(["fault", "fault", "fault", "fault"]);
    await lab.call("stop", {});
    await lab.call("deleteRun", { run });
  });

  test("the checks of a harness that is not even a program say so", async () => {
    const report = await lab.call("checkHarness", { context: CONTEXT, source: "export function (" });
    expect(report.isAccepted).toBe(false);
    expect(report.checks).toHaveLength(1);
    expect(report.checks[0]).toMatchObject({ name: "static", ok: false });
  });
});

describe("a harness written by hand", () => {
  test("enters the search as its first candidate and is kept in the run folder", async () => {
    const [domain] = (await bootReport()).domains;
    const source = (domain?.seedHarness ?? "").replace(/(SYSTEM_PROMPT\s*=\s*["'`])/, "$1Think, then answer. ");
    expect(source).not.toBe(domain?.seedHarness);
    const { run } = await lab.call("startRun", { choice: TINY, isPaused: true });
    await lab.waitFor(isStatus("paused"));
    const submitted = await lab.call("submitHarness", { source, hypothesis: "Thinking helps." });
    expect(submitted).toEqual({ waiting: 1 });
    expect(await lab.attempt("submitHarness", { source: "export const x = 1;", hypothesis: "" })).toMatchObject({
      problem: { kind: "harness" },
    });
    await lab.call("play", {});
    await lab.waitFor(({ kind }) => kind === "done");
    const { candidates } = await lab.call("readRun", { run });
    expect(candidates[0]).toMatchObject({
      isByHand: true,
      hypothesis: "Thinking helps.",
      parent: "h0",
      axis: "by hand",
    });
    const whole = filesOf(await exportZip(lab, run));
    expect([...whole.keys()]).toContain("by-hand/002-001.json");
  });
});

/** What `boot` gave, from a second worker that is closed again. */
async function bootReport(): Promise<Awaited<ReturnType<typeof lab.call<"boot">>>> {
  const other = await openLabPage(context, server.url);
  const report = await other.call("boot", { device: "wasm" });
  await other.page.close();
  return report;
}

function filesOf(zip: Uint8Array): Map<string, Uint8Array> {
  return new Map(Object.entries(unzipSync(zip)).map(([path, bytes]) => [path.slice(path.indexOf("/") + 1), bytes]));
}

describe("storage", () => {
  test("a full storage ends the run with what to do, and it goes on when there is room again", async () => {
    const session = await context.newCDPSession(lab.page);
    const { origin } = new URL(server.url);
    const { run } = await lab.call("startRun", { choice: TINY });
    await lab.waitFor(isStep);
    await session.send("Storage.overrideQuotaForOrigin", { origin, quotaSize: 1024 });
    const event = await lab.waitFor(({ kind }) => kind === "problem");
    expect(event).toMatchObject({ run, problem: { kind: "storage-full", safe: /last finished step is stored/ } });
    await session.send("Storage.overrideQuotaForOrigin", { origin });
    expect((await lab.call("readRun", { run })).listing.status).toBe("unfinished");
    await lab.call("resumeRun", { run });
    await lab.waitFor(({ kind }) => kind === "done");
  });

  test("evicted storage ends the run with what to do", async () => {
    const session = await context.newCDPSession(lab.page);
    const { origin } = new URL(server.url);
    const { run } = await lab.call("startRun", { choice: TINY });
    await lab.waitFor(isStep);
    await session.send("Storage.clearDataForOrigin", { origin, storageTypes: "file_systems" });
    const event = await lab.waitFor(({ kind }) => kind === "problem");
    expect(event).toMatchObject({ run, problem: { kind: "storage-gone" } });
    expect(await lab.attempt("readRun", { run: "nothing" })).toMatchObject({ problem: { kind: "storage-gone" } });
  });
});

describe("hosts", () => {
  test("the page works offline after its first load, threads included", async () => {
    const page = await openLabPage(context, server.url);
    expect(await page.page.evaluate("registerOffline()")).toBe(true);
    await context.setOffline(true);
    try {
      await page.reload();
      const report = await page.call("boot", { device: "wasm-threads" });
      expect(report.device.label).toMatch(/^WASM, \d+ threads$/);
    } finally {
      await context.setOffline(false);
      await page.page.close();
    }
  });

  test("a host without COOP and COEP gives one thread, and the report says why", async () => {
    await using plain = await servePage(inject("pageFolder"), { isolated: false });
    const page = await openLabPage(context, plain.url);
    const report = await page.call("boot", {});
    expect(report.isCrossOriginIsolated).toBe(false);
    expect(report.device).toMatchObject({ choice: "wasm", threads: 1, label: "WASM, 1 thread" });
    expect(report.device.reason).toMatch(/no COOP and COEP headers/);
    await page.call("startRun", { choice: { ...TINY, condition: "weight-only" } });
    await page.waitFor(({ kind }) => kind === "done");
    expect(page.complaints).toEqual([]);
    await page.page.close();
  });

  test("nothing was said in the console alone", () => {
    expect(lab.complaints).toEqual([]);
  });
});
