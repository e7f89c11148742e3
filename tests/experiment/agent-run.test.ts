import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.ts";
import type { ExperimentConfig } from "../../src/experiment/config.ts";
import { chooseProposer, connectAgent } from "../../src/experiment/proposers.ts";
import { runExperiment } from "../../src/experiment/run.ts";
import type { RunSummary } from "../../src/experiment/summary.ts";
import { createSandbox } from "../../src/sandbox/quickjs-sandbox.ts";
import type { RunStore } from "../../src/store/run-store.ts";
import { makeParts, memoryFolder, smallConfig } from "../support/experiment.ts";
import { improveBy, REPLY_TOKENS, serveAgent } from "../support/scripted-agent.ts";

const KEY = "sk-test-3fd1b0c2";

function agentConfig(endpoint: string): ExperimentConfig {
  return smallConfig("harness-only", {
    "tasks.harness": 40,
    "schedule.harnessOnlyIterations": 3,
    "search.candidates": 1,
    "proposer.kind": "agent",
    "proposer.model": "scripted",
    "proposer.endpoint": endpoint,
  });
}

async function play(config: ExperimentConfig, store: RunStore): Promise<RunSummary> {
  using sandbox = await createSandbox();
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
