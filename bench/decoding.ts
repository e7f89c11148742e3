/**
 * Useful sampled tokens a second of the batched engine on the tiny model, as rollouts use it: prompts shared by several
 * samples, lengths mixed, and a second turn that goes on from the first one's cache.
 *
 * Batches take turns, so that a busy moment of the machine does not fall on one of them alone; the best of each counts.
 */
import { createRng } from "../src/base/rng.ts";
import { openReplicaWorkers } from "../src/cli/replicas.ts";
import { readTokenizer, startReplicas } from "../src/experiment/model-policy.ts";
import { PRESET_TABLE } from "../src/experiment/presets.ts";
import { createDecodeModel } from "../src/generation/decode-graph.ts";
import { createEngine } from "../src/generation/engine.ts";
import type { Engine } from "../src/generation/engine-port.ts";
import { PAPER_SAMPLING } from "../src/generation/completer.ts";
import { loadDecoder } from "../src/model/load.ts";
import { openFolder } from "../src/platform/node/folder.ts";
import { openRuntime } from "../src/platform/node/ort-node.ts";
import { openCheckpoint } from "../src/weights/checkpoint.ts";
import type { Figure } from "./main.ts";

const MODEL = "models/tiny";
const BATCHES = [1, 8, 32, 64, 128] as const;
const REPLICAS = PRESET_TABLE.toy.rollout.replicas;
/** Fewer rows than this stay on one core. */
const LEAST_SPLIT = 32;
const SAMPLES = 8;
const TURNS = 2;
const FIRST_PROMPT = 60;
const NEXT_PROMPT = 12;
const LENGTHS = [6, 10, 16, 24, 40] as const;
const LEAST_TOKENS = 6000;
const ROUNDS = 4;

/** Tokens a second by batch, and what a full batch gains over one row. */
export async function benchDecoding(): Promise<readonly Figure[]> {
  const runtime = await openRuntime("cpu", { threads: 1 });
  const folder = await openFolder(MODEL);
  const decoder = await loadDecoder(await openCheckpoint(folder));
  const tokenizer = await readTokenizer(folder);
  await using model = await createDecodeModel({ runtime, decoder });
  await using workers = openReplicaWorkers(REPLICAS - 1);
  const rates = new Map<number, number>();
  const engines = await Promise.all(
    BATCHES.map(async (rows) => {
      const replicas = rows < LEAST_SPLIT ? 1 : REPLICAS;
      const settings = { endIds: [], sampling: PAPER_SAMPLING, maxRows: Math.ceil(rows / replicas) };
      const others = await startReplicas({ ...workers, count: replicas - 1 }, { decoder, tokenizer, settings });
      return { rows, engine: createEngine({ ...settings, model, decode: () => "", others }) };
    }),
  );
  for (const { rows, engine } of engines) await play(engine, rows, 0);
  for (let round = 1; round <= ROUNDS; round += 1)
    for (const { rows, engine } of engines)
      rates.set(rows, Math.max(rates.get(rows) ?? 0, await play(engine, rows, round)));
  const figures = BATCHES.map((rows): Figure => {
    const limit = rows === 64 ? { limit: ">= 12000" } : {};
    const figure = `useful tokens, batch ${String(rows)}`;
    return { bench: "decoding", figure, value: rates.get(rows) ?? NaN, unit: "tokens/s", ...limit };
  });
  const gain = (rates.get(32) ?? NaN) / (rates.get(1) ?? NaN);
  return [...figures, { bench: "decoding", figure: "batch 32 / batch 1", value: gain, unit: "ratio", limit: ">= 10" }];
}

/** Plays rollouts of `TURNS` turns, at least twice as many as the batch has rows, and returns tokens a second. */
async function play(engine: Engine, rows: number, round: number): Promise<number> {
  const perRollout = TURNS * (LENGTHS.reduce((sum, length) => sum + length, 0) / LENGTHS.length);
  const wanted = rows === 1 ? LEAST_TOKENS / 8 : LEAST_TOKENS * Math.max(1, rows / 32);
  const rollouts = Math.max(2 * rows, Math.ceil(wanted / perRollout));
  const start = performance.now();
  const before = engine.stats().tokensSampled;
  await Promise.all(Array.from({ length: rollouts }, (_, i) => rollout(engine, round, i)));
  return (engine.stats().tokensSampled - before) / ((performance.now() - start) / 1000);
}

async function rollout(engine: Engine, round: number, index: number): Promise<void> {
  const shared = createRng("bench-prompt", round, Math.floor(index / SAMPLES));
  const own = createRng("bench-rollout", round, index);
  const token = (rng: typeof own): number => 3 + rng.int(1000);
  let prompt = Array.from({ length: FIRST_PROMPT }, () => token(shared));
  const conversation = `${String(round)}:${String(index)}`;
  for (let turn = 0; turn < TURNS; turn += 1) {
    const stream = [conversation, turn];
    const { ids } = await engine.complete({ prompt, maxTokens: own.pick(LENGTHS), stop: [], stream, conversation });
    prompt = [...prompt, ...ids, ...Array.from({ length: NEXT_PROMPT }, () => token(own))];
  }
  engine.release(conversation);
}
