/** The engine over a model whose rows have states, which belong to one number of cached tokens and can't be cut. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Completion } from "../../src/generation/completer.ts";
import type { DecodeModel } from "../../src/generation/decode-model.ts";
import { createEngine } from "../../src/generation/engine.ts";
import type { Engine } from "../../src/generation/engine-port.ts";
import { bytesOfStates, bytesPerPosition } from "../../src/generation/kv-block.ts";
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
import { createToyModel, TOY_STATES, withBurst, type ToyModel } from "../support/toy-decode-model.ts";

const createModel = (): ToyModel => createToyModel(TOY_STATES);

describe("createEngine over a model with states", () => {
  it("gives the completions of single runs when 40 mixed requests run together", async () => {
    const requests = mixedRequests(40);
    for (const prefillTokens of [8, 2048]) {
      const engine = openEngine(createModel(), { maxRows: 16, prefillTokens });
      const together = await Promise.all(requests.map((request) => engine.complete(request)));
      for (const [i, request] of requests.entries())
        expect(together[i], `request ${String(i)}`).toEqual(await alone(request, createModel()));
    }
    const [plain, stateful] = [await alone(requests[0]!), await alone(requests[0]!, createModel())];
    expect(plain.ids).not.toEqual(stateful.ids);
  });

  it("goes on from a whole earlier turn, and only from a whole one", async () => {
    const engine = openEngine(createModel(), { maxRows: 8 });
    const together = await Promise.all(Array.from({ length: 12 }, (_, i) => converse(engine, i, 4)));
    for (let i = 0; i < 12; i += 1)
      expect(together[i]).toEqual(await converse(openEngine(createModel(), { maxRows: 1, parkedBytes: 0 }), i, 4));
    // Turns 2 to 4 compute the last sampled token and the three new ones only.
    expect(engine.stats().prefillComputed).toBeLessThanOrEqual(12 * (12 + 3 * 4));
    const before = engine.stats().prefillReused;
    const prompt = requestOf(3).prompt.slice(0, 12);
    const again = requestOf(50, { prompt: [...prompt.slice(0, -1), 9, 9], maxTokens: 4, stop: [] });
    expect(await engine.complete(again)).toEqual(await alone(again, createModel()));
    expect(engine.stats().prefillReused).toBe(before);
  });

  it("gives the completions of single steps when the device samples bursts", async () => {
    const requests = mixedRequests(30);
    const open = (model: DecodeModel): Engine =>
      createEngine({ model, decode, endIds: [END], sampling: SAMPLING, maxRows: 16 });
    const [bursts, steps] = [open(withBurst(createModel(), 5, SAMPLING)), open(createModel())];
    const idsOf = async (engine: Engine): Promise<Pick<Completion, "ids">[]> =>
      (await Promise.all(requests.map((request) => engine.complete(request)))).map(({ ids }) => ({ ids }));
    expect(await idsOf(bursts)).toEqual(await idsOf(steps));
    for (let i = 0; i < 6; i += 1)
      expect((await converse(bursts, i, 4)).map(({ ids }) => ids)).toEqual(
        (await converse(steps, i, 4)).map(({ ids }) => ids),
      );
  });

  it("counts states among the bytes that limit rows", async () => {
    const model = createModel();
    const each = 32 * bytesPerPosition(model.shape) + bytesOfStates(model.shape);
    const engine = openEngine(model, { activeBytes: 3 * each, endIds: [] });
    const requests = Array.from({ length: 7 }, (_, i) => requestOf(i, { prompt: [1, i + 1], maxTokens: 9, stop: [] }));
    await Promise.all(requests.map((request) => engine.complete(request)));
    expect(Math.max(...model.runs.map((run) => run.rows))).toBe(2);
  });

  it("equals single runs when schedules are random", async () => {
    const talk = fc.record({
      prompt: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 40 }),
      turns: fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 3 }),
    });
    const plan = fc.record({
      maxRows: fc.integer({ min: 1, max: 9 }),
      prefillTokens: fc.integer({ min: 1, max: 60 }),
      parkedBytes: fc.integer({ min: 0, max: 8000 }),
      talks: fc.array(talk, { minLength: 1, maxLength: 10 }),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ talks, ...options }) => {
        const engine = openEngine(createModel(), options);
        await Promise.all(
          talks.map(async ({ prompt, turns }, index) => {
            let context = prompt;
            for (const [turn, maxTokens] of turns.entries()) {
              const request = requestOf(index, { prompt: context, maxTokens, stop: [], stream: [index, turn] });
              const completion = await engine.complete(request);
              expect(completion).toEqual(await alone(request, createModel()));
              context = [...context, ...completion.ids, 2, 1];
            }
          }),
        );
      }),
      { numRuns: 15, seed: 2 },
    );
  });
});
