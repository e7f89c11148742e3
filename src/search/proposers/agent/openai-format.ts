/**
 * Chat completions as OpenAI defined them and many servers speak them (https://platform.openai.com/docs/api-reference/chat):
 * vLLM, llama.cpp, Ollama, LM Studio and most vendors.
 */
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import type { Message, ModelRequest, Reply, ReplyEnd, ToolCall, WireFormat } from "./conversation.ts";

/** The format. `limitField` is what the endpoint calls the most tokens of a reply. */
export function openaiFormat(limitField: "max_tokens" | "max_completion_tokens"): WireFormat {
  return {
    resolveUrl: (endpoint) => {
      const base = endpoint.replace(/\/+$/, "");
      if (base.endsWith("/chat/completions")) return base;
      // A bare host serves the API under /v1, as OpenAI does.
      return /^https?:\/\/[^/]+$/.test(base) ? `${base}/v1/chat/completions` : `${base}/chat/completions`;
    },
    authorize: (key) => ({ authorization: `Bearer ${key}` }),
    headers: {},
    formatBody: (request, model) => formatBody(request, model, limitField),
    parseBody,
  };
}

function formatBody(
  { system, messages, tools, maxTokens }: ModelRequest,
  model: string,
  limitField: string,
): JsonObject {
  return {
    model,
    [limitField]: maxTokens,
    messages: [{ role: "system", content: system }, ...messages.flatMap(formatMessage)],
    tools: tools.map(({ name, description, parameters, required }) => ({
      type: "function",
      function: { name, description, parameters: { type: "object", properties: parameters, required } },
    })),
  };
}

function formatMessage(message: Message): JsonValue[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: message.text }];
    case "assistant":
      return [message.echo];
    case "results":
      return message.results.map(({ id, text, isError }) => ({
        role: "tool",
        tool_call_id: id,
        content: isError ? `Error: ${text}` : text,
      }));
  }
}

function parseBody(body: JsonValue): Reply {
  const choices = isJsonObject(body) ? body["choices"] : undefined;
  const choice = isJsonArray(choices) ? choices[0] : undefined;
  const message = isJsonObject(choice) ? choice["message"] : undefined;
  if (!isJsonObject(body) || !isJsonObject(choice) || !isJsonObject(message))
    throw new SyntaxError("expected an object with choices and a message");
  const text = typeof message["content"] === "string" ? message["content"] : "";
  const asked = isJsonArray(message["tool_calls"]) ? message["tool_calls"] : [];
  const calls = asked.map(readCall);
  const echo: JsonObject = {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    ...(calls.length > 0 && { tool_calls: calls.map(echoCall) }),
  };
  return { text, calls, end: readEnd(choice, message, calls), echo, usage: readUsage(body["usage"]) };
}

function readCall(value: JsonValue, index: number): ToolCall {
  const called = isJsonObject(value) ? value["function"] : undefined;
  if (!isJsonObject(value) || !isJsonObject(called) || typeof called["name"] !== "string")
    throw new SyntaxError("expected tool calls with a function name");
  // Some servers give no id; results only need one that is unique in the turn.
  const id = typeof value["id"] === "string" && value["id"] !== "" ? value["id"] : `call-${String(index)}`;
  return { id, name: called["name"], ...readArguments(called["arguments"]) };
}

/** The standard is JSON in a string; some servers give the object itself. */
function readArguments(given: JsonValue | undefined): Pick<ToolCall, "input" | "problem"> {
  try {
    const input: JsonValue | undefined = typeof given === "string" ? (JSON.parse(given || "{}") as JsonValue) : given;
    if (isJsonObject(input)) return { input, problem: "" };
  } catch {
    // Told to the model below, which can mend it.
  }
  return { input: {}, problem: "the arguments are not a JSON object" };
}

/** Arguments that were not JSON go back as an empty object: chat templates of some servers parse them. */
function echoCall({ id, name, input }: ToolCall): JsonObject {
  return { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
}

function readEnd(choice: JsonObject, message: JsonObject, calls: readonly ToolCall[]): ReplyEnd {
  const reason = choice["finish_reason"];
  const isRefusal = typeof message["refusal"] === "string" && message["refusal"] !== "";
  if (isRefusal || reason === "content_filter") return "refused";
  if (reason === "length") return "cut";
  return calls.length > 0 ? "calls" : "done";
}

function readUsage(usage: JsonValue | undefined): Reply["usage"] {
  if (!isJsonObject(usage)) return undefined;
  const { prompt_tokens: input, completion_tokens: output } = usage;
  return typeof input === "number" && typeof output === "number" ? { input, output } : undefined;
}
