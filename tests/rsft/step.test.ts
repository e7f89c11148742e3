import { describe, expect, it } from "vitest";
import type { Task } from "../../src/rollout/domain.ts";
import type { RolloutTrace } from "../../src/rollout/trace.ts";
import { selectAccepted } from "../../src/rsft/select.ts";
import { rsftStep } from "../../src/rsft/step.ts";
import { miniBatches, toExamples } from "../../src/rsft/to-examples.ts";
import type { Example } from "../../src/training/example.ts";
import { makeSequence, makeTrace } from "../support/traces.ts";

const PROMPTS: Task[] = ["a", "b", "c"].map((id) => ({ id, view: { question: id }, gold: id, source: "test" }));
const CONFIG = { samples: 4, threshold: 0.5, miniBatch: 64 };

/** Runs a step whose rollouts get `rewards` in order; returns what was trained on as well. */
async function stepWith(rewards: readonly number[], config = CONFIG, change: Partial<RolloutTrace> = {}) {
  const trained: (readonly Example[])[] = [];
  const asked: string[] = [];
  const step = await rsftStep(
    PROMPTS,
    {
      rollouts: (requests) => {
        asked.push(...requests.map(({ task, sample }) => `${task.id}${String(sample)}`));
        return Promise.resolve(
          rewards.map((reward, i) => makeTrace({ reward, sequences: [makeSequence([9, i], [0, 1])], ...change })),
        );
      },
      train: (examples) => {
        trained.push(examples);
        return Promise.resolve({ loss: trained.length, gradNorm: 2, targets: examples.length, positions: 0 });
      },
    },
    config,
  );
  return { ...step, trained, asked };
}

describe("selectAccepted", () => {
  it("refuses a reward of exactly the threshold", () => {
    const traces = [0.5, 0.500001, 0.4, 1].map((reward) => makeTrace({ reward }));
    expect(selectAccepted(traces, 0.5).map(({ reward }) => reward)).toEqual([0.500001, 1]);
  });

  it("keeps equal rollouts, all of them, in rollout order", () => {
    const traces = [1, 0, 1, 1].map((reward, i) => makeTrace({ reward, key: String(i) }));
    expect(selectAccepted(traces, 0.5).map(({ key }) => key)).toEqual(["0", "2", "3"]);
  });
});

describe("toExamples", () => {
  it("targets the sampled tokens of every turn and of every sequence", () => {
    const trace = makeTrace({
      sequences: [makeSequence([1, 2, 3, 4, 5], [0, 1, 0, 0, 1]), makeSequence([7, 8], [0, 1])],
    });
    expect(toExamples([trace])).toEqual([
      { ids: [1, 2, 3, 4, 5], mask: [0, 1, 0, 0, 1] },
      { ids: [7, 8], mask: [0, 1] },
    ]);
  });

  it("leaves out sequences in which nothing was sampled", () => {
    expect(toExamples([makeTrace({ sequences: [makeSequence([1, 2], [0, 0])] })])).toEqual([]);
  });
});

describe("miniBatches", () => {
  it("cuts in rollout order and keeps the rest", () => {
    const traces = Array.from({ length: 5 }, (_, i) => makeTrace({ key: String(i) }));
    expect(miniBatches(traces, 2).map((batch) => batch.map(({ key }) => key).join(""))).toEqual(["01", "23", "4"]);
  });
});

describe("rsftStep", () => {
  it("asks for all samples of a prompt before those of the next", async () => {
    const { asked } = await stepWith(Array<number>(12).fill(0));
    expect(asked).toEqual(["a0", "a1", "a2", "a3", "b0", "b1", "b2", "b3", "c0", "c1", "c2", "c3"]);
  });

  it("trains once on what was accepted, in mini-batches, and reports the token mean", async () => {
    const rewards = [1, 1, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0];
    const { trained, metrics } = await stepWith(rewards, { ...CONFIG, miniBatch: 4 });
    expect(trained.map((batch) => batch.map(({ ids }) => ids[1]))).toEqual([[0, 1, 2, 3], [5]]);
    expect(metrics).toMatchObject({
      rollouts: 12,
      accepted: 5,
      acceptRate: 5 / 12,
      reward: 5 / 12,
      promptsSolved: 1 / 3,
      promptsUnsolved: 1 / 3,
      loss: (1 * 4 + 2 * 1) / 5,
      gradNorm: 2,
      updates: 2,
      skipped: false,
      tokensSampled: 24,
      tokensTrained: 5,
      completionLength: 2,
    });
  });

  it("makes no optimiser step when nothing is accepted", async () => {
    const { trained, metrics } = await stepWith(Array<number>(12).fill(0.5));
    expect(trained).toEqual([]);
    expect(metrics).toMatchObject({ accepted: 0, skipped: true, updates: 0, loss: null, gradNorm: null, reward: 0.5 });
  });

  it("leaves rollouts in which nothing was sampled out of the reward", async () => {
    const usage = { tokens: 0, turns: 0, toolCalls: 0, fuel: 0 };
    expect((await stepWith(Array<number>(12).fill(1), CONFIG, { usage })).metrics.reward).toBe(0);
  });

  it("counts rollouts that a token limit cut off as clipped", async () => {
    const limit = await stepWith(Array<number>(12).fill(0), CONFIG, { outcome: "limit", detail: "tokens" });
    expect(limit.metrics.clipped).toBe(1);
    const other = await stepWith(Array<number>(12).fill(0), CONFIG, { outcome: "limit", detail: "turns" });
    expect(other.metrics.clipped).toBe(0);
  });
});
