/** A `fetch` that answers from a list, with a clock that only its own waits and delays move. */
import type { JsonObject, JsonValue } from "../../../../src/base/json.ts";
import type { ConnectionHost, HttpFetch } from "../../../../src/search/proposers/agent/connection.ts";

/** One answer: a response, an error of the network, or nothing at all until the signal comes. */
export type FakeAnswer =
  | { readonly status?: number; readonly body: JsonValue; readonly retryAfter?: string; readonly takes?: number }
  | { readonly status?: number; readonly text: string }
  | { readonly error: Error }
  | { readonly hangs: true };

/** What came in. */
export type FakeRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
};

/** A host whose `fetch` gives `answers` in turn (the last one again and again), with all that it saw. */
export function fakeHost(answers: readonly FakeAnswer[]): ConnectionHost & {
  readonly requests: FakeRequest[];
  /** Milliseconds of each wait between tries, and of each deadline that passed. */
  readonly waits: number[];
} {
  let now = 0;
  const requests: FakeRequest[] = [];
  const waits: number[] = [];
  const fetch: HttpFetch = (url, { headers, body }) => {
    const answer = answers[Math.min(requests.length, answers.length - 1)] as FakeAnswer;
    requests.push({ url, headers, body: JSON.parse(body) as JsonObject });
    if ("error" in answer) return Promise.reject(answer.error);
    if ("hangs" in answer) return new Promise(() => undefined);
    const { status = 200 } = answer;
    const text = "text" in answer ? answer.text : JSON.stringify(answer.body);
    const retryAfter = "body" in answer ? (answer.retryAfter ?? null) : null;
    now += "body" in answer ? (answer.takes ?? 0) : 0;
    const headersOf = { get: (name: string) => (name === "retry-after" ? retryAfter : null) };
    return Promise.resolve({ status, headers: headersOf, text: () => Promise.resolve(text) });
  };
  return {
    fetch,
    clock: () => now,
    // Long enough for an answer that is there to come first; a wait that is called off moves no clock.
    sleep: async (ms, signal) => {
      for (let i = 0; i < 20; i += 1) await Promise.resolve();
      if (signal.aborted) return;
      now += ms;
      waits.push(ms);
    },
    requests,
    waits,
  };
}

/** An OpenAI reply; calls as name and arguments text. */
export function openaiReply(
  content: string | null,
  calls: readonly (readonly [name: string, args: string])[] = [],
  finish?: string,
): JsonObject {
  const toolCalls = calls.map(([name, args], i) => {
    return { id: `call_${String(i)}`, type: "function", function: { name, arguments: args } };
  });
  const message = { role: "assistant", content, ...(calls.length > 0 && { tool_calls: toolCalls }) };
  const reason = finish ?? (calls.length > 0 ? "tool_calls" : "stop");
  return {
    choices: [{ index: 0, message, finish_reason: reason }],
    usage: { prompt_tokens: 100, completion_tokens: 20 },
  };
}
