/** One request on its way through the engine: what it has sampled, and when it is done. */
import { createRng, type Rng } from "../base/rng.ts";
import type { Completion, CompletionRequest, FinishReason } from "./completer.ts";
import type { SampledToken } from "./sampler.ts";
import { createStopWatcher, type StopWatcher } from "./stop.ts";

/** What all rows of an engine share. */
export type RowRules = {
  /** Text of ids, special tokens left out. */
  readonly decode: (ids: readonly number[]) => string;
  /** Ids that end a turn. */
  readonly endIds: ReadonlySet<number>;
  /** Most tokens in one row's context. */
  readonly contextLength: number;
  /** Keys before each request's own ones. */
  readonly seedKeys: readonly (string | number)[];
};

/** A request and its place in the order of all requests. */
export type NumberedRequest = { readonly sequence: number; readonly request: CompletionRequest };

/** A request being sampled. */
export class Row {
  readonly sequence: number;
  readonly request: CompletionRequest;
  /** The prompt, then what was sampled. */
  readonly ids: number[];
  /** Leading positions of `ids` whose keys and values are cached. */
  cached = 0;
  /** Whether the cache is worth keeping for a later turn. */
  park = true;
  /** Why the row is done; undefined while it goes on. */
  finish: FinishReason | undefined;
  readonly rng: Rng;
  readonly #rules: RowRules;
  readonly #logprobs: number[] = [];
  readonly #stop: StopWatcher | undefined;

  /** Starts the row of a request whose prompt is shorter than the context. */
  constructor({ sequence, request }: NumberedRequest, rules: RowRules) {
    this.sequence = sequence;
    this.request = request;
    this.ids = [...request.prompt];
    this.rng = createRng(...rules.seedKeys, ...request.stream);
    this.#rules = rules;
    this.#stop = createStopWatcher(request.stop, rules.decode);
  }

  /** Tokens whose keys and values are still to be computed. */
  get pending(): number {
    return this.ids.length - this.cached;
  }

  /** Whether a token has been sampled. */
  get started(): boolean {
    return this.#logprobs.length > 0;
  }

  /** Takes the next token and decides whether it is the last. */
  accept(token: SampledToken): void {
    this.ids.push(token.id);
    this.#logprobs.push(token.logprob);
    if (this.#rules.endIds.has(token.id)) this.finish = "end";
    else if (this.#stop?.push(token.id) === true) this.finish = "stop";
    else if (this.#logprobs.length >= this.request.maxTokens) this.finish = "length";
    else if (this.ids.length >= this.#rules.contextLength) this.finish = "context";
  }

  /** What the caller gets, once `finish` says why. */
  completion(): Completion {
    const ids = this.ids.slice(this.request.prompt.length);
    const finish = this.finish ?? "length";
    const spoken = finish === "end" ? ids.slice(0, -1) : ids;
    return { ids, logprobs: this.#logprobs, text: this.#rules.decode(spoken), finish };
  }
}
