import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/base/json.ts";
import { ANTHROPIC_FORMAT } from "../../../../src/search/proposers/agent/anthropic-format.ts";
import type { ModelRequest, Reply, WireFormat } from "../../../../src/search/proposers/agent/conversation.ts";
import { openaiFormat } from "../../../../src/search/proposers/agent/openai-format.ts";
import { anthropicReply, toolUse } from "../../../support/scripted-agent.ts";
import { openaiReply } from "./fake-endpoint.ts";

const OPENAI_FORMAT = openaiFormat("max_tokens");

/** A request whose last turns are `reply` and results for its calls. */
function requestAfter({ text, calls, end, echo }: Reply): ModelRequest {
  const results = calls.map(({ id }, i) => ({ id, text: `result ${String(i)}`, isError: i === 1 }));
  return {
    system: "You improve.",
    messages: [
      { role: "user", text: "Begin." },
      { role: "assistant", text, calls, end, echo },
      { role: "results", results },
    ],
    tools: [{ name: "Read", description: "Reads.", parameters: { path: { type: "string" } }, required: ["path"] }],
    maxTokens: 99,
  };
}

const messagesOf = (format: WireFormat, request: ModelRequest): readonly JsonObject[] =>
  format.formatBody(request, "m")["messages"] as readonly JsonObject[];

describe("ANTHROPIC_FORMAT", () => {
  const two = [
    { type: "thinking", thinking: "hm", signature: "s" },
    { type: "text", text: "Look." },
    toolUse("Read", { path: "a" }, "t1"),
    toolUse("Glob", { pattern: "*" }, "t2"),
  ];

  it("reads text, several calls and the tokens, cached ones included", () => {
    const reply = ANTHROPIC_FORMAT.parseBody(anthropicReply(two));
    expect(reply).toMatchObject({ text: "Look.", end: "calls", usage: { input: 100, output: 10 } });
    expect(reply.calls).toEqual([
      { id: "t1", name: "Read", input: { path: "a" }, problem: "" },
      { id: "t2", name: "Glob", input: { pattern: "*" }, problem: "" },
    ]);
  });

  it("gives blocks back as they came, all results in one turn, and marks the end for the cache", () => {
    const messages = messagesOf(ANTHROPIC_FORMAT, requestAfter(ANTHROPIC_FORMAT.parseBody(anthropicReply(two))));
    expect(messages[1]).toEqual({ role: "assistant", content: two });
    expect(messages[2]).toEqual({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "t1", content: "result 0" },
        {
          ...{ type: "tool_result", tool_use_id: "t2", content: "result 1", is_error: true },
          cache_control: { type: "ephemeral" },
        },
      ],
    });
  });

  it.each([
    ["end_turn", "done"],
    ["refusal", "refused"],
    ["max_tokens", "cut"],
  ])("reads the stop reason %s as %s", (reason, end) => {
    expect(ANTHROPIC_FORMAT.parseBody(anthropicReply([{ type: "text", text: "x" }], reason)).end).toBe(end);
  });

  it("gives back a turn when the model said nothing", () => {
    const nothing = [{ type: "text", text: "(nothing)" }];
    expect(ANTHROPIC_FORMAT.parseBody(anthropicReply([])).echo).toEqual(nothing);
    const empty = { type: "text", text: "\n" };
    expect(ANTHROPIC_FORMAT.parseBody(anthropicReply([empty])).echo).toEqual(nothing);
    const call = toolUse("Glob", { pattern: "*" });
    expect(ANTHROPIC_FORMAT.parseBody(anthropicReply([empty, call])).echo).toEqual([call]);
  });

  it.each([[[]], [{ content: "text" }], [{ content: [{ type: "tool_use", name: "Read" }] }], ["x"]])(
    "refuses a body of another form (%j)",
    (body) => {
      expect(() => ANTHROPIC_FORMAT.parseBody(body)).toThrow(SyntaxError);
    },
  );

  it.each([
    ["https://api.anthropic.com", "https://api.anthropic.com/v1/messages"],
    ["https://x.org/anthropic/v1/", "https://x.org/anthropic/v1/messages"],
    ["http://localhost:1/v1/messages", "http://localhost:1/v1/messages"],
  ])("finds the address below %s", (endpoint, url) => {
    expect(ANTHROPIC_FORMAT.resolveUrl(endpoint)).toBe(url);
  });
});

describe("openaiFormat", () => {
  const two = openaiReply("Look.", [
    ["Read", '{"path":"a"}'],
    ["Glob", "{pattern"],
  ]);

  it("reads text, several calls, and arguments that are no JSON as a problem", () => {
    const reply = OPENAI_FORMAT.parseBody(two);
    expect(reply).toMatchObject({ text: "Look.", end: "calls", usage: { input: 100, output: 20 } });
    expect(reply.calls).toEqual([
      { id: "call_0", name: "Read", input: { path: "a" }, problem: "" },
      { id: "call_1", name: "Glob", input: {}, problem: "the arguments are not a JSON object" },
    ]);
  });

  it("gives each result as a message of its own, and arguments back that parse", () => {
    const messages = messagesOf(OPENAI_FORMAT, requestAfter(OPENAI_FORMAT.parseBody(two)));
    expect(messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool", "tool"]);
    expect(messages[2]).toMatchObject({
      content: "Look.",
      tool_calls: [{ function: { arguments: '{"path":"a"}' } }, { id: "call_1", function: { arguments: "{}" } }],
    });
    expect(messages[4]).toEqual({ role: "tool", tool_call_id: "call_1", content: "Error: result 1" });
  });

  it("names the token limit as the endpoint does", () => {
    const request = requestAfter(OPENAI_FORMAT.parseBody(two));
    expect(OPENAI_FORMAT.formatBody(request, "m")).toMatchObject({ model: "m", max_tokens: 99 });
    expect(openaiFormat("max_completion_tokens").formatBody(request, "m")).toMatchObject({ max_completion_tokens: 99 });
  });

  it.each([
    ["stop", "done"],
    ["length", "cut"],
    ["content_filter", "refused"],
  ])("reads the finish reason %s as %s", (reason, end) => {
    expect(OPENAI_FORMAT.parseBody(openaiReply("x", [], reason)).end).toBe(end);
  });

  it("reads a refusal in words", () => {
    const body = {
      choices: [{ finish_reason: "stop", message: { role: "assistant", content: null, refusal: "No." } }],
    };
    expect(OPENAI_FORMAT.parseBody(body)).toMatchObject({ end: "refused", usage: undefined });
  });

  it.each([[{}], [{ choices: [] }], [{ choices: [{ message: { tool_calls: [{}] } }] }]])(
    "refuses a body of another form (%j)",
    (body) => {
      expect(() => OPENAI_FORMAT.parseBody(body)).toThrow(SyntaxError);
    },
  );

  it.each([
    ["http://localhost:8000", "http://localhost:8000/v1/chat/completions"],
    ["https://api.openai.com/v1", "https://api.openai.com/v1/chat/completions"],
    ["https://x.org/api/paas/v4/", "https://x.org/api/paas/v4/chat/completions"],
    ["https://x.org/v1/chat/completions", "https://x.org/v1/chat/completions"],
  ])("finds the address below %s", (endpoint, url) => {
    expect(OPENAI_FORMAT.resolveUrl(endpoint)).toBe(url);
  });
});
