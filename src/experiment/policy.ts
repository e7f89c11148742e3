/**
 * The port between the experiment and its weights: one base model with one adapter that samples, learns, and can be saved
 * and put back. `model-policy.ts` implements it over the real model; tests over something quicker.
 */
import type { JsonObject } from "../base/json.ts";
import type { Completer } from "../generation/completer.ts";
import type { Example, StepMetrics } from "../training/example.ts";

/** What a policy says of itself. */
export type PolicyDescription = {
  readonly name: string;
  /** Content hash of the base checkpoint. */
  readonly hash: string;
  readonly device: string;
};

/** Everything that training changes. */
export type AdapterState = {
  /** PEFT `adapter_model.safetensors`. */
  readonly adapter: Uint8Array;
  /** PEFT `adapter_config.json`. */
  readonly adapterConfig: JsonObject;
  /** Optimiser moments and step count, as safetensors. */
  readonly optimizer: Uint8Array;
};

/** A model with a trainable adapter. Calls must not overlap, except those on the completer. */
export type Policy = {
  readonly describe: () => PolicyDescription;
  /** Samples with the adapter as it is now. */
  readonly completer: () => Completer;
  /** One optimiser step on the global token mean of `examples`. */
  readonly trainStep: (examples: readonly Example[]) => Promise<StepMetrics>;
  readonly saveAdapter: () => Promise<AdapterState>;
  /** Puts back what `saveAdapter` gave, bit for bit. */
  readonly loadAdapter: (state: AdapterState) => Promise<void>;
  /** Tokens sampled since the policy was made, whoever asked for them. */
  readonly tokensSampled: () => number;
  /** Ends whatever would let later results depend on earlier calls, such as caches; called between steps. */
  readonly settle: () => Promise<void>;
};
