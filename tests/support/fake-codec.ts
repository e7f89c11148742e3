/** A codec for tests: one id a UTF-16 unit below 256, and a template in the manner of ChatML that can be read by eye. */
import type { ChatCodec } from "../../src/text/chat.ts";

/** Opens a message. */
export const START = 256;
/** Ends a message. */
export const END = 257;

/** The codec; `[START]role\ncontent[END]\n` for each message, then `[START]assistant\n` and the prefill. */
export const FAKE_CODEC: ChatCodec = {
  encodePrompt: (messages, { prefill = "", sampled } = {}) => {
    const out: number[] = [];
    for (const { role, content } of messages) {
      const ids = role === "assistant" ? sampled?.(content) : undefined;
      out.push(START, ...bytes(`${role}\n`), ...(ids ?? bytes(content)));
      if (out.at(-1) !== END) out.push(END);
      out.push(...bytes("\n"));
    }
    return [...out, START, ...bytes("assistant\n"), ...bytes(prefill)];
  },
  encode: bytes,
  decode: (ids) => String.fromCharCode(...ids.filter((id) => id < 256)),
  endIds: [END],
  vocabulary: 258,
};

/** Ids of plain text. */
export function bytes(text: string): number[] {
  return Array.from(text, (character) => character.charCodeAt(0) % 256);
}
