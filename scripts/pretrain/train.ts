/**
 * Pretrains the tiny model from scratch with the project's own trainer, in full-parameter mode of the same graphs.
 *
 *   npx tsx scripts/pretrain/train.ts --tokens 20e6 --seed 1 --out models/tiny
 *
 * Work in progress is kept in `.pretrain/` every 100 steps; the same command goes on from there. The schedule is a
 * function of tokens seen and `--tokens`, so a run may be given a longer or shorter end.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createRng } from "../../src/base/rng.ts";
import { parseDecoderConfig, type DecoderConfig } from "../../src/model/decoder-config.ts";
import { flatViews, type FlatLayout } from "../../src/model/parameters.ts";
import { openRuntime } from "../../src/platform/node/ort-node.ts";
import type { Runtime } from "../../src/runtime/session.ts";
import { clipNorm, globalNorm } from "../../src/training/adamw.ts";
import type { Example } from "../../src/training/example.ts";
import { createGradientMachine, type GradientMachine } from "../../src/training/gradient.ts";
import { createMuonAdam, type MuonAdamState } from "../../src/training/muon-adam.ts";
import { formatSafetensors, parseSafetensors } from "../../src/weights/safetensors.ts";
import { FAMILIES, transcriptAt } from "./corpus.ts";
import { createEncoder, type Encoder, type TokenizerFile } from "./encoder.ts";
import { encodeDocument } from "./document.ts";

const { values: args } = parseArgs({
  options: {
    tokens: { type: "string", default: "20e6" },
    seed: { type: "string", default: "1" },
    out: { type: "string", default: "models/tiny" },
    work: { type: "string", default: ".pretrain" },
    threads: { type: "string", default: "2" },
    lr: { type: "string", default: "4e-3" },
  },
});

const OPTIMIZER = { momentum: 0.95, betas: [0.9, 0.98], eps: 1e-8, weightDecay: 0.05 } as const;
const STEP_TOKENS = 3072;
const RUN_POSITIONS = 1536;
const WARM_UP_TOKENS = 100 * STEP_TOKENS;
const DECAY_SHARE = 0.3;
const CLIP = 1;
const LONGEST = 512;
const SAVE_EVERY = 100;
const VALIDATE_EVERY = 200;
const VALIDATION_DOCUMENTS = 24;

type Progress = { step: number; tokens: number; document: number };

const totalTokens = Number(args.tokens);
const seed = Number(args.seed);

/** Constant after a warm-up, then linear to zero over the last 30 % of the tokens. */
function learningRate(tokens: number): number {
  const warmUp = Math.min(1, (tokens + STEP_TOKENS) / WARM_UP_TOKENS);
  const decay = Math.min(1, (totalTokens - tokens) / (DECAY_SHARE * totalTokens));
  return Number(args.lr) * Math.max(0, Math.min(warmUp, decay));
}

/** Normal weights of deviation 0.02, smaller where a residual branch ends; norms 1. */
function initialValues(config: DecoderConfig, layout: FlatLayout): Float32Array {
  const rng = createRng("pretrain-init", seed);
  const values = new Float32Array(layout.size).fill(1);
  for (const { name, shape, offset, length } of layout.entries) {
    if (shape.length < 2) continue;
    const isResidual = name.includes("o_proj") || name.includes("down_proj");
    const deviation = isResidual ? 0.02 / Math.sqrt(2 * config.layers) : 0.02;
    for (let i = 0; i < length; i += 1) values[offset + i] = deviation * rng.normal();
  }
  return values;
}

/** The next documents of the stream, about `STEP_TOKENS` tokens of them. */
function nextExamples(progress: Progress, encoder: Encoder): Example[] {
  const examples: Example[] = [];
  let tokens = 0;
  while (tokens < STEP_TOKENS) {
    const { ids, weights } = encodeDocument(transcriptAt(seed, progress.document).messages, encoder);
    progress.document += 1;
    if (ids.length > LONGEST) continue;
    examples.push({ ids, mask: weights });
    tokens += ids.length;
  }
  progress.tokens += tokens;
  return examples;
}

/** Mean loss on assistant tokens of documents that no step sees, by family. */
async function validate(machine: GradientMachine, values: Float32Array, encoder: Encoder): Promise<string> {
  const losses: string[] = [];
  for (const family of FAMILIES) {
    const examples = Array.from({ length: VALIDATION_DOCUMENTS }, (_, i): Example => {
      const { ids, weights } = encodeDocument(transcriptAt(-1, i, family).messages, encoder);
      return { ids, mask: weights.map((weight) => (weight === 1 ? 1 : 0)) };
    });
    losses.push(`"${family}":${(await machine.lossGradient(values, examples)).loss.toFixed(4)}`);
  }
  return `{${losses.join(",")}}`;
}

type Saved = { readonly values: Float32Array; readonly optimizer: MuonAdamState; readonly progress: Progress };

function save(file: string, { values, optimizer, progress }: Saved): void {
  const tensors = { values, momentum: optimizer.momentum, m: optimizer.adam.m, v: optimizer.adam.v };
  const bytes = formatSafetensors(
    Object.fromEntries(Object.entries(tensors).map(([name, data]) => [name, { shape: [data.length], data }])),
    { metadata: { progress: JSON.stringify(progress) } },
  );
  writeFileSync(`${file}.tmp`, bytes);
  writeFileSync(`${file}.json`, JSON.stringify(progress));
  renameSync(`${file}.tmp`, file);
}

function restore(file: string): Saved | undefined {
  if (!existsSync(file)) return undefined;
  const tensors = parseSafetensors(readFileSync(file), file);
  const progress = JSON.parse(tensors.metadata["progress"] ?? "{}") as Progress;
  const read = (name: string): Float32Array => tensors.read(name).data.slice();
  const adam = { m: read("m"), v: read("v"), step: progress.step };
  return { values: read("values"), optimizer: { momentum: read("momentum"), adam }, progress };
}

function publish(values: Float32Array, layout: FlatLayout): void {
  const views = flatViews(values, layout);
  const tensors = layout.entries.map(({ name, shape }) => [name, { shape, data: views.get(name) ?? values }] as const);
  const bytes = formatSafetensors(Object.fromEntries(tensors), { metadata: { format: "pt" } });
  writeFileSync(join(args.out, "model.safetensors"), bytes);
}

type Session = { readonly machine: GradientMachine; readonly runtime: Runtime; readonly encoder: Encoder };

async function pretrain({ machine, runtime, encoder }: Session, config: DecoderConfig): Promise<void> {
  const file = join(args.work, `seed-${args.seed}.safetensors`);
  const log = join(args.work, `seed-${args.seed}.jsonl`);
  const saved = restore(file);
  const values = saved?.values ?? initialValues(config, machine.layout);
  const progress = saved?.progress ?? { step: 0, tokens: 0, document: 0 };
  const { layout } = machine;
  const state = saved ? { state: saved.optimizer } : {};
  await using optimizer = await createMuonAdam({ runtime, layout, config: OPTIMIZER, ...state });
  const began = performance.now();
  const from = progress.tokens;
  let smooth = NaN;
  while (progress.tokens < totalTokens) {
    const lr = learningRate(progress.tokens);
    const { loss, gradient } = await machine.lossGradient(values, nextExamples(progress, encoder));
    clipNorm(gradient, globalNorm(gradient), CLIP);
    await optimizer.step(values, gradient, lr);
    progress.step += 1;
    smooth = Number.isNaN(smooth) ? loss : 0.98 * smooth + 0.02 * loss;
    if (progress.step % SAVE_EVERY === 0) save(file, { values, optimizer: optimizer.state, progress });
    const isLast = progress.tokens >= totalTokens;
    if (progress.step % VALIDATE_EVERY !== 0 && !isLast) continue;
    const rate = (progress.tokens - from) / ((performance.now() - began) / 1000);
    const validation = await validate(machine, values, encoder);
    const line = `{"step":${String(progress.step)},"tokens":${String(progress.tokens)},"lr":${lr.toPrecision(3)},"loss":${smooth.toFixed(4)},"validation":${validation}}`;
    appendFileSync(log, `${line}\n`);
    console.log(`${line} ${rate.toFixed(0)} tokens/s`);
  }
  save(file, { values, optimizer: optimizer.state, progress });
  publish(values, layout);
}

const config = parseDecoderConfig(JSON.parse(readFileSync(join(args.out, "config.json"), "utf8")) as never);
const tokenizer = JSON.parse(readFileSync(join(args.out, "tokenizer.json"), "utf8")) as TokenizerFile;
mkdirSync(args.work, { recursive: true });
const runtime = await openRuntime("cpu", { threads: Number(args.threads) });
await using machine = await createGradientMachine({
  runtime,
  config,
  trainable: { kind: "full" },
  positions: RUN_POSITIONS,
});
await pretrain({ machine, runtime, encoder: createEncoder(tokenizer) }, config);
