/** `inspect logits` and `inspect train`: what the engine computes, as plain numbers that another engine can check. */
import { z } from "zod";
import { ConfigError } from "../../base/errors.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { AdapterValues } from "../../model/lora.ts";
import { flatViews, type FlatLayout } from "../../model/parameters.ts";
import type { Runtime } from "../../runtime/session.ts";
import type { Example, OptimizerConfig } from "../../training/example.ts";
import { createGradientMachine, type GradientMachine } from "../../training/gradient.ts";
import { createScorer } from "../../training/scorer.ts";
import { createTrainedState, createTrainer } from "../../training/trainer.ts";
import { parseIds, requireValue, type Arguments } from "../args.ts";
import { readJsonDocument } from "../files.ts";
import { printJson, type Terminal } from "../terminal.ts";
import { openDevice, readAdapter, readDecoder, type NamedDecoder } from "../model-files.ts";

/** Prints the logits of each position of a token sequence. */
export async function inspectLogits(args: Arguments, terminal: Terminal): Promise<number> {
  const ids = parseIds(requireValue(args.text("ids"), "--ids"));
  const model = await readDecoder(requireValue(args.text("model"), "--model"));
  checkIds(ids, model, "--ids");
  const adapterFolder = args.text("adapter");
  const adapter = adapterFolder === undefined ? undefined : await readAdapter(adapterFolder, model.config);
  const runtime = await openDevice(args);
  const logits = await scoreSequence(ids, { model, adapter, runtime });
  if (args.flag("json")) printJson(terminal, { ids, logits });
  else terminal.out(logits.map((row, t) => `${formatTop(row, t, ids)}\n`).join(""));
  return 0;
}

/** Takes optimiser steps on one batch and prints losses, the first gradients and the adapter that comes out. */
export async function inspectTrain(args: Arguments, terminal: Terminal): Promise<number> {
  const path = requireValue(args.text("batch"), "--batch");
  const batch = parseTrainBatch(await readJsonDocument(path, "batch file"), path);
  const model = await readDecoder(requireValue(args.text("model"), "--model"));
  batch.examples.forEach(({ ids }, i) => {
    checkIds(ids, model, `${path}: sequences[${String(i)}].ids`);
  });
  const adapter = await readAdapter(requireValue(args.text("adapter"), "--adapter"), model.config);
  const runtime = await openDevice(args);
  const result = await trainSteps(batch, { model, adapter, runtime, steps: args.integer("steps") ?? 1 });
  if (args.flag("json")) printJson(terminal, result);
  else
    terminal.out(
      result.steps
        .map(
          ({ loss, gradNorm }, i) => `step ${String(i + 1)}: loss ${String(loss)}, gradient norm ${String(gradNorm)}\n`,
        )
        .join(""),
    );
  return 0;
}

/** What a batch file holds. */
export type TrainBatch = { readonly examples: readonly Example[]; readonly optimizer: OptimizerConfig };

const SHARE = z.number().min(0).lt(1);
const BATCH_SHAPE = z.strictObject({
  sequences: z
    .array(
      z.strictObject({
        ids: z.array(z.int().min(0)).min(2),
        mask: z.array(z.union([z.literal(0), z.literal(1)])),
      }),
    )
    .min(1),
  optimizer: z.strictObject({
    lr: z.number().min(0),
    betas: z.tuple([SHARE, SHARE]),
    eps: z.number().positive(),
    weightDecay: z.number().min(0),
    clip: z.number().positive(),
  }),
});

/**
 * Reads the content of a batch file; `path` names it in messages.
 * @throws {ConfigError} Naming the first field that is missing, unknown or out of range.
 */
export function parseTrainBatch(json: JsonValue, path: string): TrainBatch {
  const parsed = BATCH_SHAPE.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new ConfigError(`${path}: ${formatIssuePath(issue?.path ?? [])}: ${issue?.message ?? "not a batch"}`);
  }
  const { sequences, optimizer } = parsed.data;
  sequences.forEach(({ ids, mask }, i) => {
    if (ids.length !== mask.length)
      throw new ConfigError(
        `${path}: sequences[${String(i)}]: ids and mask differ in length, ${String(ids.length)} and ${String(mask.length)}`,
      );
  });
  if (!sequences.some(({ mask }) => mask.slice(1).includes(1)))
    throw new ConfigError(`${path}: no target: some mask must be 1 after the first token`);
  return { examples: sequences, optimizer };
}

type Parts = { readonly model: NamedDecoder; readonly runtime: Runtime };

async function scoreSequence(
  ids: readonly number[],
  { model, adapter, runtime }: Parts & { readonly adapter: AdapterValues | undefined },
): Promise<number[][]> {
  await using scorer = await createScorer(runtime, model, adapter);
  return (await scorer.logits(ids)).map((row) => Array.from(row));
}

type TrainResult = {
  readonly steps: readonly { readonly loss: number; readonly gradNorm: number }[];
  /** Of the first step, before clipping. */
  readonly gradients: JsonObject;
  /** After the last step. */
  readonly adapter: JsonObject;
};

async function trainSteps(
  { examples, optimizer }: TrainBatch,
  { model, adapter, runtime, steps }: Parts & { readonly adapter: AdapterValues; readonly steps: number },
): Promise<TrainResult> {
  const { lora, layout, flat } = adapter;
  await using machine = await createGradientMachine({
    runtime,
    config: model.config,
    trainable: { kind: "adapter", values: model.values, lora, mode: "low-rank" },
  });
  let gradients: JsonObject | undefined;
  const observed: GradientMachine = {
    ...machine,
    lossGradient: async (trained, batch) => {
      const pass = await machine.lossGradient(trained, batch);
      gradients ??= listTensors(pass.gradient, layout);
      return pass;
    },
  };
  const trainer = createTrainer(observed, createTrainedState(flat), optimizer);
  const taken: { loss: number; gradNorm: number }[] = [];
  for (let step = 0; step < steps; step += 1) {
    const { loss, gradNorm } = await trainer.step(examples);
    taken.push({ loss, gradNorm });
  }
  return { steps: taken, gradients: gradients ?? {}, adapter: listTensors(flat, layout) };
}

function listTensors(flat: Float32Array, layout: FlatLayout): JsonObject {
  return Object.fromEntries([...flatViews(flat, layout)].map(([name, values]) => [name, Array.from(values)]));
}

function checkIds(ids: readonly number[], { config, name }: NamedDecoder, what: string): void {
  const outside = ids.find((id) => id >= config.vocabulary);
  if (outside !== undefined)
    throw new ConfigError(
      `${what}: token ${String(outside)} is outside the vocabulary of ${name}, ${String(config.vocabulary)}`,
    );
}

function formatIssuePath(path: readonly PropertyKey[]): string {
  return path.length === 0
    ? "document"
    : path.map((key, i) => (typeof key === "number" ? `[${String(key)}]` : (i > 0 ? "." : "") + String(key))).join("");
}

function formatTop(row: readonly number[], position: number, ids: readonly number[]): string {
  const top = row.map((logit, id) => ({ id, logit })).sort((a, b) => b.logit - a.logit);
  const best = top.slice(0, 5).map(({ id, logit }) => `${String(id)} (${logit.toFixed(4)})`);
  return `position ${String(position)}, token ${String(ids[position])}: ${best.join(", ")}`;
}
