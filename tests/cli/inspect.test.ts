import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseTrainBatch } from "../../src/cli/commands/inspect.ts";
import { runCommandLine } from "../../src/cli/dispatch.ts";
import { parseSafetensors } from "../../src/weights/safetensors.ts";
import { fakeTerminal } from "../support/fake-terminal.ts";
import { hasSharedData, sharedData } from "../support/shared-data.ts";

const MODELS = sharedData("models");
const isDataThere = hasSharedData("models");

type Logits = { readonly ids: number[]; readonly logits: number[][] };
type Training = {
  readonly steps: { readonly loss: number; readonly gradNorm: number }[];
  readonly gradients: Record<string, number[]>;
  readonly adapter: Record<string, number[]>;
};
type Case = { readonly input_ids: number[]; readonly positions?: number[]; readonly logits: number[][] };
type AdapterFixture = {
  readonly prompt: Case;
  readonly batch: { readonly input_ids: number[][]; readonly loss_mask: number[][] };
  readonly loss: number;
  readonly grad: { readonly global_norm: number };
};

let scratch = "";
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "spyhop-inspect-"));
});
afterAll(async () => {
  await rm(scratch, { recursive: true, force: true });
});

async function inspect<T>(...argv: string[]): Promise<T> {
  const terminal = fakeTerminal();
  const status = await runCommandLine(["inspect", ...argv, "--device", "cpu", "--json"], terminal);
  expect({ status, stderr: terminal.stderr() }).toEqual({ status: 0, stderr: "" });
  return JSON.parse(terminal.stdout()) as T;
}

async function readFixture<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(join(MODELS, path, "expected.json"), "utf8")) as T;
}

function largestGap(actual: readonly number[], expected: ArrayLike<number>): number {
  expect(actual.length).toBe(expected.length);
  return actual.reduce((gap, value, i) => Math.max(gap, Math.abs(value - (expected[i] ?? NaN))), 0);
}

describe.runIf(isDataThere).each(["qwen2", "qwen3", "qwen3_5"])("inspect on %s", (family) => {
  const model = join(MODELS, `tiny_${family}`);
  const adapter = join(MODELS, `lora_${family}`);

  test("logits agree with the float64 reference", async () => {
    const { cases } = await readFixture<{ cases: Case[] }>(`tiny_${family}`);
    for (const { input_ids: ids, logits, positions } of cases) {
      const actual = await inspect<Logits>("logits", "--model", model, "--ids", ids.join(","));
      expect(actual.ids).toEqual(ids);
      expect(actual.logits).toHaveLength(ids.length);
      logits.forEach((row, i) => {
        expect(largestGap(actual.logits[positions?.[i] ?? i] ?? [], row)).toBeLessThan(1e-4);
      });
    }
  });

  test("logits with an adapter agree with the float64 reference", async () => {
    const { prompt } = await readFixture<AdapterFixture>(`lora_${family}`);
    const ids = prompt.input_ids.join(",");
    const actual = await inspect<Logits>("logits", "--model", model, "--adapter", adapter, "--ids", ids);
    prompt.logits.forEach((row, t) => {
      expect(largestGap(actual.logits[t] ?? [], row)).toBeLessThan(1e-4);
    });
  });

  test("loss, gradients and three optimiser steps agree with the float64 reference", async () => {
    const { batch, loss, grad } = await readFixture<AdapterFixture>(`lora_${family}`);
    const file = join(scratch, `${family}.json`);
    const sequences = batch.input_ids.map((ids, i) => ({ ids, mask: batch.loss_mask[i] }));
    const optimizer = { lr: 1e-3, betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0.01, clip: 1 };
    await writeFile(file, JSON.stringify({ sequences, optimizer }));
    const argv = ["train", "--model", model, "--adapter", adapter, "--batch", file, "--steps", "3"];
    const actual = await inspect<Training>(...argv);
    expect(actual.steps).toHaveLength(3);
    expect(Math.abs((actual.steps[0]?.loss ?? NaN) - loss)).toBeLessThan(1e-5);
    expect(actual.steps[0]?.gradNorm).toBeCloseTo(grad.global_norm, 3);
    const [gradients, after] = await Promise.all(
      ["grads", "after_step3"].map(async (name) =>
        parseSafetensors(new Uint8Array(await readFile(join(adapter, `${name}.safetensors`)))),
      ),
    );
    expect(Object.keys(actual.gradients).sort()).toEqual([...gradients!.names].sort());
    for (const name of gradients!.names) {
      const expected = gradients!.read(name).data;
      const largest = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
      expect(largestGap(actual.gradients[name] ?? [], expected) / largest).toBeLessThan(1e-4);
      expect(largestGap(actual.adapter[name] ?? [], after!.read(name).data)).toBeLessThan(1e-5);
    }
  });

  test("a token outside the vocabulary is named", async () => {
    const terminal = fakeTerminal();
    const status = await runCommandLine(["inspect", "logits", "--model", model, "--ids", "1,999"], terminal);
    expect(status).toBe(2);
    expect(terminal.stderr()).toContain("token 999 is outside the vocabulary");
  });
});

describe("parseTrainBatch", () => {
  const optimizer = { lr: 1e-3, betas: [0.9, 0.999], eps: 1e-8, weightDecay: 0, clip: 1 };
  const sequences = [{ ids: [1, 2, 3], mask: [0, 1, 0] }];

  test("takes a whole batch", () => {
    expect(parseTrainBatch({ sequences, optimizer }, "b.json")).toEqual({ examples: sequences, optimizer });
  });

  test.each([
    [{}, "b.json: sequences"],
    [[], "b.json: document"],
    [{ sequences: [], optimizer }, "b.json: sequences"],
    [
      { sequences: [{ ids: [1, 2], mask: [0] }], optimizer },
      "b.json: sequences[0]: ids and mask differ in length, 2 and 1",
    ],
    [{ sequences: [{ ids: [1, -2], mask: [0, 1] }], optimizer }, "b.json: sequences[0].ids[1]"],
    [{ sequences: [{ ids: [1, 2], mask: [0, 2] }], optimizer }, "b.json: sequences[0].mask[1]"],
    [{ sequences: [{ ids: [1, 2], mask: [1, 0] }], optimizer }, "b.json: no target"],
    [{ sequences, optimizer: { ...optimizer, lr: "x" } }, "b.json: optimizer.lr"],
    [{ sequences, optimizer: { ...optimizer, betas: [0.9, 1] } }, "b.json: optimizer.betas[1]"],
    [{ sequences, optimizer: { ...optimizer, momentum: 1 } }, "b.json: optimizer"],
  ])("refuses %j", (json, message) => {
    expect(() => parseTrainBatch(json, "b.json")).toThrow(message);
  });
});
