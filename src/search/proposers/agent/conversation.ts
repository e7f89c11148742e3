/**
 * A conversation with a language model that calls tools, free of any one vendor's wire format. All of it is plain JSON, so
 * that it can be kept in a file and gone on with by another process.
 */
import type { JsonObject, JsonValue } from "../../../base/json.ts";

/** A tool that a model may call. */
export type ToolSpec = {
  readonly name: string;
  readonly description: string;
  /** Its arguments by name, each a JSON schema. */
  readonly parameters: Readonly<Record<string, JsonObject>>;
  readonly required: readonly string[];
};

/** One call. */
export type ToolCall = {
  /** What the wire calls it; its result names it. */
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  /** Why the arguments cannot be used; empty where they can. */
  readonly problem: string;
};

/** What a call gave. */
export type ToolResult = { readonly id: string; readonly text: string; readonly isError: boolean };

/** Why a reply ended. */
export const REPLY_ENDS = ["done", "calls", "cut", "refused"] as const;
/** One of `REPLY_ENDS`: the model is done, waits for tools, ran into the token limit, or would not answer. */
export type ReplyEnd = (typeof REPLY_ENDS)[number];

/** One reply of the model. */
export type Reply = {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly end: ReplyEnd;
  /** What the wire must be given back as this turn, in its own form. */
  readonly echo: JsonValue;
  /** Tokens as the endpoint counts them, those read from a cache included; undefined where it does not say. */
  readonly usage: { readonly input: number; readonly output: number } | undefined;
};

/** One message. */
export type Message =
  | { readonly role: "user"; readonly text: string }
  | ({ readonly role: "assistant" } & Omit<Reply, "usage">)
  | { readonly role: "results"; readonly results: readonly ToolResult[] };

/** Everything that one request says. */
export type ModelRequest = {
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  /** Most tokens of the reply. */
  readonly maxTokens: number;
};

/** How requests and replies look on the wire of one kind of endpoint. */
export type WireFormat = {
  /** Where requests go, below the base address that the user gave. */
  readonly resolveUrl: (endpoint: string) => string;
  /** The header fields that carry the key. */
  readonly authorize: (key: string) => Readonly<Record<string, string>>;
  /** Header fields of every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly formatBody: (request: ModelRequest, model: string) => JsonObject;
  /**
   * Reads the body of a response of status 200.
   * @throws {SyntaxError} If it is not what this kind of endpoint answers.
   */
  readonly parseBody: (body: JsonValue) => Reply;
};
