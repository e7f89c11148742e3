import { describe, expect, it } from "vitest";
import { createArchive } from "../../src/search/archive.ts";
import { exportFolder } from "../../src/search/folder.ts";
import { evaluateFake, FAKE_H0, solvedTrace } from "./fake-domain.ts";

const proposal = (source: string) => ({ source, parent: "h0", axis: "parsing", hypothesis: "Why.", mechanisms: ["m"] });

function filled() {
  const archive = createArchive({ failedTraces: 2, solvedTraces: 1 });
  archive.add({ ...proposal(FAKE_H0), parent: "" }, 0);
  const failed = { ...solvedTrace(), reward: 0 };
  const traces = [solvedTrace(), failed, solvedTrace(), failed, failed];
  archive.score("h0", { ...evaluateFake(FAKE_H0, 0, 8), traces });
  archive.add(proposal(FAKE_H0.replace("Be brief.", "Be long.")), 1);
  archive.add(proposal("not a program ("), 1);
  archive.refuse("h2", "syntax", "does not parse");
  return archive;
}

describe("createArchive", () => {
  it("names candidates in order and finds the same program in another layout", () => {
    const archive = filled();
    expect(archive.candidates().map(({ name }) => name)).toEqual(["h0", "h1", "h2"]);
    expect(archive.find(FAKE_H0.replaceAll("\n\n", "\n\n\n"))).toBe("h0");
    expect(archive.find(FAKE_H0.replace("MAX_TURNS = 2", "MAX_TURNS = 3"))).toBeUndefined();
    expect(archive.find("not a program (")).toBe("h2");
    expect(() => archive.get("h9")).toThrow(RangeError);
  });

  it("keeps few traces, without ids of tasks and tokens", () => {
    const { status } = filled().get("h0");
    if (status.kind !== "evaluated") throw new TypeError("h0 should be evaluated");
    expect(status.evaluation.traces.map(({ reward }) => reward)).toEqual([0, 0, 1]);
    expect(JSON.stringify(status.evaluation.traces)).not.toMatch(/secret|\[1,2\]/);
  });

  it("comes back from JSON the same", () => {
    const candidates = filled().candidates();
    const restored = createArchive({ candidates: JSON.parse(JSON.stringify(candidates)) as typeof candidates });
    expect(restored.candidates()).toEqual(candidates);
    expect(restored.find(FAKE_H0)).toBe("h0");
    expect(restored.add(proposal("x"), 2).name).toBe("h3");
  });
});

describe("exportFolder", () => {
  const options = { guide: "# Guide", incumbent: "h0" };

  it("lays the archive out as files", () => {
    const files = exportFolder(filled().candidates(), options);
    expect([...files.keys()].sort()).toEqual([
      "frontier.json",
      "guide.md",
      "harnesses/h0/candidate.json",
      "harnesses/h0/causes.json",
      "harnesses/h0/harness.js",
      "harnesses/h0/scores.json",
      "harnesses/h0/traces/failed.jsonl",
      "harnesses/h0/traces/solved.jsonl",
      "harnesses/h1/candidate.json",
      "harnesses/h1/harness.js",
      "harnesses/h2/candidate.json",
      "harnesses/h2/harness.js",
      "history.jsonl",
    ]);
    expect(files.get("harnesses/h0/harness.js")).toBe(FAKE_H0);
    expect(JSON.parse(files.get("harnesses/h2/candidate.json")!)).toMatchObject({ status: "refused", check: "syntax" });
    expect(files.get("history.jsonl")!.trim().split("\n").length).toBe(3);
    expect(JSON.parse(files.get("frontier.json")!)).toMatchObject({ incumbent: "h0", frontier: [{ name: "h0" }] });
  });

  it("holds no task id, stream key or token ids", () => {
    const archive = createArchive();
    const candidate = archive.add(proposal(FAKE_H0), 0);
    const evaluation = { ...evaluateFake(FAKE_H0, 0, 8), traces: [solvedTrace()] };
    const raw = { ...candidate, status: { kind: "evaluated", evaluation } } as const;
    const traces = exportFolder([raw], options).get("harnesses/h0/traces/solved.jsonl")!;
    expect(traces).toContain("count");
    expect(traces).not.toMatch(/secret|logprobs|"ids"|sequences/);
  });

  it("adds the reference's names when asked", () => {
    const files = exportFolder(filled().candidates(), { ...options, aliases: true });
    expect(files.get("logs/evolution_summary.jsonl")).toBe(files.get("history.jsonl"));
    const pending = JSON.parse(files.get("pending_eval.json")!) as { candidates: { name: string }[] };
    expect(pending.candidates.map(({ name }) => name)).toEqual(["h1", "h2"]);
  });
});
