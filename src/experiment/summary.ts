/** The result of a run: the curve over rollouts, the points that matter on it, and what everything cost. */
import type { ConditionName } from "./conditions.ts";
import type { ExperimentConfig, PresetName } from "./config.ts";
import type { Ledger } from "./ledger.ts";
import type { PolicyDescription } from "./policy.ts";

/** Version of `summary.json`. */
export const SUMMARY_SCHEMA = 1;

/** Accuracy on one split: mean over tasks of the mean over samples, with a bootstrap interval over tasks. */
export type Accuracy = { readonly meanAt8: number; readonly low: number; readonly high: number };

/** One evaluated state of weights and harness. */
export type CurvePoint = {
  /** Training and search rollouts spent before it. */
  readonly rollouts: number;
  /** 0 for the base. */
  readonly cycle: number;
  readonly phase: "base" | "weights" | "harness";
  /** RSFT steps before it. */
  readonly step: number;
  /** `h0`, or `p2-h5`: candidate h5 of phase 2. */
  readonly harness: string;
  /** Names of the prompts that were played in equal shares, `harness` the best of them; absent where there is only one. */
  readonly population?: readonly string[];
  readonly validation: Accuracy;
  readonly test: Accuracy;
};

/** `summary.json`, and what `run --json` prints. */
export type RunSummary = {
  readonly schema: typeof SUMMARY_SCHEMA;
  readonly domain: string;
  readonly condition: ConditionName;
  readonly preset: PresetName;
  readonly seed: number;
  readonly model: { readonly name: string; readonly hash: string };
  readonly device: string;
  /** k of the means, 8 unless the settings say otherwise. */
  readonly samples: number;
  readonly curve: readonly CurvePoint[];
  readonly base: CurvePoint;
  /** Best on validation; the earliest of equals. Its test figure is the one to report. */
  readonly chosen: CurvePoint;
  readonly final: CurvePoint;
  /** Best on test: what choosing on test, as the paper did, would have reported. */
  readonly bestOnTest: CurvePoint;
  readonly ledger: Ledger;
};

/**
 * Sums up a run.
 * @throws {RangeError} If `curve` is empty.
 */
export function summarize(
  config: ExperimentConfig,
  policy: PolicyDescription,
  result: { readonly curve: readonly CurvePoint[]; readonly ledger: Ledger },
): RunSummary {
  const { curve, ledger } = result;
  const [base] = curve;
  const final = curve.at(-1);
  if (base === undefined || final === undefined) throw new RangeError("summarize: a run without an evaluation");
  return {
    schema: SUMMARY_SCHEMA,
    domain: config.domain,
    condition: config.condition,
    preset: config.preset,
    seed: config.seed,
    model: { name: policy.name, hash: policy.hash },
    device: policy.device,
    samples: config.evaluation.samples,
    curve,
    base,
    chosen: bestBy(curve, (point) => point.validation.meanAt8),
    final,
    bestOnTest: bestBy(curve, (point) => point.test.meanAt8),
    ledger,
  };
}

/** The first point with the largest score: what costs fewer rollouts wins ties. */
function bestBy(curve: readonly CurvePoint[], score: (point: CurvePoint) => number): CurvePoint {
  return curve.reduce((best, point) => (score(point) > score(best) ? point : best));
}
