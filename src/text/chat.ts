/** The contract between chats and token ids. `chat-codec.ts` implements it over a tokenizer and a Jinja template. */

/** One message of a chat. */
export type ChatMessage = { readonly role: "system" | "user" | "assistant"; readonly content: string };

/** Options of `ChatCodec.encodePrompt`. */
export type EncodePromptOptions = {
  /** Text at the start of the assistant's reply, to be continued. @default "" */
  readonly prefill?: string;
  /**
   * The ids that the policy sampled for an assistant message with exactly this content (prefill included as encoded
   * then), so that they are spliced in and never tokenised again; undefined for a message that was not sampled.
   */
  readonly sampled?: (content: string) => readonly number[] | undefined;
};

/** Chats to ids and back, for one tokenizer and one template. */
export type ChatCodec = {
  /** Ids of the whole context, [T], up to where the assistant's next token comes. */
  readonly encodePrompt: (messages: readonly ChatMessage[], options?: EncodePromptOptions) => number[];
  /** Ids of plain text, without special tokens added. */
  readonly encode: (text: string) => number[];
  /** Text of `ids`, special tokens left out. */
  readonly decode: (ids: readonly number[]) => string;
  /** Ids that end an assistant turn. */
  readonly endIds: readonly number[];
  /** Number of ids the model's head scores, V. */
  readonly vocabulary: number;
};
