/**
 * The host's side of one rollout: `env.chat`, `env.tools.*`, `env.note` and `env.budget`, with every limit counted and
 * everything recorded.
 *
 * Model calls of one rollout run one after the other, in the order in which the harness made them, so that what is left
 * of the budget, and the random stream of each call, never depend on timing.
 */
import { DeviceError, SandboxError, describeError } from "../base/errors.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { Completer, Completion } from "../generation/completer.ts";
import type { HostFunction, HostFunctions } from "../sandbox/isolate.ts";
import type { ChatCodec } from "../text/chat.ts";
import { parseChatRequest } from "./chat-request.ts";
import type { RolloutLimits, ToolFunction } from "./domain.ts";
import type { Reply } from "./provenance.ts";
import type { SampledTurn } from "./sequences.ts";
import type { TraceStep } from "./trace.ts";

/** Rollout limits that a harness can break by asking for more. */
export type BrokenLimit = "tokens" | "turns" | "tool-calls";

/** Most notes in one rollout, and characters in each. */
export const MOST_NOTES = 100;
const LONGEST_NOTE = 2000;

/** What the host needs. */
export type EpisodeHostParts = {
  readonly codec: ChatCodec;
  readonly completer: Completer;
  readonly tools: Readonly<Record<string, ToolFunction>>;
  readonly limits: RolloutLimits;
  readonly key: string;
};

type SpokenReply = Reply & { readonly ids: readonly number[] };

/** State of one rollout on the host. */
export class EpisodeHost {
  readonly #parts: EpisodeHostParts;
  readonly #slots: (TraceStep | undefined)[] = [];
  readonly #turns: SampledTurn[] = [];
  readonly #replies: SpokenReply[] = [];
  readonly #openTools = new Set<Promise<JsonValue>>();
  #queue: Promise<void> = Promise.resolve();
  #tokens = 0;
  #turnCount = 0;
  #toolCalls = 0;
  #notes = 0;
  #broken: BrokenLimit | undefined;
  #failure: { readonly error: unknown } | undefined;
  #closed = false;

  /** Nothing is called before the harness asks for it. */
  constructor(parts: EpisodeHostParts) {
    this.#parts = parts;
  }

  /** What has been recorded, in the order in which the harness asked for it. */
  get steps(): TraceStep[] {
    return this.#slots.filter((step) => step !== undefined);
  }

  /** Model calls that were answered. */
  get turns(): readonly SampledTurn[] {
    return this.#turns;
  }

  /** What the model said. */
  get replies(): readonly Reply[] {
    return this.#replies;
  }

  /** The first limit that the harness broke. */
  get broken(): BrokenLimit | undefined {
    return this.#broken;
  }

  /** What has been used. */
  get usage(): { readonly tokens: number; readonly turns: number; readonly toolCalls: number } {
    return { tokens: this.#tokens, turns: this.#turnCount, toolCalls: this.#toolCalls };
  }

  /** The functions of `env`. */
  functions(): HostFunctions {
    const tools = Object.entries(this.#parts.tools).map(([name, tool]): [string, HostFunction] => [
      `tools.${name}`,
      (args) => this.#track(this.#tool(name, tool, args)),
    ]);
    return {
      chat: (args) => this.#inTurn(() => this.#chat(args)),
      note: (args) => {
        this.#note(args);
        return undefined;
      },
      ...Object.fromEntries(tools),
    };
  }

  /** `env.budget`: what is left. */
  budget(): JsonObject {
    const { limits } = this.#parts;
    return {
      tokens: Math.max(0, limits.tokens - this.#tokens),
      turns: Math.max(0, limits.turns - this.#turnCount),
      toolCalls: Math.max(0, limits.toolCalls - this.#toolCalls),
    };
  }

  /**
   * Ends the rollout: waits for calls that are under way, refuses model calls behind them, and lets the cache go.
   * @throws What a completer or a tool's engine threw: such a failure is not the harness's doing.
   */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#queue;
    await Promise.allSettled(this.#openTools);
    this.#parts.completer.release(this.#parts.key);
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }

  #track(call: Promise<JsonValue>): Promise<JsonValue> {
    this.#openTools.add(call);
    const forget = (): void => {
      this.#openTools.delete(call);
    };
    call.then(forget, forget);
    return call;
  }

  async #chat(args: readonly JsonValue[]): Promise<JsonObject> {
    if (this.#closed) throw new RangeError("the rollout has ended");
    const { codec, completer, limits, key } = this.#parts;
    const { messages, maxTokens = limits.tokens, stop, prefill } = parseChatRequest(args);
    if (this.#turnCount >= limits.turns) throw this.#break("turns", limits.turns);
    const left = limits.tokens - this.#tokens;
    if (left < 1) throw this.#break("tokens", limits.tokens);
    const call = this.#turnCount;
    this.#turnCount += 1;
    const slot = this.#slots.push(undefined) - 1;
    let completion: Completion;
    let prompt: number[];
    try {
      prompt = codec.encodePrompt(messages, { prefill, sampled: this.#spliceSource() });
      const request = { prompt, maxTokens: Math.min(maxTokens, left), stop, stream: [key, "call", call] };
      completion = await completer.complete({ ...request, conversation: key });
    } catch (error) {
      throw this.#fail(error);
    }
    const { ids, logprobs, text, finish } = completion;
    this.#tokens += ids.length;
    this.#turns.push({ prompt, ids, logprobs });
    this.#replies.push({ prefill, text, ids: [...codec.encode(prefill), ...ids] });
    const promptTokens = prompt.length;
    this.#slots[slot] = { kind: "chat", messages, prefill, text, ids, logprobs, promptTokens, finish };
    return { text: prefill + text, finish, tokens: ids.length };
  }

  /** Gives the n-th message with some content the ids of the n-th reply with it, the last one where there are fewer. */
  #spliceSource(): (content: string) => readonly number[] | undefined {
    const seen = new Map<string, number>();
    return (content) => {
      const same = this.#replies.filter(({ prefill, text }) => prefill + text === content);
      const index = seen.get(content) ?? 0;
      seen.set(content, index + 1);
      return (same[index] ?? same.at(-1))?.ids;
    };
  }

  async #tool(name: string, tool: ToolFunction, args: readonly JsonValue[]): Promise<JsonValue> {
    const { limits } = this.#parts;
    if (this.#toolCalls >= limits.toolCalls) throw this.#break("tool-calls", limits.toolCalls);
    this.#toolCalls += 1;
    const slot = this.#slots.push(undefined) - 1;
    const record = (ok: boolean, result: string): void => {
      if (!this.#closed) this.#slots[slot] = { kind: "tool", name, args, ok, result };
    };
    try {
      const result = await tool(args);
      record(true, JSON.stringify(result));
      return result;
    } catch (error) {
      record(false, describeError(error));
      if (error instanceof SandboxError || error instanceof DeviceError) throw this.#fail(error);
      throw error;
    }
  }

  #note(args: readonly JsonValue[]): void {
    const [text] = args;
    if (args.length !== 1 || typeof text !== "string") throw new TypeError("env.note: takes one text");
    this.#notes += 1;
    if (this.#notes > MOST_NOTES) throw new RangeError(`env.note: at most ${String(MOST_NOTES)} notes`);
    this.#slots.push({ kind: "note", text: text.slice(0, LONGEST_NOTE) });
  }

  #break(limit: BrokenLimit, most: number): RangeError {
    this.#broken ??= limit;
    return new RangeError(`the rollout's ${limit} are spent, limit ${String(most)}`);
  }

  #fail(error: unknown): unknown {
    this.#failure ??= { error };
    return error;
  }
}
