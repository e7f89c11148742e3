/** The versioned record of one rollout: everything that a person, the trainer or a proposer may want to look at later. */
import type { JsonValue } from "../base/json.ts";
import type { FinishReason } from "../generation/completer.ts";
import type { GuestFault } from "../sandbox/isolate.ts";
import type { ChatMessage } from "../text/chat.ts";

/** Version of `RolloutTrace`. */
export const TRACE_VERSION = 1;

/** One thing that happened in a rollout, in order. */
export type TraceStep =
  | {
      readonly kind: "chat";
      readonly messages: readonly ChatMessage[];
      /** Text that the harness put at the start of the reply; not sampled. */
      readonly prefill: string;
      readonly text: string;
      readonly ids: readonly number[];
      readonly logprobs: readonly number[];
      readonly promptTokens: number;
      readonly finish: FinishReason;
    }
  | {
      readonly kind: "tool";
      readonly name: string;
      readonly args: readonly JsonValue[];
      readonly ok: boolean;
      /** JSON text of the result, or the error's message. */
      readonly result: string;
    }
  | { readonly kind: "note"; readonly text: string };

/**
 * How a rollout ended. `limit` names the broken rollout limit; `fault` is what the guest did; `provenance` means that an
 * answer did not come out of the model. All but `judged` have reward 0.
 */
export const ROLLOUT_OUTCOMES = ["judged", "limit", "fault", "bad-return", "provenance"] as const;
/** One of `ROLLOUT_OUTCOMES`. */
export type RolloutOutcome = (typeof ROLLOUT_OUTCOMES)[number];

/** Token ids that one forward pass can score: a context with the sampled tokens marked in it. */
export type TokenSequence = {
  /** [T] ids. */
  readonly ids: readonly number[];
  /** [T]; 1 where the id was sampled by the policy and is a training target. */
  readonly mask: readonly number[];
  /** [T]; ln p at sampling time where mask is 1, else 0. */
  readonly logprobs: readonly number[];
};

/** One rollout. */
export type RolloutTrace = {
  readonly version: typeof TRACE_VERSION;
  readonly task: string;
  readonly harness: string;
  /** Key of the rollout's random streams. */
  readonly key: string;
  readonly steps: readonly TraceStep[];
  readonly outcome: RolloutOutcome;
  /** Guest fault behind `fault`, or limit name behind `limit`; empty otherwise. */
  readonly detail: GuestFault | "tokens" | "turns" | "tool-calls" | "";
  readonly message: string;
  readonly returned: JsonValue | undefined;
  readonly reward: number;
  readonly reason: string;
  /** One sequence where each turn extends the last; more where a harness rewrote the history. */
  readonly sequences: readonly TokenSequence[];
  readonly usage: {
    readonly tokens: number;
    readonly turns: number;
    readonly toolCalls: number;
    readonly fuel: number;
  };
};
