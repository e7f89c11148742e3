/** Requests for engines over the toy model, alone, mixed and in conversations. */
import { createRng } from "../../src/base/rng.ts";
import type { Completion, CompletionRequest } from "../../src/generation/completer.ts";
import { createEngine } from "../../src/generation/engine.ts";
import type { Engine, EngineOptions } from "../../src/generation/engine-port.ts";
import { createToyModel, TOY_SHAPE, type ToyModel } from "./toy-decode-model.ts";

/** The id that ends a turn. */
export const END = 0;
/** How requests are sampled unless a test says otherwise. */
export const SAMPLING = { temperature: 1, topK: 20, topP: 1 };

/** Text of `ids`, a letter each. */
export const decode = (ids: readonly number[]): string => ids.map((id) => String.fromCharCode(97 + id)).join("");

/** An engine over `model`. */
export function openEngine(model: ToyModel, options: Partial<EngineOptions> = {}): Engine {
  return createEngine({ model, decode, endIds: [END], sampling: SAMPLING, seedKeys: [7], ...options });
}

/** Request number `index`, each another one, with the fields of `over`. */
export function requestOf(index: number, over: Partial<CompletionRequest> = {}): CompletionRequest {
  const rng = createRng("request", index);
  const length = 1 + rng.int(30);
  return {
    prompt: Array.from({ length }, () => 1 + rng.int(TOY_SHAPE.vocabulary - 1)),
    maxTokens: 1 + rng.int(24),
    stop: rng.int(3) === 0 ? [decode([rng.int(23)]), decode([5, 6])] : [],
    stream: ["row", index],
    conversation: `c${String(index)}`,
    ...over,
  };
}

/** What `request` gives in an engine of its own over `model`. */
export async function alone(request: CompletionRequest, model: ToyModel = createToyModel()): Promise<Completion> {
  return openEngine(model, { maxRows: 1 }).complete(request);
}

/** Mixed requests: some with equal prompts, some with a common prefix. */
export function mixedRequests(count: number): CompletionRequest[] {
  const shared = requestOf(1000).prompt;
  return Array.from({ length: count }, (_, i) => {
    const request = requestOf(i);
    if (i % 4 === 1) return { ...request, prompt: shared };
    if (i % 4 === 2) return { ...request, prompt: [...shared, ...request.prompt.slice(0, 1 + (i % 7))] };
    return request;
  });
}

/** Runs turns one after the other, each prompt going on from the last completion. */
export async function converse(engine: Engine, index: number, turns: number): Promise<Completion[]> {
  const out: Completion[] = [];
  let prompt = requestOf(index).prompt.slice(0, 12);
  for (let turn = 0; turn < turns; turn += 1) {
    const request = requestOf(index, { prompt, maxTokens: 9, stream: [index, turn] });
    const completion = await engine.complete(request);
    out.push(completion);
    prompt = [...prompt, ...completion.ids, 3, 1 + (index % 5), 2];
  }
  return out;
}
