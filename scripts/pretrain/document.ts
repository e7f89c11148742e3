/**
 * One chat as token ids with loss weights: 1 on what the assistant says and its end token, `PROMPT_WEIGHT` on everything
 * else, since a small model learns to copy sooner when prompts are predicted too.
 */
import type { ChatMessage } from "../../src/text/chat.ts";
import type { Encoder } from "./encoder.ts";

/** Loss weight of tokens that the assistant does not say. */
export const PROMPT_WEIGHT = 0.3;

/** One encoded document with its weights. */
export type EncodedDocument = { readonly ids: readonly number[]; readonly weights: readonly number[] };

/** Encodes one chat: every message, then `<|endoftext|>`. The first token is no target. */
export function encodeDocument(messages: readonly ChatMessage[], encoder: Encoder): EncodedDocument {
  const start = encoder.tokenId("<|im_start|>");
  const end = encoder.tokenId("<|im_end|>");
  const ids: number[] = [];
  const weights: number[] = [];
  const fillTo = (weight: number): void => {
    while (weights.length < ids.length) weights.push(weight);
  };
  for (const { role, content } of messages) {
    ids.push(start);
    encoder.encodeInto(`${role}\n`, ids);
    fillTo(PROMPT_WEIGHT);
    encoder.encodeInto(content, ids);
    ids.push(end);
    fillTo(role === "assistant" ? 1 : PROMPT_WEIGHT);
    encoder.encodeInto("\n", ids);
  }
  ids.push(encoder.tokenId("<|endoftext|>"));
  fillTo(PROMPT_WEIGHT);
  weights[0] = 0;
  return { ids, weights };
}
