/** What a harness passes to `env.chat`, checked: the edge where a guest's JSON becomes typed. */
import { isJsonArray, isJsonObject, type JsonValue } from "../base/json.ts";
import type { ChatMessage } from "../text/chat.ts";

/** A checked call of `env.chat`. */
export type ChatRequest = {
  readonly messages: readonly ChatMessage[];
  /** Most tokens that the harness wants; undefined leaves it to the budget. */
  readonly maxTokens: number | undefined;
  readonly stop: readonly string[];
  readonly prefill: string;
};

/** Most messages in one call. */
const MOST_MESSAGES = 200;
/** Most characters in one call's messages and prefill together. */
const MOST_CHARACTERS = 200_000;
/** Most stop texts in one call. */
const MOST_STOPS = 8;

const ROLES = ["system", "user", "assistant"] as const;
const OPTIONS = ["maxTokens", "stop", "prefill"];

/**
 * Checks the arguments of `env.chat(messages, options)`.
 * @throws {TypeError} If they have another shape; the message reaches the harness.
 */
export function parseChatRequest(args: readonly JsonValue[]): ChatRequest {
  const [list, given = {}] = args;
  if (args.length > 2)
    throw new TypeError(`env.chat: takes messages and options, got ${String(args.length)} arguments`);
  const messages = parseMessages(list);
  const options = parseOptions(given ?? {});
  const size = messages.reduce((sum, { content }) => sum + content.length, options.prefill.length);
  if (size > MOST_CHARACTERS)
    throw new TypeError(`env.chat: at most ${String(MOST_CHARACTERS)} characters in one call, got ${String(size)}`);
  return { messages, ...options };
}

function parseMessages(list: JsonValue | undefined): ChatMessage[] {
  if (!isJsonArray(list)) throw new TypeError(`env.chat: messages must be an array, got ${kind(list)}`);
  if (list.length === 0 || list.length > MOST_MESSAGES)
    throw new TypeError(`env.chat: takes 1 to ${String(MOST_MESSAGES)} messages, got ${String(list.length)}`);
  const messages = list.map(parseMessage);
  if (messages.at(-1)?.role === "assistant")
    throw new TypeError(
      "env.chat: the last message must not be the assistant's; use the option prefill to begin a reply",
    );
  return messages;
}

function parseMessage(value: JsonValue, index: number): ChatMessage {
  const name = `env.chat: messages[${String(index)}]`;
  if (!isJsonObject(value)) throw new TypeError(`${name} must be an object, got ${kind(value)}`);
  const role = ROLES.find((known) => known === value["role"]);
  if (role === undefined)
    throw new TypeError(`${name}.role must be one of ${ROLES.join(", ")}, got ${kind(value["role"])}`);
  const content = value["content"];
  if (typeof content !== "string") throw new TypeError(`${name}.content must be text, got ${kind(content)}`);
  return { role, content };
}

function parseOptions(value: JsonValue): Omit<ChatRequest, "messages"> {
  if (!isJsonObject(value)) throw new TypeError(`env.chat: options must be an object, got ${kind(value)}`);
  for (const key of Object.keys(value))
    if (!OPTIONS.includes(key))
      throw new TypeError(
        `env.chat: unknown option ${key}, known are ${OPTIONS.join(", ")}; sampling belongs to the experiment`,
      );
  const { maxTokens, prefill = "" } = value;
  if (maxTokens !== undefined && !(typeof maxTokens === "number" && Number.isInteger(maxTokens) && maxTokens >= 1))
    throw new TypeError(`env.chat: maxTokens must be a whole number of 1 or more, got ${kind(maxTokens)}`);
  if (typeof prefill !== "string") throw new TypeError(`env.chat: prefill must be text, got ${kind(prefill)}`);
  return { maxTokens, prefill, stop: parseStop(value["stop"]) };
}

function parseStop(value: JsonValue | undefined): string[] {
  const list = value === undefined ? [] : isJsonArray(value) ? value : [value];
  const texts = list.filter((text) => typeof text === "string" && text !== "");
  if (texts.length !== list.length || list.length > MOST_STOPS)
    throw new TypeError(`env.chat: stop must be a text or up to ${String(MOST_STOPS)} texts, none of them empty`);
  return texts as string[];
}

function kind(value: JsonValue | undefined): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (isJsonArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  return JSON.stringify(value).slice(0, 60);
}
