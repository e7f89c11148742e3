/**
 * The Messages API of Anthropic and of servers compatible with it (https://docs.anthropic.com/en/api/messages).
 *
 * Blocks of the model that are not understood here, such as its thinking, are given back as they came. The end of the
 * request so far is marked for the prompt cache, since every turn repeats all earlier ones.
 */
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import type { Message, Reply, ReplyEnd, ToolCall, WireFormat } from "./conversation.ts";

const CACHE_MARK = { cache_control: { type: "ephemeral" } } as const;

/** The format. */
export const ANTHROPIC_FORMAT: WireFormat = {
  resolveUrl: (endpoint) => {
    const base = endpoint.replace(/\/+$/, "");
    if (base.endsWith("/messages")) return base;
    return base.endsWith("/v1") ? `${base}/messages` : `${base}/v1/messages`;
  },
  authorize: (key) => ({ "x-api-key": key }),
  headers: { "anthropic-version": "2023-06-01" },
  formatBody: ({ system, messages, tools, maxTokens }, model) => ({
    model,
    max_tokens: maxTokens,
    system: [{ type: "text", text: system, ...CACHE_MARK }],
    tools: tools.map(({ name, description, parameters, required }) => ({
      name,
      description,
      input_schema: { type: "object", properties: parameters, required },
    })),
    messages: messages.map((message, index) => formatMessage(message, index === messages.length - 1)),
  }),
  parseBody,
};

function formatMessage(message: Message, isLast: boolean): JsonObject {
  const mark = isLast ? CACHE_MARK : {};
  switch (message.role) {
    case "user":
      return { role: "user", content: [{ type: "text", text: message.text, ...mark }] };
    case "assistant":
      return { role: "assistant", content: message.echo };
    case "results": {
      const blocks: JsonObject[] = message.results.map(({ id, text, isError }) => ({
        type: "tool_result",
        tool_use_id: id,
        content: text,
        ...(isError && { is_error: true }),
      }));
      return {
        role: "user",
        content: blocks.map((block, i) => (i === blocks.length - 1 ? { ...block, ...mark } : block)),
      };
    }
  }
}

function parseBody(body: JsonValue): Reply {
  const content = isJsonObject(body) ? body["content"] : undefined;
  if (!isJsonObject(body) || !isJsonArray(content)) throw new SyntaxError("expected an object with content");
  const blocks = content.filter(isJsonObject);
  const text = blocks.flatMap(readText).join("\n");
  const calls = blocks.filter(({ type }) => type === "tool_use").map(readCall);
  // The API gives empty texts and empty turns, and takes none back.
  const spoken = blocks.filter((block) => block["type"] !== "text" || readText(block).join("").trim() !== "");
  const echo = spoken.length > 0 ? spoken : [{ type: "text", text: "(nothing)" }];
  return { text, calls, end: readEnd(body["stop_reason"], calls), echo, usage: readUsage(body["usage"]) };
}

function readText({ type, text }: JsonObject): string[] {
  return type === "text" && typeof text === "string" ? [text] : [];
}

function readCall(block: JsonObject): ToolCall {
  const { id, name, input } = block;
  if (typeof id !== "string" || typeof name !== "string") throw new SyntaxError("expected tool_use with id and name");
  if (isJsonObject(input)) return { id, name, input, problem: "" };
  return { id, name, input: {}, problem: "the input is not a JSON object" };
}

function readEnd(reason: JsonValue | undefined, calls: readonly ToolCall[]): ReplyEnd {
  if (reason === "refusal") return "refused";
  if (reason === "max_tokens" || reason === "model_context_window_exceeded") return "cut";
  return calls.length > 0 ? "calls" : "done";
}

function readUsage(usage: JsonValue | undefined): Reply["usage"] {
  if (!isJsonObject(usage)) return undefined;
  const count = (name: string): number => (typeof usage[name] === "number" ? usage[name] : 0);
  const input = count("input_tokens") + count("cache_creation_input_tokens") + count("cache_read_input_tokens");
  return { input, output: count("output_tokens") };
}
