import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.ts";
import type { ExperimentConfig } from "../../src/experiment/config.ts";
import type { ExperimentParts } from "../../src/experiment/context.ts";
import { chooseProposer, connectAgent } from "../../src/experiment/proposers.ts";
import { runExperiment } from "../../src/experiment/run.ts";
import type { RunSummary } from "../../src/experiment/summary.ts";
import type { ConnectionHost } from "../../src/search/proposers/agent/connection.ts";
import type { RunStore } from "../../src/store/run-store.ts";
import { createDirectSandbox } from "../support/direct-sandbox.ts";
import { makeParts, memoryFolder, smallConfig, TINY_SIZES } from "../support/experiment.ts";
import { ledgerText, live, type RunFiles } from "../support/killed-run.ts";
import { improveBy, REPLY_TOKENS, serveAgent, type SeenRequest } from "../support/scripted-agent.ts";

const KEY = "sk-test-3fd1b0c2";

function agentConfig(endpoint: string): ExperimentConfig {
  return smallConfig("harness-only", {
    "tasks.harness": 20,
    "schedule.harnessOnlyIterations": 3,
    "search.candidates": 1,
    "proposer.kind": "agent",
    "proposer.model": "scripted",
    "proposer.endpoint": endpoint,
  });
}

async function play(config: ExperimentConfig, store: RunStore): Promise<RunSummary> {
  const sandbox = createDirectSandbox();
  const host = {
    fetch,
    clock: () => performance.now(),
    sleep: (ms: number, signal: AbortSignal) => wait(ms, undefined, { signal }).catch(() => undefined),
  };
  const connection = connectAgent(config.proposer, KEY, host);
  const parts = makeParts(config, { sandbox, store });
  return await runExperiment(config, { ...parts, proposer: chooseProposer({ ...parts, config, connection }) });
}

describe("a run with the agent over HTTP", () => {
  it("finds the improvement that the agent writes, counts its tokens, and keeps transcripts without the key", async () => {
    await using server = await serveAgent(improveBy("Add {question}", "Add carefully {question}"));
    const config = agentConfig(server.url);
    const folder = memoryFolder(config);
    const store = await folder.open();
    const summary = await play(config, store);

    const events = folder
      .text("events.jsonl")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as JsonObject);
    const [first, second] = events.filter(({ kind }) => kind === "candidate");
    expect(first).toMatchObject({ name: "h1", parent: "h0", axis: "prompt", refusedBy: "" });
    // In the second round the scripted agent has nothing left to change.
    expect(second).toMatchObject({ name: "h2", parent: "h1", refusedBy: "duplicate" });
    expect(summary.chosen.harness).toBe("p1-h1");
    expect(folder.text("harnesses/p1-h1.js")).toContain("Add carefully");
    expect(server.requests).toHaveLength(8);
    expect(summary.ledger.proposerTokens).toBe(8 * REPLY_TOKENS);
    expect(server.requests[0]).toMatchObject({ path: "/v1/messages", headers: { "x-api-key": KEY } });

    const files = await store.listBlobs("");
    expect(files).toContain("proposals/001-001.json");
    for (const file of files.filter((path) => !path.endsWith(".gz")))
      expect(folder.text(file), file).not.toContain(KEY);
    expect(JSON.parse(folder.text("proposals/001-001.json"))).toMatchObject({
      proposer: "agent",
      session: { end: "done", turns: 4 },
    });
  });
});

/** A host in this process whose endpoint plays the scripted agent, and how often it was asked. */
function scriptedHost(): ConnectionHost & { asked: () => number } {
  const answer = improveBy("Add {question}", "Add carefully {question}");
  let asked = 0;
  return {
    asked: () => asked,
    clock: () => 0,
    sleep: () => new Promise(() => undefined),
    fetch: (path, { body }) => {
      asked += 1;
      const request: SeenRequest = { path, headers: {}, body: JSON.parse(body) as JsonObject };
      const text = JSON.stringify(answer(request).body);
      return Promise.resolve({ status: 200, headers: { get: () => null }, text: () => Promise.resolve(text) });
    },
  };
}

describe("a run of fst-native with the agent", () => {
  it("asks for one prompt a round and says that only prompt text may change", async () => {
    const config = smallConfig("fst-native", {
      ...{ "proposer.kind": "agent", "proposer.model": "scripted", "proposer.endpoint": "https://llm.test" },
    });
    const host = scriptedHost();
    const folder = memoryFolder(config);
    const parts = makeParts(config, { sandbox: createDirectSandbox(), store: await folder.open() });
    const connection = connectAgent(config.proposer, KEY, host);
    await runExperiment(config, { ...parts, proposer: chooseProposer({ ...parts, config, connection }) });
    const record = JSON.parse(folder.text("proposals/001-001.json")) as JsonObject;
    expect(JSON.stringify(record["session"])).toContain("only in the text of its UPPER_CASE constants");
    expect(folder.text("events.jsonl")).toMatch(/"axis":"prompt".*"kind":"candidate"/);
  });
});

/** Writes between two kills; odd, so that both halves of an iteration are met. */
const STRIDE = 5;

describe("a run with the agent that was killed", () => {
  const config = smallConfig("harness-only", {
    ...TINY_SIZES,
    ...{ "schedule.harnessOnlyIterations": 3, "search.candidates": 2 },
    ...{ "proposer.kind": "agent", "proposer.model": "scripted", "proposer.endpoint": "https://llm.test" },
  });

  async function play(files: RunFiles, at = Infinity): Promise<{ ending: string; asked: number }> {
    const host = scriptedHost();
    const connection = connectAgent(config.proposer, KEY, host);
    const sandbox = createDirectSandbox();
    const proposer = (parts: ExperimentParts) => chooseProposer({ ...parts, config, connection });
    return { ending: await live({ config, sandbox, files, proposer }, at), asked: host.asked() };
  }

  it("ends with the same ledger and asks again for the reply under way alone, whichever write it was killed at", async () => {
    const whole: RunFiles = new Map();
    const { asked } = await play(whole);
    const text = ledgerText(whole);
    expect(asked).toBe(12);
    let kills = 0;
    for (; ; kills += 1) {
      const files: RunFiles = new Map();
      const first = await play(files, kills * STRIDE);
      if (first.ending === "done") break;
      const second = await play(files);
      expect(second.ending).toBe("done");
      expect(ledgerText(files)).toBe(text);
      expect(first.asked + second.asked - asked, `kill ${String(kills)}`).toBeOneOf([0, 1]);
    }
    expect(kills).toBeGreaterThan(9);
  });
});
