import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Completion, CompletionRequest } from "../../src/generation/completer.ts";
import type { DecodeModel } from "../../src/generation/decode-model.ts";
import { createEngine } from "../../src/generation/engine.ts";
import type { Engine } from "../../src/generation/engine-port.ts";
import { createReplica } from "../../src/generation/replica.ts";
import type { Replica } from "../../src/generation/replica-port.ts";
import {
  alone,
  converse,
  decode,
  END,
  mixedRequests,
  openEngine,
  requestOf,
  SAMPLING,
} from "../support/engine-requests.ts";
import { createToyModel, withBurst, type ToyModel } from "../support/toy-decode-model.ts";

function openReplica(model: ToyModel, maxRows = 4, endIds = [END]): Replica {
  return createReplica({ model, decode, endIds, sampling: SAMPLING, seedKeys: [7], maxRows });
}

describe("createEngine", () => {
  it("gives the completions of single runs when 40 mixed requests run together", async () => {
    const requests = mixedRequests(40);
    const engine = openEngine(createToyModel(), { maxRows: 16 });
    const together = await Promise.all(requests.map((request) => engine.complete(request)));
    for (const [i, request] of requests.entries())
      expect(together[i], `request ${String(i)}`).toEqual(await alone(request));
    expect(new Set(together.map((one) => one.finish))).toEqual(new Set(["end", "stop", "length"]));
    expect(engine.stats().prefillReused).toBeGreaterThan(0);
    expect(engine.stats().tokensSampled).toBe(together.reduce((sum, one) => sum + one.ids.length, 0));
  });

  it("samples by the request's own stream and the engine's keys", async () => {
    const request = requestOf(1, { maxTokens: 20, stop: [] });
    const other = { ...request, stream: ["row", 2] };
    const engine = openEngine(createToyModel(), { endIds: [] });
    const [a, b, again] = await Promise.all([request, other, request].map((one) => engine.complete(one)));
    expect(a).toEqual(again);
    expect(a!.ids).not.toEqual(b!.ids);
    const elsewhere = await openEngine(createToyModel(), { endIds: [], seedKeys: [8] }).complete(request);
    expect(elsewhere.ids).not.toEqual(a!.ids);
  });

  it("reuses the cache of earlier turns without changing what is sampled", async () => {
    const engine = openEngine(createToyModel(), { maxRows: 8 });
    const together = await Promise.all(Array.from({ length: 12 }, (_, i) => converse(engine, i, 4)));
    for (let i = 0; i < 12; i += 1)
      expect(together[i]).toEqual(await converse(openEngine(createToyModel(), { maxRows: 1, parkedBytes: 0 }), i, 4));
    const { prefillComputed, prefillReused } = engine.stats();
    // Turns 2 to 4 compute the last sampled token and the three new ones only.
    expect(prefillComputed).toBeLessThanOrEqual(12 * (12 + 3 * 4));
    expect(prefillReused).toBeGreaterThan(prefillComputed);
  });

  it("gives the completions of single steps when the device samples bursts", async () => {
    const requests = mixedRequests(40);
    const model = withBurst(createToyModel(), 5, SAMPLING);
    const open = (one: DecodeModel): Engine =>
      createEngine({ model: one, decode, endIds: [END], sampling: SAMPLING, maxRows: 16 });
    const [bursts, steps] = [open(model), open(createToyModel())];
    const complete = (engine: Engine): Promise<Completion[]> =>
      Promise.all(requests.map((request) => engine.complete(request)));
    const [many, one] = [await complete(bursts), await complete(steps)];
    expect(many.map(({ ids, finish, text }) => ({ ids, finish, text }))).toEqual(
      one.map(({ ids, finish, text }) => ({ ids, finish, text })),
    );
    const logprobsOf = (replies: Completion[]): number[] => replies.flatMap(({ logprobs }) => logprobs);
    for (const [t, logprob] of logprobsOf(one).entries()) expect(logprobsOf(many)[t]).toBeCloseTo(logprob, 5);
    expect(bursts.stats().decodeRuns).toBeLessThan(steps.stats().decodeRuns / 2);
    expect(bursts.stats().tokensSampled).toBe(steps.stats().tokensSampled);
    for (let i = 0; i < 6; i += 1)
      expect((await converse(bursts, i, 4)).map(({ ids }) => ids)).toEqual(
        (await converse(steps, i, 4)).map(({ ids }) => ids),
      );
  });

  it("takes single steps when it is to sample by another rule than the bursts", async () => {
    const model = withBurst(createToyModel(), 5, SAMPLING);
    const greedy = { temperature: 0, topK: 0, topP: 1 };
    const engine = createEngine({ model, decode, endIds: [], sampling: greedy });
    const plain = createEngine({ model: createToyModel(), decode, endIds: [], sampling: greedy });
    const request = requestOf(2, { maxTokens: 9, stop: [] });
    expect(await engine.complete(request)).toEqual(await plain.complete(request));
  });

  it("prefills again when parked caches were evicted", async () => {
    const bytes = 2 * 4 * 2 * 2 * 3 * 30;
    const small = openEngine(createToyModel(), { maxRows: 8, parkedBytes: bytes });
    const none = openEngine(createToyModel(), { maxRows: 8, parkedBytes: 0 });
    const large = openEngine(createToyModel(), { maxRows: 8 });
    const run = (engine: Engine): Promise<Completion[][]> =>
      Promise.all(Array.from({ length: 10 }, (_, i) => converse(engine, i, 3)));
    const [a, b, c] = [await run(small), await run(none), await run(large)];
    expect(a).toEqual(b);
    expect(a).toEqual(c);
    expect(small.stats().prefillComputed).toBeGreaterThan(large.stats().prefillComputed);
    expect(small.stats().prefillComputed).toBeLessThan(none.stats().prefillComputed);
  });

  it("prefills equal prompts once when they join together", async () => {
    const model = createToyModel();
    const engine = openEngine(model);
    const { prompt } = requestOf(3, { prompt: [4, 5, 6, 7, 8, 9] });
    await Promise.all(
      Array.from({ length: 8 }, (_, i) => engine.complete(requestOf(i, { prompt, maxTokens: 1, stop: [] }))),
    );
    expect(model.runs).toEqual([{ rows: 1, tokens: 6, cached: 1 }]);
    expect(engine.stats()).toMatchObject({ prefillComputed: 6, prefillReused: 42, tokensSampled: 8, decodeRuns: 0 });
  });

  it("runs only rows that are not done when lengths differ", async () => {
    const model = createToyModel();
    const engine = openEngine(model, { endIds: [] });
    await Promise.all(
      [1, 5, 9, 30].map((maxTokens, i) => engine.complete(requestOf(i, { prompt: [i + 1, 2], maxTokens, stop: [] }))),
    );
    const decodeRows = model.runs.filter((run) => run.tokens === 1).map((run) => run.rows);
    expect(decodeRows).toEqual([
      ...Array<number>(4).fill(3),
      ...Array<number>(4).fill(2),
      ...Array<number>(21).fill(1),
    ]);
  });

  it("grows the cache past a bucket and shrinks it when the long row has gone", async () => {
    const model = createToyModel();
    const engine = openEngine(model, { endIds: [] });
    const long = requestOf(1, { prompt: Array.from({ length: 60 }, (_, i) => 1 + (i % 22)), maxTokens: 10, stop: [] });
    const short = requestOf(2, { prompt: [1, 2, 3], maxTokens: 28, stop: [] });
    const together = await Promise.all([engine.complete(long), engine.complete(short)]);
    expect(together).toEqual([
      await openEngine(createToyModel(), { endIds: [] }).complete(long),
      await openEngine(createToyModel(), { endIds: [] }).complete(short),
    ]);
    const spans = model.runs.filter((run) => run.tokens === 1).map((run) => run.cached);
    expect(Math.max(...spans)).toBe(96);
    expect(spans.at(-1)).toBe(32);
  });

  it("cuts a long prompt into several prefill runs when it exceeds the limit of one", async () => {
    const prompt = Array.from({ length: 57 }, (_, i) => 1 + ((i * 7) % 22));
    const requests = [0, 1, 2, 3].map((i) => requestOf(i, { prompt: i < 2 ? prompt : prompt.slice(i), maxTokens: 12 }));
    for (const prefillTokens of [1, 7, 8, 56]) {
      const model = createToyModel();
      const engine = openEngine(model, { prefillTokens });
      const together = await Promise.all(requests.map((request) => engine.complete(request)));
      expect(together).toEqual(await Promise.all(requests.map((request) => alone(request))));
      const prefills = model.runs.filter((run) => run.tokens > 1);
      for (const run of prefills) expect(run.rows * run.tokens).toBeLessThanOrEqual(prefillTokens);
    }
  });

  it("ends with context when the window is full", async () => {
    const engine = openEngine(createToyModel({ contextLength: 20 }), { endIds: [] });
    const request = requestOf(1, { prompt: Array<number>(15).fill(4), maxTokens: 40, stop: [] });
    const { ids, finish } = await engine.complete(request);
    expect([ids.length, finish]).toEqual([5, "context"]);
    const full = await engine.complete({ ...request, prompt: Array<number>(20).fill(4) });
    expect(full).toEqual({ ids: [], logprobs: [], text: "", finish: "context" });
  });

  it("keeps the end token in the ids and out of the text", async () => {
    const engine = openEngine(createToyModel());
    const all = await Promise.all(
      Array.from({ length: 30 }, (_, i) => engine.complete(requestOf(i, { maxTokens: 60, stop: [] }))),
    );
    const ended = all.filter((one) => one.finish === "end");
    expect(ended.length).toBeGreaterThan(0);
    for (const one of ended) {
      expect(one.ids.at(-1)).toBe(END);
      expect(one.text).toBe(decode(one.ids.slice(0, -1)));
      expect(one.logprobs.length).toBe(one.ids.length);
    }
  });

  it("rejects everything in flight and goes on when the model fails", async () => {
    for (const failAt of [0, 1, 5]) {
      const model = createToyModel();
      model.failAt = failAt;
      const engine = openEngine(model, { maxRows: 3, endIds: [] });
      const requests = Array.from({ length: 5 }, (_, i) => requestOf(i, { maxTokens: 20, stop: [] }));
      const results = await Promise.allSettled(requests.map((request) => engine.complete(request)));
      expect(new Set(results.map((one) => one.status))).toEqual(new Set(["rejected"]));
      await engine.idle();
      model.failAt = undefined;
      const single = openEngine(createToyModel(), { endIds: [] });
      expect(await engine.complete(requests[2]!)).toEqual(await single.complete(requests[2]!));
    }
  });

  it("gives the completions of single runs when several replicas share the rows", async () => {
    const requests = mixedRequests(40);
    const first = createToyModel();
    const more = [createToyModel(), createToyModel()];
    const engine = openEngine(first, { maxRows: 4, others: more.map((model) => openReplica(model)) });
    const together = await Promise.all(requests.map((request) => engine.complete(request)));
    for (const [i, request] of requests.entries()) expect(together[i]).toEqual(await alone(request));
    for (const { runs } of [first, ...more]) {
      expect(runs.length).toBeGreaterThan(10);
      expect(Math.max(...runs.map(({ rows }) => rows))).toBe(4);
    }
    expect(engine.stats().tokensSampled).toBe(together.reduce((sum, one) => sum + one.ids.length, 0));
  });

  it("keeps a conversation, and samples of one prompt, on one replica", async () => {
    const other = createToyModel();
    const engine = openEngine(createToyModel(), { maxRows: 8, others: [openReplica(other, 8)] });
    const talks = await Promise.all(Array.from({ length: 12 }, (_, i) => converse(engine, i, 4)));
    for (let i = 0; i < 12; i += 1)
      expect(talks[i]).toEqual(await converse(openEngine(createToyModel(), { maxRows: 1 }), i, 4));
    expect(engine.stats().prefillComputed).toBeLessThanOrEqual(12 * (12 + 3 * 4));
    const before = engine.stats().prefillComputed;
    const samples = Array.from({ length: 8 }, (_, i) =>
      requestOf(i, { prompt: [9, 8, 7, 6, 5], maxTokens: 3, stop: [], conversation: `sample${String(i)}` }),
    );
    await Promise.all(samples.map((request) => engine.complete(request)));
    expect(engine.stats().prefillComputed - before).toBe(5);
    expect(other.runs.length).toBeGreaterThan(0);
  });

  it("rejects everything in flight and goes on when one of several replicas fails", async () => {
    const other = createToyModel();
    other.failAt = 3;
    const engine = openEngine(createToyModel(), { maxRows: 3, endIds: [], others: [openReplica(other, 3, [])] });
    const requests = Array.from({ length: 9 }, (_, i) => requestOf(i, { maxTokens: 20, stop: [] }));
    const results = await Promise.allSettled(requests.map((request) => engine.complete(request)));
    expect(new Set(results.map((one) => one.status))).toEqual(new Set(["rejected"]));
    await engine.idle();
    other.failAt = undefined;
    const single = openEngine(createToyModel(), { endIds: [] });
    for (const request of requests.slice(0, 4))
      expect(await engine.complete(request)).toEqual(await single.complete(request));
  });

  it("refuses a request that cannot be run", async () => {
    const engine = openEngine(createToyModel());
    await expect(engine.complete(requestOf(1, { prompt: [] }))).rejects.toThrow("engine: the prompt must have 1 token");
    await expect(engine.complete(requestOf(1, { prompt: [23] }))).rejects.toThrow("must lie in [0, 23), got 23");
    await expect(engine.complete(requestOf(1, { maxTokens: 0 }))).rejects.toThrow("maxTokens");
    await engine.idle();
  });

  it("forgets parked caches when told to, and refuses while busy", async () => {
    const engine = openEngine(createToyModel());
    const request = requestOf(1, { prompt: [1, 2, 3, 4, 5, 6], maxTokens: 3, stop: [] });
    const first = engine.complete(request);
    expect(() => {
      engine.clear();
    }).toThrow("1 requests are in flight");
    const { ids } = await first;
    engine.clear();
    await engine.complete({ ...request, prompt: [...request.prompt, ...ids] });
    expect(engine.stats().prefillReused).toBe(0);
    await engine.complete({ ...request, prompt: [...request.prompt, ...ids, 4] });
    expect(engine.stats().prefillReused).toBe(6 + ids.length);
  });

  it("keeps nothing of a conversation when it was released", async () => {
    const engine = openEngine(createToyModel());
    const request = requestOf(1, { prompt: [1, 2, 3, 4, 5, 6], maxTokens: 3, stop: [] });
    const running = engine.complete(request);
    engine.release(request.conversation);
    await running;
    await engine.complete(request);
    engine.release(request.conversation);
    await engine.complete(request);
    expect(engine.stats().prefillReused).toBe(0);
  });

  it("shares the prefix of a row that is still running", async () => {
    const engine = openEngine(createToyModel(), { maxRows: 2, endIds: [] });
    const prompt = [9, 8, 7, 6, 5, 4, 3];
    const make = (i: number, maxTokens: number): CompletionRequest => requestOf(i, { prompt, maxTokens, stop: [] });
    await Promise.all([
      engine.complete(make(1, 30)),
      engine.complete(requestOf(2, { prompt: [1], maxTokens: 2, stop: [] })),
      engine.complete(make(3, 4)),
    ]);
    expect(engine.stats().prefillReused).toBe(6);
  });

  it("limits rows by the bytes of their caches", async () => {
    const model = createToyModel();
    const perPosition = 2 * 4 * 2 * 2 * 3;
    const engine = openEngine(model, { activeBytes: perPosition * 32 * 3, endIds: [] });
    const requests = Array.from({ length: 7 }, (_, i) => requestOf(i, { prompt: [1, i + 1], maxTokens: 9, stop: [] }));
    await Promise.all(requests.map((request) => engine.complete(request)));
    expect(Math.max(...model.runs.map((run) => run.rows))).toBe(3);
  });

  it("gives the same runs in the same order when the same requests come again", async () => {
    const once = async (): Promise<unknown> => {
      const model = createToyModel();
      const engine = openEngine(model, { maxRows: 6 });
      const out = await Promise.all(Array.from({ length: 14 }, (_, i) => converse(engine, i, 3)));
      return [out, model.runs, engine.stats()];
    };
    expect(await once()).toEqual(await once());
  });

  it("equals single runs when schedules are random", async () => {
    const plan = fc.record({
      maxRows: fc.integer({ min: 1, max: 9 }),
      prefillTokens: fc.integer({ min: 1, max: 60 }),
      parked: fc.integer({ min: 0, max: 6 }),
      rollouts: fc.array(
        fc.record({
          prompt: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 40 }),
          turns: fc.array(
            fc.record({ maxTokens: fc.integer({ min: 1, max: 12 }), wait: fc.integer({ min: 0, max: 3 }) }),
            {
              minLength: 1,
              maxLength: 3,
            },
          ),
          released: fc.boolean(),
        }),
        { minLength: 1, maxLength: 12 },
      ),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ maxRows, prefillTokens, parked, rollouts }) => {
        const engine = openEngine(createToyModel(), { maxRows, prefillTokens, parkedBytes: parked * 48 * 20 });
        await Promise.all(
          rollouts.map(async ({ prompt, turns, released }, index) => {
            let context = prompt;
            for (const [turn, { maxTokens, wait }] of turns.entries()) {
              for (let i = 0; i < wait; i += 1) await new Promise((resolve) => setImmediate(resolve));
              const request = requestOf(index, { prompt: context, maxTokens, stop: [], stream: [index, turn] });
              const completion = await engine.complete(request);
              expect(completion).toEqual(await alone(request));
              context = [...context, ...completion.ids, 2, 1];
            }
            if (released) engine.release(requestOf(index).conversation);
          }),
        );
      }),
      { numRuns: 15, seed: 1 },
    );
  });
});
