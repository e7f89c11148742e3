/**
 * The batched engine: takes requests, deals them out to replicas, and answers them.
 *
 * All replicas take a step together, and rows join them at the same steps, so that one seldom waits for another. What
 * happens when depends on the order of requests alone: no clock, no timer. Before a step that follows a finished row the
 * engine lets all promises settle (`settle.ts`), so that everyone whom that row woke has asked again. So a run of several
 * replicas repeats as exactly as one of a single replica.
 */
import { checkRequest, type Completion, type CompletionRequest } from "./completer.ts";
import type { DecodeShape } from "./decode-model.ts";
import { newCounts, summarizeCounts, type EngineCounts } from "./engine-counts.ts";
import type { Engine, EngineOptions } from "./engine-port.ts";
import { sameIds } from "./prefix-cache.ts";
import { createReplica } from "./replica.ts";
import type { Replica, ReplicaCommand, ReplicaOptions, ReplicaReport } from "./replica-port.ts";
import { createSettle, type Settle } from "./settle.ts";

/**
 * While others are being sampled, rows wait until this part of all rows is free: a prefill of one row costs nearly what one
 * of several does.
 */
const JOIN_SHARE = 8;

/** A replica with fewer rows gets the next ones before another is used: a step of a few rows costs much the same for one more. */
const LEAST_ROWS = 16;

/**
 * Returns an engine over `options.model` and `options.others`. If a run of a model fails, all requests in flight are
 * rejected with its error and the engine can be used again.
 * @throws {RangeError} If a sampling setting or `maxRows` lies outside its range.
 */
export function createEngine(options: EngineOptions): Engine {
  const { model, replicas = 1, others = [], settle = createSettle() } = options;
  const engine = new ReplicatedEngine(model.shape, [...createLocalReplicas(options, replicas), ...others], settle);
  return {
    complete: (request) => engine.complete(request),
    release: (conversation) => {
      engine.release(conversation);
    },
    stats: () => summarizeCounts(engine.counts()),
    idle: () => engine.idle(),
    clear: () => {
      engine.clear();
    },
  };
}

/** Replicas over one model, whose runs must not overlap. */
function createLocalReplicas(options: ReplicaOptions, count: number): Replica[] {
  let line: Promise<unknown> = Promise.resolve();
  return Array.from({ length: count }, () => {
    const replica = createReplica(options);
    const tick: Replica["tick"] = (work) => {
      const report = line.then(() => replica.tick(work));
      line = report.catch(() => undefined);
      return report;
    };
    return { ...replica, tick };
  });
}

/** A replica with what it has been given. */
type Seat = {
  readonly replica: Replica;
  /** For its next tick. */
  commands: ReplicaCommand[];
  /** Requests that it has not answered. */
  load: number;
  /** Rows that it sampled at the end of its last tick. */
  sampling: number;
  counts: EngineCounts;
};

/** A request that has not been answered. */
type Ticket = {
  readonly seat: Seat;
  readonly resolve: (completion: Completion) => void;
  readonly reject: (error: unknown) => void;
};

class ReplicatedEngine {
  readonly #shape: DecodeShape;
  readonly #seats: readonly Seat[];
  readonly #maxRows: number;
  readonly #settle: Settle;
  /** By sequence. */
  readonly #tickets = new Map<number, Ticket>();
  readonly #seatOf = new Map<string, Seat>();
  #newest: { readonly prompt: readonly number[]; readonly seat: Seat } | undefined;
  #sequence = 0;
  #running: Promise<void> | undefined;
  #mustSettle = true;

  constructor(shape: DecodeShape, replicas: readonly Replica[], settle: Settle) {
    this.#shape = shape;
    this.#seats = replicas.map((replica) => ({ replica, commands: [], load: 0, sampling: 0, counts: newCounts() }));
    this.#maxRows = replicas.reduce((sum, { maxRows }) => sum + maxRows, 0);
    this.#settle = settle;
  }

  async complete(request: CompletionRequest): Promise<Completion> {
    checkRequest(request, this.#shape.vocabulary);
    if (request.prompt.length >= this.#shape.contextLength)
      return { ids: [], logprobs: [], text: "", finish: "context" };
    return new Promise((resolve, reject) => {
      const seat = this.#seatFor(request);
      const sequence = this.#sequence;
      this.#sequence += 1;
      this.#tickets.set(sequence, { seat, resolve, reject });
      seat.load += 1;
      seat.commands.push({ kind: "complete", request: { sequence, request } });
      this.#running ??= this.#run();
    });
  }

  release(conversation: string): void {
    this.#seatOf.get(conversation)?.commands.push({ kind: "release", conversation });
    this.#seatOf.delete(conversation);
  }

  idle(): Promise<void> {
    return this.#running ?? Promise.resolve();
  }

  clear(): void {
    if (this.#tickets.size > 0)
      throw new TypeError(`engine.clear: ${String(this.#tickets.size)} requests are in flight, await idle() first`);
    for (const seat of this.#seats) seat.commands.push({ kind: "clear" });
    this.#seatOf.clear();
    this.#newest = undefined;
  }

  counts(): EngineCounts[] {
    return this.#seats.map((seat) => seat.counts);
  }

  /**
   * A conversation stays where its cache is. A new one goes to a replica that has few, else where the least is waiting, or
   * beside the last one of the same prompt, which is prefilled once for both, as long as that replica is not much further
   * behind.
   */
  #seatFor({ conversation, prompt }: CompletionRequest): Seat {
    const known = this.#seatOf.get(conversation);
    if (known) return known;
    const few = this.#seats.find(({ load, replica }) => load < Math.min(LEAST_ROWS, replica.maxRows));
    const least = few ?? this.#seats.reduce((a, b) => (b.load < a.load ? b : a));
    const twin = this.#newest && sameIds(this.#newest.prompt, prompt) ? this.#newest.seat : least;
    const seat = twin.load < least.load + twin.replica.maxRows / JOIN_SHARE ? twin : least;
    this.#seatOf.set(conversation, seat);
    this.#newest = { prompt, seat };
    return seat;
  }

  async #run(): Promise<void> {
    for (;;) {
      if (this.#mustSettle) await this.#settle();
      this.#mustSettle = false;
      if (this.#tickets.size === 0) break;
      try {
        await this.#tick();
      } catch (error) {
        this.#fail(error);
      }
    }
    this.#mustSettle = true;
    this.#running = undefined;
  }

  async #tick(): Promise<void> {
    const sampling = this.#seats.reduce((sum, seat) => sum + seat.sampling, 0);
    const waiting = this.#tickets.size - sampling;
    const admit = sampling === 0 || this.#maxRows - sampling >= Math.min(waiting, this.#maxRows / JOIN_SHARE);
    const busy = this.#seats.filter(({ load }) => load > 0);
    // Those of this thread block it, so those in workers are told first.
    const ticks = busy
      .map((seat) => ({ seat, commands: seat.commands.splice(0) }))
      .reverse()
      .map(async ({ seat, commands }) => ({ seat, report: await seat.replica.tick({ commands, admit }) }));
    const results = await Promise.allSettled(ticks);
    const failed = results.find((result) => result.status === "rejected");
    if (failed) throw failed.reason;
    this.#answer(results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : [])));
  }

  /** Answers in the order of the requests. */
  #answer(reports: readonly { readonly seat: Seat; readonly report: ReplicaReport }[]): void {
    for (const { seat, report } of reports) {
      seat.sampling = report.sampling;
      seat.counts = report.counts;
      seat.load -= report.completions.length;
    }
    const completions = reports.flatMap(({ report }) => report.completions).sort((a, b) => a.sequence - b.sequence);
    if (completions.length > 0) this.#mustSettle = true;
    for (const { sequence, completion } of completions) {
      const ticket = this.#tickets.get(sequence);
      this.#tickets.delete(sequence);
      ticket?.resolve(completion);
    }
  }

  #fail(error: unknown): void {
    const lost = [...this.#tickets.values()];
    this.#tickets.clear();
    for (const seat of this.#seats) {
      seat.replica.drop();
      seat.commands = seat.commands.filter(({ kind }) => kind !== "complete");
      seat.load = 0;
      seat.sampling = 0;
    }
    this.#mustSettle = true;
    for (const { reject } of lost) reject(error);
  }
}
