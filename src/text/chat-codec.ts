/**
 * Chats to token ids through the checkpoint's own Jinja template, with what the policy sampled spliced in as ids.
 *
 * A trajectory must hold exactly the ids that were sampled, and tokenising decoded text again may give others. So the
 * template is rendered with a sentinel in place of each sampled message, the rendered text is cut at the sentinels, and
 * the ids are put between the encoded pieces. A template that looks into a message (Qwen3 drops earlier reasoning) does
 * not see into a sampled one: its ids stay whole. Tools of the template are left out: a harness writes its own prompt.
 */
import { Template } from "@huggingface/jinja";
import { WeightsError, describeError } from "../base/errors.ts";
import { isJsonArray, isJsonObject, type JsonValue } from "../base/json.ts";
import type { ChatCodec, ChatMessage, EncodePromptOptions } from "./chat.ts";
import { createSegmentEncoder } from "./segment-encoder.ts";
import type { TextTokenizer } from "./tokenizer.ts";

/** What a codec is made of. */
export type ChatCodecOptions = {
  readonly tokenizer: TextTokenizer;
  /** Source of the chat template. */
  readonly template: string;
  /** Ids that end an assistant turn, 1 or more. */
  readonly endIds: readonly number[];
  /** Number of ids the model's head scores, V. */
  readonly vocabulary: number;
  /** Further variables of the template, such as `enable_thinking` or `bos_token`. @default {} */
  readonly variables?: Readonly<Record<string, unknown>>;
};

/**
 * Returns the codec of one tokenizer and template.
 * @throws {WeightsError} If the template cannot be parsed, or the tokenizer has ids that the model does not score.
 */
export function createChatCodec(options: ChatCodecOptions): ChatCodec {
  const { tokenizer, vocabulary, endIds } = options;
  if (tokenizer.size > vocabulary)
    throw new WeightsError(
      `tokenizer: its ids go up to ${String(tokenizer.size - 1)} but the model scores ${String(vocabulary)}; it belongs to another model`,
    );
  if (endIds.length === 0) throw new WeightsError("tokenizer: no token ends an assistant turn");
  const render = createRenderer(options.template, options.variables ?? {});
  const encodeText = createSegmentEncoder(tokenizer);
  return {
    encodePrompt: (messages, { prefill = "", sampled }: EncodePromptOptions = {}) => {
      const plan = planSplices(messages, sampled);
      const ids = splice(render(plan.messages), plan.splices, { encode: encodeText, endIds });
      for (const id of encodeText(prefill)) ids.push(id);
      return ids;
    },
    encode: (text) => [...encodeText(text)],
    decode: tokenizer.decode,
    endIds,
    vocabulary,
  };
}

/**
 * The chat template in a parsed `tokenizer_config.json`: a string, or the one named "default" of a list.
 * @throws {WeightsError} If there is none.
 */
export function readChatTemplate(config: JsonValue): string {
  const field = isJsonObject(config) ? config["chat_template"] : undefined;
  if (typeof field === "string") return field;
  const entry = isJsonArray(field) ? field.find((one) => isJsonObject(one) && one["name"] === "default") : undefined;
  const template = isJsonObject(entry) ? entry["template"] : undefined;
  if (typeof template === "string") return template;
  throw new WeightsError("tokenizer_config.json: no chat_template");
}

/** Where the ids that end a turn are written. */
export type EndIdSources = {
  readonly tokenizer: TextTokenizer;
  /** Parsed `tokenizer_config.json`. */
  readonly config: JsonValue;
  /** Parsed `generation_config.json`; undefined where the folder has none. */
  readonly generation?: JsonValue | undefined;
};

/**
 * Ids that end an assistant turn, ascending: those of `generation_config.json`, the tokenizer's end of sequence, and
 * `<|im_end|>` where the vocabulary has it.
 */
export function readEndIds(sources: EndIdSources): number[] {
  const { tokenizer, config, generation } = sources;
  const listed = isJsonObject(generation) ? generation["eos_token_id"] : undefined;
  const ids = (isJsonArray(listed) ? listed : [listed]).filter((id) => typeof id === "number");
  const field = isJsonObject(config) ? config["eos_token"] : undefined;
  const token = isJsonObject(field) ? field["content"] : field;
  for (const name of [token, "<|im_end|>"]) {
    const id = typeof name === "string" ? tokenizer.idOf(name) : undefined;
    if (id !== undefined) ids.push(id);
  }
  return [...new Set(ids)].sort((a, b) => a - b);
}

function createRenderer(
  source: string,
  variables: Readonly<Record<string, unknown>>,
): (messages: readonly ChatMessage[]) => string {
  let template: Template;
  try {
    template = new Template(source);
  } catch (error) {
    throw new WeightsError(`chat template: cannot be parsed, ${describeError(error)}`, { cause: error });
  }
  return (messages) => {
    try {
      return template.render({ ...variables, messages, add_generation_prompt: true });
    } catch (error) {
      throw new WeightsError(`chat template: cannot be rendered, ${describeError(error)}`, { cause: error });
    }
  };
}

type Splice = { readonly sentinel: string; readonly ids: readonly number[] };
type SplicePlan = { readonly messages: readonly ChatMessage[]; readonly splices: readonly Splice[] };

function planSplices(messages: readonly ChatMessage[], sampled: EncodePromptOptions["sampled"]): SplicePlan {
  if (sampled === undefined) return { messages, splices: [] };
  const splices: Splice[] = [];
  const mark = freshMark(messages);
  const replaced = messages.map((message) => {
    const ids = message.role === "assistant" ? sampled(message.content) : undefined;
    if (ids === undefined) return message;
    const sentinel = `${mark}${String(splices.length)}\u{E001}`;
    splices.push({ sentinel, ids });
    return { role: message.role, content: sentinel };
  });
  return { messages: replaced, splices };
}

/** A private-use mark that occurs in no message, whatever a harness or a policy wrote. */
function freshMark(messages: readonly ChatMessage[]): string {
  for (let n = 0; ; n += 1) {
    const mark = `\u{E000}${String(n)}\u{E002}`;
    if (!messages.some((message) => message.content.includes(mark))) return mark;
  }
}

type SpliceTools = { readonly encode: (text: string) => readonly number[]; readonly endIds: readonly number[] };

function splice(text: string, splices: readonly Splice[], tools: SpliceTools): number[] {
  const out: number[] = [];
  let from = 0;
  let pending: readonly number[] = [];
  const pushPiece = (end: number): void => {
    const piece = tools.encode(text.slice(from, end));
    const final = pending.at(-1);
    // The template closes a turn itself, so an end token that was sampled would stand there twice.
    const twice = final !== undefined && final === piece[0] && tools.endIds.includes(final);
    const stop = twice ? pending.length - 1 : pending.length;
    for (let i = 0; i < stop; i += 1) out.push(pending[i] as number);
    for (const id of piece) out.push(id);
  };
  for (const { sentinel, ids } of splices) {
    const at = text.indexOf(sentinel, from);
    // A template may leave a message out, but not move or repeat it.
    if (at < 0 && !text.includes(sentinel)) continue;
    if (at < 0 || text.includes(sentinel, at + 1))
      throw new WeightsError("chat template: it repeats or moves an assistant message, so sampled ids cannot be kept");
    pushPiece(at);
    pending = ids;
    from = at + sentinel.length;
  }
  pushPiece(text.length);
  return out;
}
