/** Content hashes: SHA-256 of bytes, text or canonical JSON, as lower-case hex. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { canonicalJson, type JsonValue } from "./json.ts";

/** SHA-256 of `content` (text is taken as UTF-8), 64 hex digits. */
export function hashContent(content: Uint8Array | string): string {
  return bytesToHex(sha256(typeof content === "string" ? utf8ToBytes(content) : content));
}

/** SHA-256 of the canonical JSON of `value`, 64 hex digits. */
export function hashJson(value: JsonValue): string {
  return hashContent(canonicalJson(value));
}
