/** A completer for tests that says what it is told to, in order, and remembers what it was asked. */
import type { Completer, CompletionRequest, FinishReason } from "../../src/generation/completer.ts";
import { bytes, END } from "./fake-codec.ts";

/** One reply; ids are the bytes of `text`, and the end token where it finishes by "end". */
export type ScriptedReply = { readonly text: string; readonly finish?: FinishReason };

/** The completer with its record. */
export type ScriptedCompleter = Completer & {
  readonly requests: readonly CompletionRequest[];
  readonly released: readonly string[];
};

/** Replies with `script` in order; the last one again when it has been used up. */
export function scriptedCompleter(script: readonly (string | ScriptedReply)[]): ScriptedCompleter {
  const requests: CompletionRequest[] = [];
  const released: string[] = [];
  return {
    requests,
    released,
    complete: async (request) => {
      const entry = script[Math.min(requests.length, script.length - 1)] ?? "";
      requests.push(request);
      await Promise.resolve();
      const { text, finish = "end" } = typeof entry === "string" ? { text: entry } : entry;
      const all = finish === "end" ? [...bytes(text), END] : bytes(text);
      const ids = all.slice(0, request.maxTokens);
      const cut = ids.length < all.length;
      const shown = String.fromCharCode(...ids.filter((id) => id !== END));
      return { ids, logprobs: ids.map((_, i) => -(i + 1) / 8), text: shown, finish: cut ? "length" : finish };
    },
    release: (conversation) => {
      released.push(conversation);
    },
  };
}
