/**
 * A model that knows nothing: it answers with what a domain says could be said at random about what is on screen. A harness
 * that scores above chance with it is solving the tasks itself.
 */
import { createRng } from "../base/rng.ts";
import type { Completer, Completion, CompletionRequest } from "../generation/completer.ts";
import type { ChatCodec } from "../text/chat.ts";
import type { Domain, Task } from "./domain.ts";

/** What a null completer needs. */
export type NullModelParts = {
  readonly domain: Domain;
  /** The task on screen; a completer serves one rollout. */
  readonly task: Task;
  readonly codec: ChatCodec;
};

/** A completer for one rollout of `task` that answers at random, from the call's own stream. */
export function createNullCompleter(parts: NullModelParts): Completer {
  return {
    complete: (request) => Promise.resolve(drawReply(request, parts)),
    release: () => undefined,
  };
}

function drawReply(request: CompletionRequest, { domain, task, codec }: NullModelParts): Completion {
  const rng = createRng("null-model", ...request.stream);
  const said = domain.nullReply(task, rng.uniform, codec.decode(request.prompt));
  const stopped = cutAtStop(said, request.stop);
  const whole = codec.encode(stopped.text);
  const end = codec.endIds[0];
  // A stop text ends the reply as it is; otherwise the turn is ended by its token, if there is room for it.
  const ids = stopped.found || end === undefined ? whole : [...whole, end];
  const kept = ids.slice(0, request.maxTokens);
  const isCut = kept.length < ids.length;
  const text = isCut ? codec.decode(kept) : stopped.text;
  const finish = isCut ? "length" : stopped.found ? "stop" : "end";
  // Every token counts as equally likely, whatever was drawn.
  const logprob = -Math.log(codec.vocabulary);
  return { ids: kept, logprobs: kept.map(() => logprob), text, finish };
}

function cutAtStop(text: string, stops: readonly string[]): { readonly text: string; readonly found: boolean } {
  const ends = stops.flatMap((stop) => {
    const at = text.indexOf(stop);
    return at < 0 ? [] : [at + stop.length];
  });
  return ends.length === 0 ? { text, found: false } : { text: text.slice(0, Math.min(...ends)), found: true };
}
