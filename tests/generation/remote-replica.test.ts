import { beforeAll, describe, expect, it } from "vitest";
import { createRng } from "../../src/base/rng.ts";
import { openReplicaWorkers } from "../../src/cli/replicas.ts";
import { readTokenizer, startReplicas } from "../../src/experiment/model-policy.ts";
import type { Completion, CompletionRequest } from "../../src/generation/completer.ts";
import { createDecodeModel } from "../../src/generation/decode-graph.ts";
import { createEngine } from "../../src/generation/engine.ts";
import type { Engine } from "../../src/generation/engine-port.ts";
import {
  openRemoteReplica,
  serveReplica,
  type RemoteReplica,
  type ReplicaAnswer,
  type ReplicaOrder,
  type ReplicaSetup,
} from "../../src/generation/remote-replica.ts";
import { adapterLayout, allLinear, type AdapterValues } from "../../src/model/lora.ts";
import { loadDecoder, type Decoder } from "../../src/model/load.ts";
import { openFolder } from "../../src/platform/node/folder.ts";
import { openRuntime } from "../../src/platform/node/ort-node.ts";
import type { Channel } from "../../src/runtime/channel.ts";
import { createTokenizer } from "../../src/text/tokenizer.ts";
import { openCheckpoint } from "../../src/weights/checkpoint.ts";

const SAMPLING = { temperature: 1, topK: 20, topP: 1 };

type Ends = {
  readonly engine: Channel<ReplicaOrder, ReplicaAnswer>;
  readonly worker: Channel<ReplicaAnswer, ReplicaOrder>;
};

type Listener<T> = (message: T) => void;
const ignore = (): void => undefined;

/** Both ends of a channel in one thread; `lose` is what its breaking looks like to the engine. */
function pairChannel(): Ends & { readonly lose: (error: unknown) => void } {
  const engine: { onMessage: Listener<ReplicaAnswer>; onLost: Listener<unknown> } = {
    onMessage: ignore,
    onLost: ignore,
  };
  const worker: { onMessage: Listener<ReplicaOrder> } = { onMessage: ignore };
  return {
    engine: {
      send: (order) => {
        const clone = structuredClone(order);
        setImmediate(() => {
          worker.onMessage(clone);
        });
      },
      listen: (onMessage, onLost) => Object.assign(engine, { onMessage, onLost }),
    },
    worker: {
      send: (answer) => {
        const clone = structuredClone(answer);
        setImmediate(() => {
          engine.onMessage(clone);
        });
      },
      listen: (onMessage) => Object.assign(worker, { onMessage }),
    },
    lose: (error) => {
      engine.onLost(error);
    },
  };
}

/** Some with a prompt in common, some with a long beginning in common. */
function requests(count: number): CompletionRequest[] {
  const rng = createRng("requests");
  const shared = Array.from({ length: 70 }, () => 5 + rng.int(900));
  return Array.from({ length: count }, (_, i) => ({
    prompt: [
      ...shared.slice(0, i % 3 === 0 ? 70 : i % 3 === 1 ? 40 : 0),
      ...Array.from({ length: i % 3 === 0 ? 0 : 4 + rng.int(30) }, () => 5 + rng.int(900)),
    ],
    maxTokens: 3 + rng.int(20),
    stop: i % 4 === 0 ? ["e"] : [],
    stream: ["row", i],
    conversation: `c${String(i)}`,
  }));
}

/** The tiny model with an adapter that changes it. */
async function makeSetup(): Promise<ReplicaSetup & { readonly adapter: AdapterValues }> {
  const folder = await openFolder("models/tiny");
  const decoder = await loadDecoder(await openCheckpoint(folder));
  const tokenizer = await readTokenizer(folder);
  const settings = { endIds: [2], sampling: SAMPLING, seedKeys: [1], maxRows: 8 };
  return { decoder, adapter: makeAdapter(decoder, 1), tokenizer, settings };
}

function makeAdapter({ config }: Decoder, seed: number): AdapterValues {
  const lora = { rank: 2, alpha: 4, targets: allLinear(config) };
  const layout = adapterLayout(config, lora);
  const rng = createRng("adapter", seed);
  return { lora, layout, flat: Float32Array.from({ length: layout.size }, () => 0.2 * (rng.uniform() - 0.5)) };
}

type TestEngine = Engine & AsyncDisposable & { readonly setAdapter: (adapter: AdapterValues) => void };

/** An engine of three replicas, of which `others` are elsewhere. */
async function openEngine(setup: ReplicaSetup, others: readonly RemoteReplica[]): Promise<TestEngine> {
  const { decoder, adapter, settings, tokenizer } = setup;
  const runtime = await openRuntime("cpu", { threads: 1 });
  const model = await createDecodeModel({ runtime, decoder, ...(adapter && { adapter }) });
  const { decode } = createTokenizer(tokenizer);
  const engine = createEngine({ ...settings, model, decode, replicas: 3 - others.length, others });
  return {
    ...engine,
    setAdapter: (values) => {
      engine.clear();
      for (const one of [model, ...others]) one.setAdapter(values);
    },
    [Symbol.asyncDispose]: () => model[Symbol.asyncDispose](),
  };
}

/** Two turns of each request. */
async function completeAll(engine: Engine, asked: readonly CompletionRequest[]): Promise<Completion[]> {
  const turns = asked.map(async (request, i) => {
    const first = await engine.complete(request);
    const prompt = [...request.prompt, ...first.ids, 7 + i, 9];
    const second = await engine.complete({ ...request, prompt, stream: [...request.stream, "second"] });
    engine.release(request.conversation);
    return [first, second];
  });
  return (await Promise.all(turns)).flat();
}

describe("openRemoteReplica", () => {
  let setup: Awaited<ReturnType<typeof makeSetup>>;

  beforeAll(async () => {
    setup = await makeSetup();
  });

  it("gives bit for bit the completions of replicas of one thread when each has its own, also after an update", async () => {
    const asked = requests(30);
    await using alone = await openEngine(setup, []);
    await using workers = openReplicaWorkers(2);
    await using shared = await openEngine(setup, await startReplicas(workers, setup));
    const first = await completeAll(alone, asked);
    expect(await completeAll(shared, asked)).toEqual(first);
    expect(new Set(first.map(({ finish }) => finish))).toEqual(new Set(["end", "stop", "length"]));
    expect(shared.stats().tokensSampled).toBe(alone.stats().tokensSampled);
    for (const engine of [alone, shared]) engine.setAdapter(makeAdapter(setup.decoder, 2));
    const second = await completeAll(alone, asked);
    expect(await completeAll(shared, asked)).toEqual(second);
    expect(second.map(({ ids }) => ids)).not.toEqual(first.map(({ ids }) => ids));
  });

  it("rejects what is in flight with one line when the other end dies", async () => {
    const { engine, worker, lose } = pairChannel();
    serveReplica(worker, openRuntime("cpu", { threads: 1 }));
    await using shared = await openEngine(setup, [await openRemoteReplica(engine, setup)]);
    const results = completeAll(shared, requests(30));
    setTimeout(() => {
      lose(new RangeError("out of memory"));
    }, 5);
    const reason = "decode worker: it has died (out of memory); try --threads 1";
    await expect(results).rejects.toThrow(reason);
    await expect(completeAll(shared, requests(30))).rejects.toThrow(reason);
  });

  it("names what the worker refused", async () => {
    const { engine, worker } = pairChannel();
    serveReplica(worker, openRuntime("cpu", { threads: 1 }));
    const settings = { ...setup.settings, maxRows: 0 };
    await expect(openRemoteReplica(engine, { ...setup, settings })).rejects.toThrow(
      "decode worker: engine: maxRows must be 1 or more, got 0",
    );
  });
});
