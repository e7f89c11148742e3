/** The lab's worker in a real Chromium: whole runs on WASM, control, storage, zips to and from Node, and what goes wrong. */
import { execFile, spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { unzipSync, zipSync } from "fflate";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import type { RunChoice } from "../../web/protocol/lab.ts";
import { createFsBlobStore } from "../../src/platform/node/fs-blob-store.ts";
import { exportZip, importZip, launchChromium, openLabPage, TINY, type LabPage } from "../support/lab-page.ts";
import { servePage, type PageServer } from "../support/page-server.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CLI = ["--import", "tsx", join(ROOT, "src/cli/main.ts")];

let server: PageServer;
let browser: Browser;
let scratch = "";
/** The ledger of `TINY` as Node writes it on WASM. */
let nodeLedger = "";
/** The first tab; tests run one after the other and leave no run under way. */
let lab: LabPage;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "spyhop-lab-"));
  server = await servePage(inject("pageFolder"), { isolated: true });
  browser = await launchChromium();
  lab = await openLabPage(await browser.newContext(), server.url);
});

afterAll(async () => {
  await browser.close();
  await server[Symbol.asyncDispose]();
  await rm(scratch, { recursive: true, force: true });
});

function nodeArguments(choice: RunChoice, folder: string): string[] {
  const sets = Object.entries(choice.overrides).flatMap(([key, value]) => ["--set", `${key}=${JSON.stringify(value)}`]);
  const { domain, condition, preset, seed } = choice;
  const names = ["--domain", domain, "--condition", condition, "--preset", preset, "--seed", String(seed)];
  return [...CLI, "run", "--device", "wasm", ...names, ...sets, "--out", folder];
}

async function runInNode(args: readonly string[]): Promise<void> {
  await promisify(execFile)(process.execPath, args, { cwd: ROOT });
}

function filesOf(zip: Uint8Array): Map<string, Uint8Array> {
  const entries = Object.entries(unzipSync(zip)).map(([path, bytes]): [string, Uint8Array] => {
    return [path.slice(path.indexOf("/") + 1), bytes];
  });
  return new Map(entries);
}

const ledgerOf = (zip: Uint8Array): string => new TextDecoder().decode(filesOf(zip).get("events.jsonl"));

async function finish(page: LabPage): Promise<void> {
  const end = await page.waitFor(({ kind }) => kind === "done" || kind === "problem");
  if (end.kind === "problem") throw new TypeError(JSON.stringify(end.problem));
}

async function zipFolder(folder: string): Promise<Uint8Array> {
  const store = createFsBlobStore(folder);
  const files: Record<string, Uint8Array> = {};
  for (const path of await store.list("")) files[`run/${path}`] = (await store.read(path)) ?? new Uint8Array();
  return zipSync(files);
}

async function unzipTo(zip: Uint8Array, folder: string): Promise<void> {
  const store = createFsBlobStore(folder);
  for (const [path, bytes] of filesOf(zip)) await store.write(path, bytes);
}

describe("a tab", () => {
  test("boot measures the devices and says why it took one", async () => {
    const report = await lab.call("boot", {});
    expect(report.isCrossOriginIsolated).toBe(true);
    expect(report.device).toMatchObject({ choice: "wasm-threads", device: "wasm" });
    expect(report.device.tokensPerSecond).toBeGreaterThan(0);
    expect(report.device.reason).toMatch(/^WASM with threads is the fastest here: it trains \d+ tokens a second\./);
    expect(report.presets).toContain("tab");
    expect(report.unfinished).toEqual([]);
  });

  test("a run on threads gives the same ledger each time, and that of Node, which has one thread", async () => {
    const folder = join(scratch, "node");
    await runInNode(nodeArguments(TINY, folder));
    nodeLedger = await readFile(join(folder, "events.jsonl"), "utf8");
    const ledgers: string[] = [];
    for (const isPaused of [false, true]) {
      const { run } = await lab.call("startRun", { choice: TINY, isPaused });
      if (isPaused) await lab.call("play", {});
      await finish(lab);
      ledgers.push(ledgerOf(await exportZip(lab, run)));
      await lab.call("deleteRun", { run });
    }
    expect(ledgers).toEqual([nodeLedger, nodeLedger]);
    await lab.page.evaluate("closeLab()");
    expect((await lab.call("boot", { device: "wasm" })).device.threads).toBe(1);
  });

  test("a run that has ended is read as ended, and another can begin, from the word that it is done", async () => {
    const overrides = {
      ...TINY.overrides,
      "tasks.weight": 8,
      "rsft.prompts": 2,
      "rsft.samples": 2,
      "schedule.totalSteps": 1,
    };
    const choice: RunChoice = { ...TINY, condition: "weight-only", overrides };
    for (let i = 0; i < 5; i += 1) {
      const { run } = await lab.call("startRun", { choice });
      await finish(lab);
      const record = await lab.call("readRun", { run });
      expect([record.isComplete, record.listing.status]).toEqual([true, "done"]);
      await lab.call("deleteRun", { run });
    }
  });

  test("a run on one thread gives the same files and the same ledger as in Node when preset and seed are equal", async () => {
    const folder = join(scratch, "node");
    const { run } = await lab.call("startRun", { choice: TINY });
    await finish(lab);
    const zip = await exportZip(lab, run);
    expect(ledgerOf(zip)).toBe(nodeLedger);
    const inNode = (await createFsBlobStore(folder).list("")).filter((path) => path !== "report.html");
    expect([...filesOf(zip).keys()].sort()).toEqual(inNode);
  });

  test("the record of a run holds its curve, phases, steps, candidates and their sources", async () => {
    const [listing] = await lab.call("listRuns", {});
    const run = listing?.run ?? "";
    const record = await lab.call("readRun", { run });
    expect(record.listing.status).toBe("done");
    expect(record.phases.map(({ part }) => part)).toEqual(["weights", "harness", "weights"]);
    expect(record.steps.map(({ step }) => step)).toEqual([1, 2]);
    expect(record.candidates).toHaveLength(2);
    expect(record.summary?.final).toEqual(record.curve.at(-1));
    for (const { name, parent } of record.candidates) {
      const harness = await lab.call("readHarness", { run, harness: name });
      expect(harness.parent?.name).toBe(parent);
      expect(harness.source).not.toBe(harness.parent?.source);
    }
  });

  test("any rollout can be read with the probability of each token, and found again before and after", async () => {
    const [listing] = await lab.call("listRuns", {});
    const run = listing?.run ?? "";
    const groups = await lab.call("listGroups", { run });
    const steps = groups.filter(({ use }) => use === "weights");
    expect(steps.map(({ label }) => label)).toEqual(["Training step 1", "Training step 2"]);
    const rows = await lab.call("listRollouts", { run, group: steps[0]?.group ?? "" });
    expect(rows).toHaveLength(16);
    expect(rows.filter(({ isAccepted }) => isAccepted)).toHaveLength(steps[0]?.solved ?? -1);
    for (const row of [rows.find(({ isAccepted }) => isAccepted), rows.find(({ isAccepted }) => !isAccepted)]) {
      if (row === undefined) continue;
      const view = await lab.call("readRollout", { run, ref: row.ref });
      const tokens = view.steps.flatMap((step) => (step.kind === "chat" ? step.tokens : []));
      expect(tokens).toHaveLength(row.tokens);
      expect(tokens.every(({ probability }) => probability > 0 && probability <= 1)).toBe(true);
      expect(tokens.every(({ isTrained }) => isTrained === row.isAccepted)).toBe(true);
      const text = view.steps.flatMap((step) => (step.kind === "chat" ? [step.text] : [])).join("");
      expect(tokens.map((token) => token.text).join("")).toBe(text);
      expect(view.view).toHaveProperty("question");
      expect(view.gold).not.toBeNull();
    }
    const tests = groups.filter(({ split }) => split === "test");
    const [first] = await lab.call("listRollouts", { run, group: tests[0]?.group ?? "" });
    const found = await lab.call("findTask", { run, task: first?.task ?? "", sample: first?.sample ?? 0 });
    expect(found).toHaveLength(tests.length);
  });

  test("a run that is paused, stepped and played ends like one that was not", async () => {
    const { run } = await lab.call("startRun", { choice: TINY, isPaused: true });
    await lab.waitFor((event) => event.kind === "status" && event.status === "paused");
    await lab.call("step", {});
    const { steps } = await lab.call("readRun", { run });
    expect(steps.map(({ step }) => step)).toEqual([1]);
    await lab.waitFor((event) => event.kind === "status" && event.status === "paused");
    expect((await lab.call("readRun", { run })).listing.status).toBe("active");
    expect(await lab.attempt("startRun", { choice: TINY })).toMatchObject({ problem: { kind: "busy" } });
    await lab.call("step", {});
    await lab.call("play", {});
    await finish(lab);
    expect(ledgerOf(await exportZip(lab, run))).toBe(nodeLedger);
  });

  test("a run goes on after a reload in the middle and ends with the same ledger", async () => {
    const { run } = await lab.call("startRun", { choice: TINY });
    await lab.waitFor((event) => event.kind === "progress" && event.event.kind === "rsft-step");
    await lab.waitFor((event) => event.kind === "progress" && event.event.kind === "rollouts");
    await lab.reload();
    const { unfinished } = await lab.call("boot", { device: "wasm" });
    expect(unfinished.map((listing) => listing.run)).toEqual([run]);
    await lab.call("resumeRun", { run });
    await finish(lab);
    expect(ledgerOf(await exportZip(lab, run))).toBe(nodeLedger);
  });

  test("a stopped run is exported, goes on in Node, and comes back", async () => {
    const { run } = await lab.call("startRun", { choice: TINY });
    await lab.waitFor((event) => event.kind === "progress" && event.event.kind === "rsft-step");
    await lab.call("stop", {});
    const folder = join(scratch, "resumed");
    await unzipTo(await exportZip(lab, run), folder);
    expect(await readdir(folder)).not.toContain("summary.json");
    await runInNode([...CLI, "resume", folder, "--device", "wasm"]);
    expect(await readFile(join(folder, "events.jsonl"), "utf8")).toBe(nodeLedger);
    const imported = await importZip(lab, await zipFolder(folder));
    expect(imported.problem).toBeUndefined();
    const record = await lab.call("readRun", { run: imported.value?.run ?? "" });
    expect(record.listing.status).toBe("done");
    expect(record.curve).toHaveLength(4);
  });

  test("a run that was killed in Node goes on here", async () => {
    const folder = join(scratch, "killed");
    const node = spawn(process.execPath, nodeArguments(TINY, folder), { cwd: ROOT, stdio: "ignore" });
    for (;;) {
      const mark = await readFile(join(folder, "mark.json"), "utf8").catch(() => "{}");
      const { state } = JSON.parse(mark) as { readonly state?: { readonly step: number } };
      if ((state?.step ?? 0) >= 1) break;
      await sleep(20);
    }
    node.kill("SIGKILL");
    const imported = await importZip(lab, await zipFolder(folder));
    expect(imported.problem).toBeUndefined();
    const run = imported.value?.run ?? "";
    await lab.call("resumeRun", { run });
    await finish(lab);
    expect(ledgerOf(await exportZip(lab, run))).toBe(nodeLedger);
  });

  test("runs are renamed, deleted and restored, and what is no run is not taken in", async () => {
    const [listing] = await lab.call("listRuns", {});
    const run = listing?.run ?? "";
    expect((await lab.call("renameRun", { run, title: " My first run " })).title).toBe("My first run");
    await lab.call("deleteRun", { run });
    expect((await lab.call("listRuns", {})).map((other) => other.run)).not.toContain(run);
    expect((await lab.call("restoreRun", { run })).title).toBe("My first run");
    for (const zip of [new Uint8Array([1, 2, 3]), zipSync({ "a.txt": new Uint8Array(1) })])
      expect((await importZip(lab, zip)).problem).toMatchObject({ kind: "damaged", safe: "Nothing was taken in." });
  });

  test("a second tab says that a run is open elsewhere", async () => {
    const { run } = await lab.call("startRun", { choice: TINY, isPaused: true });
    const other = await openLabPage(lab.context, server.url);
    await other.call("boot", { device: "wasm" });
    const listing = (await other.call("listRuns", {})).find((one) => one.run === run);
    expect(listing?.status).toBe("other-tab");
    expect(await other.attempt("resumeRun", { run })).toMatchObject({ problem: { kind: "other-tab" } });
    expect(await other.attempt("deleteRun", { run })).toMatchObject({ problem: { kind: "busy" } });
    await lab.call("stop", {});
    await other.call("resumeRun", { run, isPaused: true });
    await other.call("stop", {});
    await other.page.close();
    await lab.call("deleteRun", { run });
  });
});
