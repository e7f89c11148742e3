/**
 * The markers by which a domain's model calls a tool and gives its answer, such as `<code>` or `\boxed{`, read from the
 * parsers of its h0, so that generic mechanisms can prefill, stop at and remind of them without naming a domain.
 */
import { parseHarness, type HarnessTree } from "../syntax/harness-tree.ts";

/** Text ahead of and behind what is marked. */
export type Marker = { readonly open: string; readonly close: string };

/** What a harness looks for in replies. */
export type Markers = {
  readonly tool: Marker | undefined;
  readonly answer: Marker | undefined;
  /** Whether `solve` returns the reply with its marker, for the verifier to read, and not what the marker holds. */
  readonly returnsReply: boolean;
};

/** Reads the markers from the functions whose names say that they parse; an answer's also from the prompts. */
export function readMarkers(seedHarness: string): Markers {
  const tree = parseHarness(seedHarness);
  const parsers = [...tree.functions.values()].filter(({ name }) => /^(parse|extract|read|find)/i.test(name));
  const isAnswer = (name: string): boolean => /answer|final|box/i.test(name);
  const textOf = (keep: (name: string) => boolean): string =>
    parsers.flatMap(({ name, start, end }) => (keep(name) ? [resolve(tree, start, end)] : [])).join("\n");
  const prompts = [...tree.constants.values()].map(({ value }) => String(value)).join("\n");
  const parsed = firstMarker(textOf(isAnswer));
  const tool = firstMarker(textOf((name) => !isAnswer(name)));
  return { tool, answer: parsed ?? answerMarker(prompts), returnsReply: parsed === undefined };
}

/** Source of a function with the text constants that it names put behind it. */
function resolve(tree: HarnessTree, start: number, end: number): string {
  const text = tree.source.slice(start, end);
  const named = [...tree.constants.values()].filter(({ name }) => new RegExp(`\\b${name}\\b`).test(text));
  return [text, ...named.map(({ value }) => String(value))].join("\n");
}

function answerMarker(prompts: string): Marker | undefined {
  return prompts.includes("<answer>") ? { open: "<answer>", close: "</answer>" } : boxMarker(prompts);
}

function firstMarker(text: string): Marker | undefined {
  const tag = /<([a-z]+)>/.exec(text)?.[1];
  if (tag !== undefined) return { open: `<${tag}>`, close: `</${tag}>` };
  return boxMarker(text);
}

function boxMarker(text: string): Marker | undefined {
  return text.includes("boxed") ? { open: "\\boxed{", close: "}" } : undefined;
}
