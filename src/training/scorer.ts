/** Logits and token log-probabilities of whole sequences: the forward pass without a cache. */
import { compileGraph, floats } from "../runtime/executable.ts";
import type { Runtime } from "../runtime/session.ts";
import type { AdapterValues } from "../model/lora.ts";
import type { Decoder } from "../model/load.ts";
import { microBatches } from "./batch.ts";
import { buildScoringGraph, lengthMultiple } from "./step-graph.ts";

/** Scores sequences with one model. */
export type Scorer = AsyncDisposable & {
  /** Logits of every position of `ids` [T], each a row of [V]. */
  readonly logits: (ids: readonly number[]) => Promise<Float32Array[]>;
};

/** Compiles the scoring graph of `decoder`, with `adapter` where given. */
export async function createScorer(runtime: Runtime, decoder: Decoder, adapter?: AdapterValues): Promise<Scorer> {
  const { config, values } = decoder;
  const executable = await compileGraph(buildScoringGraph(config, values, adapter?.lora), runtime);
  const adapterFeed = adapter
    ? { adapter: { type: "f32" as const, shape: [adapter.flat.length], data: adapter.flat } }
    : {};
  return {
    logits: async (ids) => {
      // A closing token of any id makes the last real position a context position like the others.
      const examples = [{ ids: [...ids, 0], mask: [0, ...ids.map(() => 1)] }];
      const [batch] = microBatches(examples, { positions: ids.length, multiple: lengthMultiple(config) });
      if (!batch) return [];
      const { ids: tokens, positions, mask, rows, labels } = batch.feeds;
      const outputs = await executable.run({ ids: tokens, positions, mask, rows, labels, ...adapterFeed });
      const flat = floats(outputs, "logits");
      return ids.map((_, t) => flat.slice(t * config.vocabulary, (t + 1) * config.vocabulary));
    },
    [Symbol.asyncDispose]: () => executable[Symbol.asyncDispose](),
  };
}
