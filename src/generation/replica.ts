/**
 * Continuous batching on one copy of a model: many requests at once through one session with a cache.
 *
 * A tick admits waiting requests, prefills what their caches lack, and takes one decode step, or a burst of steps that the
 * device samples itself, for all rows. Rows that are done leave at once, the last row moves into the hole, and so they cost
 * nothing. Equal prompts are prefilled once; any cached prefix of a prompt, from an earlier turn or from another row, is
 * copied instead of computed.
 *
 * Nothing here is asynchronous but the runs of the model: what a tick does depends on the order of commands alone. Each row
 * has its own random stream and its own cache, so what it samples does not depend on its neighbours.
 */
import type { SamplingConfig } from "./completer.ts";
import type { BurstOutputs, DecodeBurst, DecodeModel, DecodeOutputs } from "./decode-model.ts";
import { buildBurst, buildInputs, padTokens, type BatchRow } from "./batch.ts";
import { newCounts } from "./engine-counts.ts";
import { bytesOfStates, bytesPerPosition, KvBlock } from "./kv-block.ts";
import { planPrefill } from "./prefill-plan.ts";
import { commonPrefix, PrefixCache, sameIds, type CachedPrefix } from "./prefix-cache.ts";
import {
  DEFAULT_ROWS,
  type Replica,
  type ReplicaCommand,
  type ReplicaOptions,
  type ReplicaReport,
  type ReplicaWork,
} from "./replica-port.ts";
import { Row, type RowRules } from "./row.ts";
import { createSampler, type Sampler } from "./sampler.ts";

/** Positions by which caches grow and shrink. */
const BUCKET = 32;
/** Caches shrink once this share of their positions has been enough for this many steps, since moving them costs some. */
const SHRINK_AT = 0.75;
const SHRINK_AFTER = 16;

/**
 * Returns a replica over `options.model`. A tick whose run of the model fails rejects, and leaves no rows behind.
 * @throws {RangeError} If a sampling setting or `maxRows` lies outside its range.
 */
export function createReplica(options: ReplicaOptions): Replica {
  const batch = new ContinuousBatch(options);
  return {
    maxRows: options.maxRows ?? DEFAULT_ROWS,
    tick: (work) => batch.tick(work),
    drop: () => {
      batch.drop();
    },
  };
}

class ContinuousBatch {
  readonly #model: DecodeModel;
  readonly #burst: DecodeBurst | undefined;
  readonly #rules: RowRules;
  readonly #sampler: Sampler;
  readonly #limits: {
    readonly rows: number;
    readonly positions: number;
    /** Positions that take as much memory as one row's states. */
    readonly statePositions: number;
    readonly prefillTokens: number;
  };
  readonly #parked: PrefixCache;
  readonly #isStateful: boolean;
  readonly #counts = newCounts();
  #queue: Row[] = [];
  /** Rows being sampled; row i has row i of the block. */
  #rows: Row[] = [];
  #block: KvBlock;
  #staging: KvBlock;
  /** Steps for which a smaller span would have done. */
  #roomySteps = 0;
  #finished: Row[] = [];

  constructor(options: ReplicaOptions) {
    const { model, decode, endIds, sampling, seedKeys = [], maxRows = DEFAULT_ROWS, prefillTokens = 2048 } = options;
    const { activeBytes = 2 ** 31, parkedBytes = 2 ** 28 } = options;
    if (!Number.isInteger(maxRows) || maxRows < 1)
      throw new RangeError(`engine: maxRows must be 1 or more, got ${String(maxRows)}`);
    const { shape } = model;
    this.#model = model;
    this.#rules = { decode, endIds: new Set(endIds), contextLength: shape.contextLength, seedKeys };
    this.#burst = model.burst && sameSampling(model.burst.sampling, sampling) ? model.burst : undefined;
    this.#sampler = createSampler(sampling);
    const positions = Math.floor(activeBytes / bytesPerPosition(shape));
    const statePositions = Math.ceil(bytesOfStates(shape) / bytesPerPosition(shape));
    this.#limits = { rows: maxRows, positions, statePositions, prefillTokens };
    this.#parked = new PrefixCache(shape, parkedBytes);
    this.#isStateful = shape.stateShapes.length > 0;
    this.#block = new KvBlock(shape, { rows: 0, span: BUCKET });
    this.#staging = new KvBlock(shape, { rows: 0, span: 1 });
  }

  async tick({ commands, admit }: ReplicaWork): Promise<ReplicaReport> {
    for (const command of commands) this.#obey(command);
    try {
      const admitted = admit ? this.#admit() : [];
      if (admitted.length > 0) await this.#prefill(admitted);
      if (this.#rows.length > 0) await this.#decode();
    } catch (error) {
      this.drop();
      throw error;
    }
    const completions = this.#finished
      .sort((a, b) => a.sequence - b.sequence)
      .map((row) => ({ sequence: row.sequence, completion: row.completion() }));
    this.#finished = [];
    return { completions, sampling: this.#rows.length, counts: { ...this.#counts } };
  }

  #obey(command: ReplicaCommand): void {
    if (command.kind === "clear") this.#parked.clear();
    else if (command.kind === "complete") this.#queue.push(new Row(command.request, this.#rules));
    else {
      this.#parked.drop(command.conversation);
      for (const row of [...this.#rows, ...this.#queue])
        if (row.request.conversation === command.conversation) row.park = false;
    }
  }

  drop(): void {
    this.#rows = [];
    this.#queue = [];
    this.#finished = [];
    // A failed run may have left numbers in the blocks that are not finite, and those survive a mask.
    this.#block = new KvBlock(this.#model.shape, { rows: 0, span: BUCKET });
    this.#staging = new KvBlock(this.#model.shape, { rows: 0, span: 1 });
  }

  /** Takes rows from the queue and copies what is cached of their prompts. */
  #admit(): Admission[] {
    const before = this.#rows.length;
    const admissions: Admission[] = [];
    let longest = this.#rows.reduce((most, row) => Math.max(most, this.#reach(row)), 0);
    while (this.#rows.length < this.#limits.rows) {
      const next = this.#nextInQueue();
      const row = this.#queue[next];
      if (row === undefined) break;
      longest = Math.max(longest, this.#reach(row));
      const each = roundUp(longest) + this.#limits.statePositions;
      if (this.#rows.length > 0 && (this.#rows.length + 1) * each > this.#limits.positions) break;
      this.#queue.splice(next, 1);
      const slot = this.#rows.push(row) - 1;
      const twin = admissions.find(({ row: other }) => sameIds(row.ids, other.ids));
      if (twin === undefined) admissions.push({ row, slot, source: this.#findPrefix(row, before), twins: [] });
      else twin.twins.push({ row, slot });
    }
    if (admissions.length === 0) return admissions;
    this.#fit();
    for (const { row, slot, source, twins } of admissions) {
      row.cached = source.length;
      this.#block.copyRow(slot, source.from, source.length);
      for (const twin of twins) this.#parked.drop(twin.row.request.conversation);
      this.#counts.prefillReused += source.length;
      this.#counts.prefillComputed += row.ids.length - source.length;
    }
    return admissions;
  }

  /**
   * A conversation whose cache is parked goes on before a new one begins; else first come, first served. So there are
   * about as many conversations under way as rows, and their caches are used before they have to be evicted.
   */
  #nextInQueue(): number {
    const ongoing = this.#queue.findIndex((row) => this.#parked.has(row.request.conversation));
    return Math.max(ongoing, 0);
  }

  /** Positions that a row may come to need. */
  #reach(row: Row): number {
    const { prompt, maxTokens } = row.request;
    return Math.min(prompt.length + maxTokens, this.#model.shape.contextLength);
  }

  /**
   * The longest cached prefix of a prompt; its last token is always computed, since its logits are wanted. Where rows have
   * states, only all that a row has cached can be a prefix.
   */
  #findPrefix(row: Row, activeRows: number): PrefixSource {
    let best: PrefixSource = { from: { block: this.#block, row: 0 }, length: 0 };
    const most = row.ids.length - 1;
    const consider = (from: CachedPrefix): void => {
      // Most candidates differ where the best one so far ends.
      if (from.cached <= best.length || from.ids[best.length] !== row.ids[best.length]) return;
      const length = commonPrefix(row.ids, from.ids, Math.min(most, from.cached));
      if (this.#isStateful && length < from.cached) return;
      if (length > best.length) best = { from, length };
    };
    const { conversation } = row.request;
    const own = this.#parked.take(conversation);
    if (own !== undefined) consider(own);
    // A whole earlier turn of the conversation is as good as it gets.
    if (own !== undefined && best.length === own.cached) return best;
    for (const parked of this.#parked.entries()) consider(parked);
    for (let slot = 0; slot < activeRows && best.length < most; slot += 1) consider(this.#prefixOf(slot));
    return best;
  }

  #prefixOf(slot: number): CachedPrefix {
    const row = this.#rows[slot] as Row;
    return { block: this.#block, row: slot, ids: row.ids, cached: row.cached };
  }

  /** Gives the block room for all rows, and one position more than each has tokens. */
  #fit(): void {
    const longest = this.#rows.reduce((most, row) => Math.max(most, row.ids.length), 0);
    const wanted = roundUp(longest);
    const { span } = this.#block;
    this.#roomySteps = wanted <= SHRINK_AT * span ? this.#roomySteps + 1 : 0;
    const keep = wanted <= span && this.#roomySteps < SHRINK_AFTER;
    if (!keep) this.#roomySteps = 0;
    this.#block.resize({ rows: this.#rows.length, span: keep ? span : wanted });
  }

  async #prefill(admissions: readonly Admission[]): Promise<void> {
    // A single missing token is what a decode step computes anyway.
    let waiting = admissions.filter(({ row }) => row.pending > 1);
    while (waiting.length > 0) {
      const counts = waiting.map(({ row }) => Math.min(row.pending, this.#limits.prefillTokens));
      const padded = counts.map((count) => padTokens(count, this.#model.shape.tokenMultiple));
      for (const run of planPrefill(padded, this.#limits.prefillTokens))
        await this.#prefillRun(run.map((i) => ({ admission: waiting[i] as Admission, count: counts[i] as number })));
      waiting = waiting.filter(({ row }) => !row.started && row.pending > 1);
    }
    for (const admission of admissions) if (!admission.row.started) this.#copyToTwins(admission);
    this.#sweep();
  }

  async #prefillRun(parts: readonly PrefillPart[]): Promise<void> {
    const longest = parts.reduce((most, { admission }) => Math.max(most, admission.row.cached), 0);
    this.#staging.reuse({ rows: parts.length, span: longest === 0 ? 1 : roundUp(longest) });
    parts.forEach(({ admission: { row, slot } }, b) => {
      this.#staging.copyRow(b, { block: this.#block, row: slot }, row.cached);
    });
    const inputs = buildInputs(
      parts.map(({ admission: { row }, count }) => ({ ids: row.ids, cached: row.cached, count })),
      this.#staging,
    );
    const outputs = await this.#model.run(inputs);
    this.#counts.prefillRuns += 1;
    this.#counts.prefillSlots += inputs.rows * inputs.tokens;
    parts.forEach(({ admission, count }, b) => {
      const { row, slot } = admission;
      this.#counts.prefillTokens += count;
      this.#block.append(slot, row.cached, { outputs, row: b, tokens: inputs.tokens, count });
      row.cached += count;
      if (row.pending > 0) return;
      this.#copyToTwins(admission);
      for (const { row: one } of [admission, ...admission.twins]) this.#sample(one, outputs, b);
    });
  }

  #copyToTwins({ row, slot, twins }: Admission): void {
    for (const twin of twins) {
      twin.row.cached = row.cached;
      this.#block.copyRow(twin.slot, { block: this.#block, row: slot }, row.cached);
      this.#counts.prefillReused += row.cached;
      this.#counts.prefillComputed += row.pending;
    }
  }

  async #decode(): Promise<void> {
    this.#fit();
    const batch = this.#rows.map((row): BatchRow => ({ ids: row.ids, cached: row.cached, count: 1 }));
    this.#counts.decodeRuns += 1;
    this.#counts.cacheSlots += batch.length * this.#block.span;
    if (this.#burst) await this.#decodeBurst(batch, this.#burst);
    else await this.#decodeStep(batch);
    this.#sweep();
  }

  async #decodeBurst(batch: readonly BatchRow[], burst: DecodeBurst): Promise<void> {
    const { steps } = burst;
    const { contextLength } = this.#model.shape;
    const draw = (b: number): number => (this.#rows[b] as Row).rng.uniform();
    const outputs = await burst.run(buildBurst(batch, this.#block, { steps, draw, contextLength }));
    const counts = this.#rows.map((row, b) => {
      this.#counts.cacheTokens += row.cached;
      return this.#takeBurst(row, {
        ids: outputs.ids.subarray(b * steps, (b + 1) * steps),
        logprobs: outputs.logprobs.subarray(b * steps, (b + 1) * steps),
      });
    });
    this.#fit();
    this.#rows.forEach((row, slot) => {
      const count = counts[slot] as number;
      // States are those after all tokens of the burst; a row that needs no more of them stays as it was before.
      if (this.#isStateful && count < steps) return;
      this.#block.append(slot, row.cached, { outputs, row: slot, tokens: steps, count });
      row.cached += count;
    });
  }

  /** Gives `row` its tokens of a burst until it is done; how many it took. */
  #takeBurst(row: Row, { ids, logprobs }: Pick<BurstOutputs, "ids" | "logprobs">): number {
    let count = 0;
    for (; count < ids.length && row.finish === undefined; count += 1) {
      const logprob = logprobs[count] as number;
      if (!Number.isFinite(logprob))
        throw new RangeError(`engine: ln p of a sampled token is ${String(logprob)}, so the logits are not finite`);
      row.accept({ id: ids[count] as number, logprob });
    }
    this.#counts.tokensSampled += count;
    return count;
  }

  async #decodeStep(batch: readonly BatchRow[]): Promise<void> {
    const outputs = await this.#model.run(buildInputs(batch, this.#block));
    this.#rows.forEach((row, slot) => {
      this.#counts.cacheTokens += row.cached;
      this.#block.append(slot, row.cached, { outputs, row: slot, tokens: 1, count: 1 });
      row.cached += 1;
      this.#sample(row, outputs, slot);
    });
  }

  #sample(row: Row, outputs: DecodeOutputs, b: number): void {
    const { vocabulary } = this.#model.shape;
    const logits = outputs.logits.subarray(b * vocabulary, (b + 1) * vocabulary);
    row.accept(this.#sampler.sample(logits, row.rng, outputs.logSumExp?.[b]));
    this.#counts.tokensSampled += 1;
  }

  /** Lets finished rows go: parks their caches and closes the holes. */
  #sweep(): void {
    const before = this.#finished.length;
    this.#rows.forEach((row, slot) => {
      if (row.finish === undefined) return;
      this.#finished.push(row);
      if (row.park) this.#parked.park(row.request.conversation, this.#prefixOf(slot));
    });
    if (this.#finished.length === before) return;
    for (let slot = 0; slot < this.#rows.length; slot += 1) {
      while (this.#rows.at(-1)?.finish !== undefined) this.#rows.pop();
      if (this.#rows[slot]?.finish === undefined) continue;
      const from = this.#rows.length - 1;
      const moved = this.#rows.pop() as Row;
      this.#rows[slot] = moved;
      this.#block.copyRow(slot, { block: this.#block, row: from }, moved.cached);
    }
  }
}

type PrefixSource = { readonly from: { readonly block: KvBlock; readonly row: number }; readonly length: number };
type PlacedRow = { readonly row: Row; readonly slot: number };
/** A row that joins, where its cached prefix lies, and the rows that join with the same prompt. */
type Admission = PlacedRow & { readonly source: PrefixSource; readonly twins: PlacedRow[] };
type PrefillPart = { readonly admission: Admission; readonly count: number };

/** `length` rounded up to whole buckets. */
function roundUp(length: number): number {
  return Math.ceil(length / BUCKET) * BUCKET;
}

function sameSampling(a: SamplingConfig, b: SamplingConfig): boolean {
  return a.temperature === b.temperature && a.topK === b.topK && a.topP === b.topP;
}
