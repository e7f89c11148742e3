/** What a trainer learns from, and what it reports. */

/** One token sequence with its targets. */
export type Example = {
  /** [T] token ids. */
  readonly ids: readonly number[];
  /** [T] weights: 0 is context, 1 a target scored by the logits of the token before it. mask[0] has no effect. */
  readonly mask: readonly number[];
};

/** AdamW (Loshchilov & Hutter, arXiv:1711.05101) and the clip before it. */
export type OptimizerConfig = {
  readonly lr: number;
  readonly betas: readonly [number, number];
  readonly eps: number;
  readonly weightDecay: number;
  /** Largest global gradient norm. */
  readonly clip: number;
};

/** What one optimiser step did. */
export type StepMetrics = {
  /** Mean negative log-likelihood over all targets, in nats. */
  readonly loss: number;
  /** Global norm of the gradient before clipping. */
  readonly gradNorm: number;
  /** Targets in the batch. */
  readonly targets: number;
  /** Token positions computed, padding included. */
  readonly positions: number;
};

/** Trains one adapter on one base model. */
export type Trainer = {
  /** One AdamW step on the global token mean of `examples`. A norm that is not finite skips the update. */
  readonly step: (examples: readonly Example[]) => Promise<StepMetrics>;
};
