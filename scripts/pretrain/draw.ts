/**
 * What every corpus family shares: the transcript type, a stream of random choices, and text templates.
 *
 * Streams are keyed with "pretrain", so no draw here coincides with a task that a domain generates.
 */
import { createRng, type Rng } from "../../src/base/rng.ts";
import type { ChatMessage } from "../../src/text/chat.ts";

/** One chat that the tiny model is pretrained on. */
export type Transcript = { readonly messages: readonly ChatMessage[]; readonly family: string };

/** An `Rng` with the choices that a corpus needs. */
export type Draw = Rng & {
  /** True with probability `p`. */
  readonly chance: (p: number) => boolean;
  /** An integer in [low, high]. */
  readonly between: (low: number, high: number) => number;
  /** One of the items, each with the weight before it. */
  readonly weighted: <T>(items: readonly (readonly [weight: number, item: T])[]) => T;
};

/** The stream of one transcript. */
export function createDraw(...keys: readonly (string | number)[]): Draw {
  const rng = createRng("pretrain", ...keys);
  return {
    ...rng,
    chance: (p) => rng.uniform() < p,
    between: (low, high) => low + rng.int(high - low + 1),
    weighted: (items) => {
      let left = rng.uniform() * items.reduce((sum, [weight]) => sum + weight, 0);
      let chosen = items[0]?.[1];
      for (const [weight, item] of items) {
        chosen = item;
        left -= weight;
        if (left < 0) break;
      }
      if (chosen === undefined) throw new RangeError("draw.weighted: items must not be empty");
      return chosen;
    },
  };
}

/** Replaces each `{key}` of `template` that `values` holds. */
export function fill(template: string, values: Readonly<Record<string, string | number>>): string {
  return template.replace(/\{(\w+)\}/g, (whole, key: string) => (key in values ? String(values[key]) : whole));
}

/** Joins the parts that are not empty. */
export function joinParts(parts: readonly string[], separator: string): string {
  return parts.filter((part) => part !== "").join(separator);
}

/** `text` with its first letter in upper case. */
export function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Shorthands for messages. */
export const user = (content: string): ChatMessage => ({ role: "user", content });
/** An assistant message. */
export const assistant = (content: string): ChatMessage => ({ role: "assistant", content });
/** A system message. */
export const system = (content: string): ChatMessage => ({ role: "system", content });
