import { expect, test } from "vitest";
import { toConversations } from "../../src/report/conversations.ts";
import type { TraceStep } from "../../src/rollout/trace.ts";
import { makeTrace } from "../support/traces.ts";

type Message = { role: "system" | "user" | "assistant"; content: string };

const user = (content: string): Message => ({ role: "user", content });
const assistant = (content: string): Message => ({ role: "assistant", content });

function chat(messages: readonly Message[], text: string, prefill = ""): TraceStep {
  return { kind: "chat", messages, prefill, text, ids: [1], logprobs: [-1], promptTokens: 3, finish: "end" };
}

test("toConversations joins turns that go on, with prefill and sampled text as they were", () => {
  const steps = [
    chat([user("q")], "6*7</code>", "<code>"),
    { kind: "tool", name: "run", args: ["6*7"], ok: true, result: "42" } as const,
    chat([user("q"), assistant("<code>6*7</code>"), user("Output: 42")], "\\boxed{42}"),
  ];
  expect(toConversations(makeTrace({ steps }))).toEqual([
    {
      messages: [user("q"), assistant("<code>6*7</code>"), user("Output: 42"), assistant("\\boxed{42}")],
      unsampled: 0,
    },
  ]);
});

test("toConversations starts another one when the harness rewrote the history", () => {
  const steps = [chat([user("q")], "a"), chat([user("summary of a")], "b")];
  expect(toConversations(makeTrace({ steps })).map(({ messages }) => messages.at(-1)?.content)).toEqual(["a", "b"]);
});

test("toConversations counts assistant messages that were not sampled", () => {
  const steps = [chat([user("example"), assistant("shown"), user("q")], "a")];
  expect(toConversations(makeTrace({ steps }))[0]?.unsampled).toBe(1);
});

test("toConversations leaves out calls that sampled nothing", () => {
  const empty = { ...chat([user("q")], ""), ids: [], logprobs: [] } as TraceStep;
  expect(toConversations(makeTrace({ steps: [empty] }))).toEqual([]);
});
