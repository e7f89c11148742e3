/** Model, gradient and optimiser against the float64 fixtures, for one device; the unit and browser suites both run it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { mergeAdapter } from "../../src/model/lora.ts";
import { flatViews } from "../../src/model/parameters.ts";
import { openRuntime } from "../../src/platform/node/ort-node.ts";
import type { DeviceName } from "../../src/runtime/session.ts";
import { createGradientMachine } from "../../src/training/gradient.ts";
import { createScorer } from "../../src/training/scorer.ts";
import { createTrainedState, createTrainer } from "../../src/training/trainer.ts";
import { parseSafetensors } from "../../src/weights/safetensors.ts";
import { fixtureAdapter, fixtureDecoder, hasModels, MODELS, readFixture } from "./fixtures.ts";

type ModelFixture = {
  readonly cases?: readonly {
    readonly input_ids: number[];
    readonly positions?: number[];
    readonly logits: number[][];
  }[];
};
type AdapterFixture = {
  readonly prompt: { readonly input_ids: number[]; readonly logits: number[][] };
  readonly batch: { readonly input_ids: number[][]; readonly loss_mask: number[][] };
  readonly loss: number;
  readonly adamw: { readonly steps: readonly { readonly loss_before: number; readonly grad_norm: number }[] };
};

const OPTIMIZER = { lr: 1e-3, betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0.01, clip: 1 } as const;
const PAIRS = [
  ["tiny_qwen2", "lora_qwen2"],
  ["tiny_qwen3", "lora_qwen3"],
  ["tiny_qwen3_5", "lora_qwen3_5_linear"],
  ["tiny_qwen3_5", "lora_qwen3_5"],
] as const;

function largest(values: ArrayLike<number>): number {
  return Array.from(values).reduce((a, b) => Math.max(a, Math.abs(b)), 0);
}

/** Largest absolute difference. */
function distance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  return largest(Array.from(a, (value, i) => value - b[i]!));
}

function readTensors(folder: string, file: string): ReadonlyMap<string, Float32Array> {
  const tensors = parseSafetensors(readFileSync(join(MODELS, folder, file)), file);
  return new Map([...tensors.entries.keys()].map((name) => [name, tensors.read(name).data]));
}

/** Declares the suite for `device`. */
export function describeParity(device: DeviceName): void {
  // The body of a suite that is skipped runs all the same, and this one reads the fixtures.
  if (!hasModels) {
    it.skip(`agrees with float64 on ${device}: no folder ${MODELS}`, () => {
      expect(hasModels).toBe(true);
    });
    return;
  }
  // Without a GPU a hybrid takes minutes: one adapter, the one with all modules, in one mode and without steps is enough there.
  const pairs = device === "webgpu" ? PAIRS.slice(0, 3) : PAIRS;
  describe.each(pairs)(`%s and %s on ${device}`, async (modelName, adapterName) => {
    const runtime = await openRuntime(device, { threads: 1 });
    const decoder = await fixtureDecoder(modelName);
    const adapter = await fixtureAdapter(adapterName, decoder);
    const expected = readFixture(adapterName, "expected.json") as AdapterFixture;

    it("scores prompts within 1e-4 of float64", async () => {
      await using scorer = await createScorer(runtime, decoder);
      const { cases = [] } = readFixture(modelName, "expected.json") as ModelFixture;
      expect(cases.length).toBeGreaterThan(0);
      for (const { input_ids: ids, positions, logits } of cases) {
        const actual = await scorer.logits(ids);
        logits.forEach((row, i) => {
          expect(distance(actual[positions?.[i] ?? i]!, row)).toBeLessThan(1e-4);
        });
      }
    });

    it("scores with an adapter, unmerged and merged, within 1e-4 of float64", async () => {
      await using adapted = await createScorer(runtime, decoder, adapter);
      const merged = new Map([...decoder.values].map(([name, data]) => [name, data.slice()]));
      mergeAdapter(merged, adapter);
      await using plain = await createScorer(runtime, { config: decoder.config, values: merged });
      for (const scorer of [adapted, plain]) {
        const actual = await scorer.logits(expected.prompt.input_ids);
        expected.prompt.logits.forEach((row, t) => {
          expect(distance(actual[t]!, row)).toBeLessThan(1e-4);
        });
      }
    });

    const isSlow = device === "webgpu" && modelName === "tiny_qwen3_5";
    it.each((["low-rank", "merged"] as const).slice(0, isSlow ? 1 : 2))(
      "trains in %s mode as float64 does",
      async (mode) => {
        const trainable = { kind: "adapter", values: decoder.values, lora: adapter.lora, mode } as const;
        await using machine = await createGradientMachine({ runtime, config: decoder.config, trainable });
        const examples = expected.batch.input_ids.map((ids, b) => ({ ids, mask: expected.batch.loss_mask[b]! }));
        const { gradient, loss } = await machine.lossGradient(adapter.flat, examples);
        expect(Math.abs(loss - expected.loss)).toBeLessThan(1e-5);
        const views = flatViews(gradient, machine.layout);
        for (const [name, values] of readTensors(adapterName, "grads.safetensors"))
          expect(distance(views.get(name)!, values) / largest(values), name).toBeLessThan(1e-4);

        if (isSlow) return;
        const state = createTrainedState(adapter.flat.slice());
        const trainer = createTrainer(machine, state, OPTIMIZER);
        for (const step of expected.adamw.steps.slice(0, 3)) {
          const metrics = await trainer.step(examples);
          expect(Math.abs(metrics.loss - step.loss_before)).toBeLessThan(1e-4);
          expect(Math.abs(metrics.gradNorm / step.grad_norm - 1)).toBeLessThan(1e-4);
        }
        const trained = flatViews(state.values, machine.layout);
        for (const [name, values] of readTensors(adapterName, "after_step3.safetensors"))
          expect(distance(trained.get(name)!, values), name).toBeLessThan(1e-5);
      },
    );
  });
}
