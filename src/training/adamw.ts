/** AdamW over one flat vector (Loshchilov & Hutter, arXiv:1711.05101), as `torch.optim.AdamW` computes it. */
import type { OptimizerConfig } from "./example.ts";

/** Moments [P] and the number of steps taken. */
export type AdamState = { readonly m: Float32Array; readonly v: Float32Array; step: number };

/** Moments of zero for `size` values. */
export function createAdamState(size: number): AdamState {
  return { m: new Float32Array(size), v: new Float32Array(size), step: 0 };
}

/** Square root of the sum of squares, summed in float64. */
export function globalNorm(values: Float32Array): number {
  let sum = 0;
  for (const value of values) sum += value * value;
  return Math.sqrt(sum);
}

/** Scales `gradient` in place so that its norm is at most `clip`, as `torch.nn.utils.clip_grad_norm_` does. */
export function clipNorm(gradient: Float32Array, norm: number, clip: number): void {
  const factor = Math.min(1, clip / (norm + 1e-6));
  if (factor < 1) for (let i = 0; i < gradient.length; i += 1) gradient[i] = (gradient[i] ?? 0) * factor;
}

/** One step: changes `values` [P] and `state` in place by `gradient` [P]. */
export function adamStep(
  values: Float32Array,
  gradient: Float32Array,
  options: { readonly state: AdamState; readonly config: Omit<OptimizerConfig, "clip"> },
): void {
  const { state, config } = options;
  const [beta1, beta2] = config.betas;
  state.step += 1;
  const rate = config.lr / (1 - beta1 ** state.step);
  const scale = 1 / Math.sqrt(1 - beta2 ** state.step);
  const keep = 1 - config.lr * config.weightDecay;
  const { m, v } = state;
  for (let i = 0; i < values.length; i += 1) {
    const slope = gradient[i] ?? 0;
    const mean = beta1 * (m[i] ?? 0) + (1 - beta1) * slope;
    const square = beta2 * (v[i] ?? 0) + (1 - beta2) * slope * slope;
    m[i] = mean;
    v[i] = square;
    values[i] = (values[i] ?? 0) * keep - (rate * mean) / (Math.sqrt(square) * scale + config.eps);
  }
}
