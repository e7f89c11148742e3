/** Cached, batched decoding against the full forward pass, on one device; the unit and browser suites both run it. */
import { describe, expect, it } from "vitest";
import { createDecodeModel, type WeightPlacement } from "../../src/generation/decode-graph.ts";
import type { Completion, SamplingConfig } from "../../src/generation/completer.ts";
import type { DecodeModel } from "../../src/generation/decode-model.ts";
import { createEngine } from "../../src/generation/engine.ts";
import { openRuntime } from "../../src/platform/node/ort-node.ts";
import type { DeviceName } from "../../src/runtime/session.ts";
import { createScorer, type Scorer } from "../../src/training/scorer.ts";
import { fixtureAdapter, fixtureDecoder, hasModels } from "./fixtures.ts";

const GREEDY = { temperature: 0, topK: 0, topP: 1 };
const PROMPTS = [
  [5, 17, 200],
  [5, 17, 200],
  [9, 31, 77, 12, 250, 3, 8, 90, 41],
  [1],
  [9, 31, 77, 12, 101],
  [60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84, 85, 86, 87, 88],
] as const;

async function greedyByScoring(scorer: Scorer, prompt: readonly number[], newTokens: number): Promise<number[]> {
  const ids = [...prompt];
  for (let i = 0; i < newTokens; i += 1) {
    const row = (await scorer.logits(ids)).at(-1)!;
    ids.push(row.indexOf(Math.max(...row)));
  }
  return ids.slice(prompt.length);
}

async function drawByEngine(model: DecodeModel, sampling: SamplingConfig, newTokens: number): Promise<Completion[]> {
  const engine = createEngine({ model, decode: () => "", endIds: [7], sampling, maxRows: 4 });
  const replies = PROMPTS.map((prompt, i) =>
    engine.complete({ prompt, maxTokens: newTokens - i, stop: [], stream: [i], conversation: String(i) }),
  );
  return Promise.all(replies);
}

async function greedyByEngine(model: DecodeModel, maxRows: number, newTokens: number): Promise<(readonly number[])[]> {
  const engine = createEngine({ model, decode: () => "", endIds: [], sampling: GREEDY, maxRows });
  const replies = PROMPTS.map((prompt, i) =>
    engine.complete({ prompt, maxTokens: newTokens, stop: [], stream: [i], conversation: String(i) }),
  );
  return (await Promise.all(replies)).map(({ ids }) => ids);
}

/** Declares the suite for `device`. */
export function describeCachedDecoding(device: DeviceName, placements: readonly WeightPlacement[]): void {
  describe.skipIf(!hasModels).each(placements)(`decoding on ${device} with weights as %s`, async (placement) => {
    const runtime = await openRuntime(device, { threads: 1 });
    // Without a GPU each length compiles anew.
    const newTokens = device === "webgpu" ? 8 : 12;
    it.each(
      [
        ["tiny_qwen2", "lora_qwen2"],
        ["tiny_qwen3", "lora_qwen3"],
        ["tiny_qwen3_5", "lora_qwen3_5_linear"],
        // Without a GPU this one takes minutes; there its bursts and its full passes are compared elsewhere.
      ].slice(0, device === "webgpu" ? 2 : 3),
    )("%s gives the tokens of the full forward pass, batched or alone", async (name, adapterName) => {
      const decoder = await fixtureDecoder(name);
      const adapter = await fixtureAdapter(adapterName, decoder);
      await using scorer = await createScorer(runtime, decoder, adapter);
      await using model = await createDecodeModel({ runtime, decoder, adapter, placement, contextLength: 128 });
      const expected: number[][] = [];
      for (const prompt of PROMPTS) expected.push(await greedyByScoring(scorer, prompt, newTokens));
      expect(await greedyByEngine(model, 8, newTokens)).toEqual(expected);
      expect(await greedyByEngine(model, 1, newTokens)).toEqual(expected);
    });

    it.each(
      [
        { family: "qwen3", temperature: 1, topK: 20, topP: 1 },
        { family: "qwen3_5", temperature: 1, topK: 20, topP: 1 },
        { family: "qwen3", temperature: 0.7, topK: 0, topP: 1 },
      ].slice(0, device === "webgpu" ? 2 : 3),
    )("samples in bursts what it samples in single steps, at %j", async ({ family, ...sampling }) => {
      const decoder = await fixtureDecoder(`tiny_${family}`);
      const adapter = await fixtureAdapter(`lora_${family}`, decoder);
      const parts = { runtime, decoder, adapter, placement, contextLength: 128, sampling };
      await using steps = await createDecodeModel({ ...parts, burstSteps: 1 });
      await using bursts = await createDecodeModel({ ...parts, burstSteps: 5 });
      expect([steps.burst, bursts.burst?.steps]).toEqual([undefined, 5]);
      const one = await drawByEngine(steps, sampling, newTokens);
      const many = await drawByEngine(bursts, sampling, newTokens);
      expect(many.map(({ ids, finish }) => ({ ids, finish }))).toEqual(one.map(({ ids, finish }) => ({ ids, finish })));
      const [a, b] = [one, many].map((replies) => replies.flatMap(({ logprobs }) => logprobs));
      for (const [i, logprob] of a!.entries()) expect(b![i]).toBeCloseTo(logprob, 4);
    });

    it("follows the adapter when it changes, and is the base without one", async () => {
      const decoder = await fixtureDecoder("tiny_qwen3");
      const adapter = await fixtureAdapter("lora_qwen3", decoder);
      await using model = await createDecodeModel({ runtime, decoder, adapter, placement, contextLength: 128 });
      const adapted = await greedyByEngine(model, 8, newTokens);
      model.setAdapter(undefined);
      const base = await greedyByEngine(model, 8, newTokens);
      expect(base).not.toEqual(adapted);
      await using scorer = await createScorer(runtime, decoder);
      expect(base[0]).toEqual(await greedyByScoring(scorer, PROMPTS[0], newTokens));
      model.setAdapter(adapter);
      expect(await greedyByEngine(model, 8, newTokens)).toEqual(adapted);
    });
  });
}
