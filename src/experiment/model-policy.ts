/** `Policy` over a real model: one base checkpoint, one adapter that the engine samples with and the trainer changes. */
import { StoreError, WeightsError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { createRng } from "../base/rng.ts";
import { createDecodeModel } from "../generation/decode-graph.ts";
import { createEngine } from "../generation/engine.ts";
import type { Engine } from "../generation/engine-port.ts";
import type { ReplicaSettings } from "../generation/replica-port.ts";
import type { RemoteReplica, ReplicaSetup } from "../generation/remote-replica.ts";
import { formatAdapter, loadAdapter, loadDecoder, type Decoder } from "../model/load.ts";
import { adapterLayout, allLinear, initAdapter, type AdapterMode, type AdapterValues } from "../model/lora.ts";
import { parameterSpecs } from "../model/parameters.ts";
import type { Runtime } from "../runtime/session.ts";
import { createChatCodec, readChatTemplate, readEndIds } from "../text/chat-codec.ts";
import type { ChatCodec } from "../text/chat.ts";
import { createTokenizer, type TokenizerFiles } from "../text/tokenizer.ts";
import { createGradientMachine, type GradientMachine, type GradientMachineParts } from "../training/gradient.ts";
import { createTrainedState, createTrainer, type TrainedState } from "../training/trainer.ts";
import { openCheckpoint, readJsonFile } from "../weights/checkpoint.ts";
import type { FolderReader } from "../weights/folder.ts";
import { formatSafetensors, parseSafetensors } from "../weights/safetensors.ts";
import type { ExperimentConfig } from "./config.ts";
import type { AdapterState, Policy } from "./policy.ts";

/** Where copies of a small model may decode a share of the rows, each on a core of its own. */
export type ReplicaWorkers = {
  /** How many; fewer than `rollout.replicas`, the rest being the engine's own. */
  readonly count: number;
  readonly start: (setup: ReplicaSetup) => Promise<RemoteReplica>;
};

/** What `openPolicy` needs. */
export type OpenPolicyOptions = {
  /** What the run calls the model. */
  readonly name: string;
  /** The checkpoint: a Hugging Face folder. */
  readonly folder: FolderReader;
  readonly runtime: Runtime;
  readonly config: ExperimentConfig;
  /** A PEFT folder to begin with. @default a fresh adapter of `config.adapter` */
  readonly adapter?: FolderReader;
  /** @default none: all rows are decoded in this thread */
  readonly workers?: ReplicaWorkers;
};

/** An open policy and the codec of its tokenizer. Disposing frees the sessions. */
export type OpenedPolicy = AsyncDisposable & { readonly policy: Policy; readonly codec: ChatCodec };

/** Weights above this many values are left as they are and adapters added as low-rank products. */
const MOST_MERGED_VALUES = 64e6;

/**
 * Opens the checkpoint in `folder` for sampling and training.
 * @throws {WeightsError} If a file is missing, damaged or not supported.
 * @throws {DeviceError} If the device refuses a graph; that of training is compiled at the first step.
 */
export async function openPolicy(options: OpenPolicyOptions): Promise<OpenedPolicy> {
  const { name, folder, runtime, config, workers } = options;
  const checkpoint = await openCheckpoint(folder);
  const decoder = await loadDecoder(checkpoint);
  const codec = await openCodec(folder, decoder, config.rollout);
  const adapter = options.adapter ? await loadAdapter(decoder.config, options.adapter) : freshAdapter(decoder, config);
  const { sampling } = config;
  // Another device is one place to decode, however many cores the host has.
  const replicas = runtime.device === "cpu" ? config.rollout.replicas : 1;
  const settings: ReplicaSettings = {
    endIds: codec.endIds,
    sampling,
    seedKeys: [config.seed],
    maxRows: Math.ceil(config.rollout.concurrency / replicas),
  };
  const [model, others] = await Promise.all([
    createDecodeModel({ runtime, decoder, adapter, sampling }),
    startReplicas(workers, { decoder, adapter, tokenizer: await readTokenizer(folder), settings }),
  ]);
  const { lora } = adapter;
  const trainable = { kind: "adapter", values: decoder.values, lora, mode: adapterMode(decoder) } as const;
  const bytes = config.rsft.memory * 2 ** 30;
  const machine = new LazyMachine({ runtime, config: decoder.config, trainable, bytes });
  const engine = createEngine({ ...settings, model, decode: codec.decode, replicas: replicas - others.length, others });
  const description = { name, hash: await checkpoint.hash(), device: runtime.device };
  const policy = new ModelPolicy({ description, models: [model, ...others], engine, machine, adapter, config });
  return {
    policy,
    codec,
    [Symbol.asyncDispose]: async () => {
      await engine.idle();
      await model[Symbol.asyncDispose]();
      await machine[Symbol.asyncDispose]();
    },
  };
}

/** Options of `openCodec`. */
export type CodecOptions = Partial<Pick<ExperimentConfig["rollout"], "thinking">>;

/** The codec of the tokenizer in `folder`. */
export async function openCodec(
  folder: FolderReader,
  decoder: Decoder,
  { thinking = "" }: CodecOptions = {},
): Promise<ChatCodec> {
  const files = await readTokenizer(folder);
  const { config } = files;
  const tokenizer = createTokenizer(files);
  const generation = await readOptionalJson(folder, "generation_config.json");
  return createChatCodec({
    tokenizer,
    template: await readTemplate(folder, config),
    variables: thinking === "" ? {} : { enable_thinking: thinking === "on" },
    endIds: readEndIds({ tokenizer, config, generation }),
    vocabulary: decoder.config.vocabulary,
  });
}

/** The parsed tokenizer files of `folder`. */
export async function readTokenizer(folder: FolderReader): Promise<TokenizerFiles & { readonly config: JsonObject }> {
  const config = await readJsonFile(folder, "tokenizer_config.json");
  return { tokenizer: await readJsonFile(folder, "tokenizer.json"), config };
}

/** Starts all replicas of `workers`. */
export async function startReplicas(
  workers: ReplicaWorkers | undefined,
  setup: ReplicaSetup,
): Promise<RemoteReplica[]> {
  if (!workers) return [];
  return Promise.all(Array.from({ length: workers.count }, () => workers.start(setup)));
}

async function readTemplate(folder: FolderReader, config: JsonObject): Promise<string> {
  const bytes = await folder.read("chat_template.jinja");
  return bytes ? new TextDecoder().decode(bytes) : readChatTemplate(config);
}

async function readOptionalJson(folder: FolderReader, path: string): Promise<JsonObject | undefined> {
  return (await folder.read(path)) ? readJsonFile(folder, path) : undefined;
}

function freshAdapter(decoder: Decoder, { adapter, seed }: ExperimentConfig): AdapterValues {
  const lora = { ...adapter, targets: allLinear(decoder.config) };
  const layout = adapterLayout(decoder.config, lora);
  return { lora, layout, flat: initAdapter(layout, createRng(seed, "adapter")) };
}

function adapterMode({ config }: Decoder): AdapterMode {
  const values = parameterSpecs(config).reduce(
    (sum, { shape }) => sum + shape.reduce((product, dim) => product * dim, 1),
    0,
  );
  return values <= MOST_MERGED_VALUES ? "merged" : "low-rank";
}

type ModelPolicyParts = {
  readonly description: ReturnType<Policy["describe"]>;
  /** All that decode with the adapter. */
  readonly models: readonly { readonly setAdapter: (adapter: AdapterValues) => void }[];
  readonly engine: Engine;
  readonly machine: LazyMachine;
  readonly adapter: AdapterValues;
  readonly config: ExperimentConfig;
};

/** A gradient machine that is compiled when it is first needed: who only samples need not hold the weights once more. */
class LazyMachine implements AsyncDisposable {
  readonly #parts: GradientMachineParts;
  #machine: Promise<GradientMachine> | undefined;

  constructor(parts: GradientMachineParts) {
    this.#parts = parts;
  }

  get(): Promise<GradientMachine> {
    this.#machine ??= createGradientMachine(this.#parts);
    return this.#machine;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A graph that was refused has been reported to whoever asked for it.
    const machine = await this.#machine?.catch(() => undefined);
    await machine?.[Symbol.asyncDispose]();
  }
}

class ModelPolicy implements Policy {
  readonly #parts: ModelPolicyParts;
  readonly #state: TrainedState;

  constructor(parts: ModelPolicyParts) {
    this.#parts = parts;
    this.#state = createTrainedState(parts.adapter.flat);
  }

  describe(): ReturnType<Policy["describe"]> {
    return this.#parts.description;
  }

  completer(): Engine {
    return this.#parts.engine;
  }

  tokensSampled(): number {
    return this.#parts.engine.stats().tokensSampled;
  }

  async trainStep(examples: Parameters<Policy["trainStep"]>[0]): ReturnType<Policy["trainStep"]> {
    const { beta1, beta2, ...rest } = this.#parts.config.optimizer;
    const trainer = createTrainer(await this.#parts.machine.get(), this.#state, { ...rest, betas: [beta1, beta2] });
    const metrics = await trainer.step(examples);
    await this.#useAdapter();
    return metrics;
  }

  saveAdapter(): Promise<AdapterState> {
    const { config, weights } = formatAdapter(this.#parts.adapter, this.#parts.description.name);
    const { m, v, step } = this.#state.adam;
    const shape = [m.length];
    const optimizer = formatSafetensors(
      { m: { shape, data: m }, v: { shape, data: v } },
      { metadata: { step: String(step) } },
    );
    return Promise.resolve({ adapter: weights, adapterConfig: config, optimizer });
  }

  async loadAdapter(state: AdapterState): Promise<void> {
    const { adapter } = this.#parts;
    const matrices = parseSafetensors(state.adapter, "adapter_model.safetensors");
    for (const { name, offset, length } of adapter.layout.entries) {
      const { data } = matrices.read(name);
      if (data.length !== length) throw new WeightsError(`${name}: expected ${String(length)} values`);
      adapter.flat.set(data, offset);
    }
    const moments = parseSafetensors(state.optimizer, "optimizer.safetensors");
    const step = Number(moments.metadata["step"]);
    if (!Number.isInteger(step)) throw new StoreError("optimizer.safetensors: no step count in its metadata");
    this.#state.adam.m.set(moments.read("m").data);
    this.#state.adam.v.set(moments.read("v").data);
    this.#state.adam.step = step;
    await this.#useAdapter();
  }

  async settle(): Promise<void> {
    await this.#parts.engine.idle();
    this.#parts.engine.clear();
  }

  /** Caches of the old weights must not meet the new ones. */
  async #useAdapter(): Promise<void> {
    await this.settle();
    for (const model of this.#parts.models) model.setAdapter(this.#parts.adapter);
  }
}
