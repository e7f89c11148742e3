/**
 * A replica in a worker: the engine's side and the worker's side of one channel. What the channel is made of is the business
 * of a platform folder.
 *
 * Orders are answered one at a time; a new adapter and `drop` are not answered, since messages arrive in order anyway.
 */
import { describeError, DeviceError } from "../base/errors.ts";
import type { AdapterValues } from "../model/lora.ts";
import type { Decoder } from "../model/load.ts";
import type { Channel } from "../runtime/channel.ts";
import type { Runtime } from "../runtime/session.ts";
import { createTokenizer, type TokenizerFiles } from "../text/tokenizer.ts";
import { createDecodeModel, type AdaptableDecodeModel } from "./decode-graph.ts";
import { createReplica } from "./replica.ts";
import {
  DEFAULT_ROWS,
  type Replica,
  type ReplicaReport,
  type ReplicaSettings,
  type ReplicaWork,
} from "./replica-port.ts";

/** What a worker needs to decode as the engine's own replica does. */
export type ReplicaSetup = {
  readonly decoder: Decoder;
  readonly adapter?: AdapterValues;
  readonly tokenizer: TokenizerFiles;
  readonly settings: ReplicaSettings;
};

/** From the engine to the worker. */
export type ReplicaOrder =
  | { readonly kind: "open"; readonly setup: ReplicaSetup }
  | { readonly kind: "tick"; readonly work: ReplicaWork }
  | { readonly kind: "adapter"; readonly adapter: AdapterValues }
  | { readonly kind: "drop" };

/** From the worker to the engine, one for each `open` and `tick`. */
export type ReplicaAnswer =
  | { readonly kind: "opened" }
  | { readonly kind: "report"; readonly report: ReplicaReport }
  | { readonly kind: "failed"; readonly reason: string };

/** A replica elsewhere. Its owner ends the worker. */
export type RemoteReplica = Replica & {
  /** Decodes with these values from the next tick on. */
  readonly setAdapter: (adapter: AdapterValues) => void;
};

/**
 * Opens a replica at the other end of `channel`.
 * @throws {DeviceError} If the worker cannot be started or refuses the model.
 */
export async function openRemoteReplica(
  channel: Channel<ReplicaOrder, ReplicaAnswer>,
  setup: ReplicaSetup,
): Promise<RemoteReplica> {
  const line = new OrderLine(channel);
  await line.ask({ kind: "open", setup });
  const { maxRows = DEFAULT_ROWS } = setup.settings;
  return {
    maxRows,
    tick: async (work) => {
      const answer = await line.ask({ kind: "tick", work });
      if (answer.kind !== "report") throw new DeviceError(`decode worker: expected a report, got ${answer.kind}`);
      return answer.report;
    },
    drop: () => {
      channel.send({ kind: "drop" });
    },
    setAdapter: (adapter) => {
      channel.send({ kind: "adapter", adapter });
    },
  };
}

type Asker = { readonly resolve: (answer: ReplicaAnswer) => void; readonly reject: (error: unknown) => void };

/** Matches answers with orders: the worker answers in order. */
class OrderLine {
  readonly #channel: Channel<ReplicaOrder, ReplicaAnswer>;
  readonly #waiting: Asker[] = [];
  #lost: DeviceError | undefined;

  constructor(channel: Channel<ReplicaOrder, ReplicaAnswer>) {
    this.#channel = channel;
    channel.listen(
      (answer) => {
        const asker = this.#waiting.shift();
        if (answer.kind === "failed") asker?.reject(new DeviceError(`decode worker: ${answer.reason}`));
        else asker?.resolve(answer);
      },
      (error) => {
        const reason = `decode worker: it has died (${describeError(error)}); try --threads 1`;
        this.#lost ??= new DeviceError(reason, { cause: error });
        for (const { reject } of this.#waiting.splice(0)) reject(this.#lost);
      },
    );
  }

  ask(order: ReplicaOrder): Promise<ReplicaAnswer> {
    if (this.#lost) return Promise.reject(this.#lost);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#channel.send(order);
    });
  }
}

/** The worker's side: obeys what comes through `channel` with sessions of `runtime`, until the worker is ended. */
export function serveReplica(channel: Channel<ReplicaAnswer, ReplicaOrder>, runtime: Promise<Runtime>): void {
  const server = new ReplicaServer(runtime);
  let line: Promise<void> = Promise.resolve();
  channel.listen(
    (order) => {
      line = line.then(async () => {
        try {
          const answer = await server.obey(order);
          if (answer) channel.send(answer);
        } catch (error) {
          channel.send({ kind: "failed", reason: describeError(error) });
        }
      });
    },
    () => undefined,
  );
}

class ReplicaServer {
  readonly #runtime: Promise<Runtime>;
  #model: AdaptableDecodeModel | undefined;
  #replica: Replica | undefined;
  /** Taken up by the next tick, which can say what is wrong with it. */
  #adapter: AdapterValues | undefined;

  constructor(runtime: Promise<Runtime>) {
    this.#runtime = runtime;
  }

  async obey(order: ReplicaOrder): Promise<ReplicaAnswer | undefined> {
    if (order.kind === "open") return this.#open(order.setup);
    if (order.kind === "tick") return { kind: "report", report: await this.#tick(order.work) };
    if (order.kind === "adapter") this.#adapter = order.adapter;
    else this.#replica?.drop();
    return undefined;
  }

  #tick(work: ReplicaWork): Promise<ReplicaReport> {
    if (!this.#model || !this.#replica) throw new TypeError("no model was opened");
    if (this.#adapter) this.#model.setAdapter(this.#adapter);
    this.#adapter = undefined;
    return this.#replica.tick(work);
  }

  async #open({ decoder, adapter, tokenizer, settings }: ReplicaSetup): Promise<ReplicaAnswer> {
    const runtime = await this.#runtime;
    const { sampling } = settings;
    this.#model = await createDecodeModel({ runtime, decoder, sampling, ...(adapter && { adapter }) });
    this.#replica = createReplica({ ...settings, model: this.#model, decode: createTokenizer(tokenizer).decode });
    return { kind: "opened" };
  }
}
