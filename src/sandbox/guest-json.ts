/** JSON that comes from a guest: parsed on the host side with limits on size and depth, whatever the guest claims. */
import type { JsonValue } from "../base/json.ts";

/** Deepest nesting accepted from a guest; deeper values could overflow recursive code on the host. */
const MAX_JSON_DEPTH = 64;

/**
 * Parses JSON text of a guest.
 * @throws {SyntaxError} If the text is not JSON.
 * @throws {RangeError} If it is nested deeper than `MAX_JSON_DEPTH`.
 */
export function parseGuestJson(text: string): JsonValue {
  if (jsonDepth(text) > MAX_JSON_DEPTH)
    throw new RangeError(`a value may be nested at most ${String(MAX_JSON_DEPTH)} levels deep`);
  return JSON.parse(text) as JsonValue;
}

function jsonDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (quoted) {
      if (code === BACKSLASH) i += 1;
      else if (code === QUOTE) quoted = false;
    } else if (code === QUOTE) quoted = true;
    else if (code === BRACKET || code === BRACE) deepest = Math.max(deepest, (depth += 1));
    else if (code === BRACKET + 2 || code === BRACE + 2) depth -= 1;
  }
  return deepest;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BRACKET = 0x5b;
const BRACE = 0x7b;
