/**
 * Draws the next token from a row of logits, and gives its log-probability.
 *
 * Order: temperature, top-k, top-p, as in the usual threshold implementation: ties at the k-th logit are all kept, and a
 * token stays while the probability before it, equals taken by ascending id, is below top-p. Exponentials come from a
 * table, since `Math.exp` over the vocabulary would cost more than all else that the host does in a decode step.
 */
import type { Rng } from "../base/rng.ts";
import type { SamplingConfig } from "./completer.ts";

/** A token that was drawn. */
export type SampledToken = {
  readonly id: number;
  /**
   * ln p under the softmax over the whole vocabulary at the sampling temperature, before top-k and top-p. At
   * temperature 0, where that softmax has no limit worth recording, the one at temperature 1.
   */
  readonly logprob: number;
};

/** Draws tokens; owns scratch memory, so calls must not overlap. */
export type Sampler = {
  /**
   * Draws one token from `logits`, [V], which are not changed. Takes one number from `rng`, at temperature 0 none.
   * `logSumExp`, ln of the sum of exp(logits), spares a pass over the row where temperature and top-k allow it.
   * @throws {RangeError} If the row is empty, or holds NaN or +Infinity.
   */
  readonly sample: (logits: Float32Array, rng: Rng, logSumExp?: number) => SampledToken;
  /** What `sample` draws from: the tokens it may give, ascending ids, and their probabilities. */
  readonly candidates: (logits: Float32Array) => { readonly ids: number[]; readonly probabilities: number[] };
};

/** Bins of ln p for one unit, and in all. */
const BINS_PER_UNIT = 16;
const BINS = 40 * BINS_PER_UNIT + 1;
/** Up to this k the largest logits are kept in order by insertion, beyond it the row is sorted. */
const MOST_INSERTED = 128;

/**
 * Returns a sampler.
 * @throws {RangeError} If a setting lies outside its range.
 */
export function createSampler(config: SamplingConfig): Sampler {
  checkSampling(config);
  const scratch = new Scratch();
  return {
    sample: (logits, rng, logSumExp) => {
      keepCandidates(logits, config, { scratch, logSumExp });
      const { temperature } = config;
      const id = temperature === 0 ? (scratch.ids[0] as number) : draw(scratch, rng);
      const scaled = ((logits[id] as number) - scratch.largest) / (temperature === 0 ? 1 : temperature);
      return { id, logprob: scaled - Math.log(scratch.total) };
    },
    candidates: (logits) => {
      keepCandidates(logits, config, { scratch });
      const rows = Array.from({ length: scratch.kept }, (_, i) => [scratch.ids[i], scratch.weights[i]] as const);
      const possible = rows.filter(([, weight]) => (weight as number) > 0);
      const mass = possible.reduce((sum, [, weight]) => sum + (weight as number), 0);
      possible.sort(([a], [b]) => (a as number) - (b as number));
      return {
        ids: possible.map(([id]) => id as number),
        probabilities: possible.map(([, weight]) => (weight as number) / mass),
      };
    },
  };
}

/**
 * Checks `config`.
 * @throws {RangeError} If a setting lies outside its range.
 */
function checkSampling(config: SamplingConfig): void {
  const { temperature, topK, topP } = config;
  if (!(temperature >= 0 && temperature < Infinity))
    throw new RangeError(`sampling: temperature must be 0 or more, got ${String(temperature)}`);
  if (!Number.isInteger(topK) || topK < 0)
    throw new RangeError(`sampling: topK must be a whole number, 0 or more, got ${String(topK)}`);
  if (!(topP > 0 && topP <= 1)) throw new RangeError(`sampling: topP must be in (0, 1], got ${String(topP)}`);
}

/** What one row leaves behind: its candidates and the terms of its softmax. */
class Scratch {
  /** The first `kept` ids may be drawn. */
  ids = new Int32Array(0);
  /** exp((l_i - max l) / temperature) of each of them. */
  weights = new Float64Array(0);
  kept = 0;
  largest = 0;
  /** Sum of exp((l_i - max l) / temperature) over the vocabulary. */
  total = 0;
  /** The k largest logits, descending. */
  top = new Float64Array(0);
  /** Mass of the candidates by bin of ln p. */
  readonly bins = new Float64Array(BINS);

  reserve(vocabulary: number, k: number): void {
    if (this.ids.length < vocabulary) {
      this.ids = new Int32Array(vocabulary);
      this.weights = new Float64Array(vocabulary);
    }
    const inserted = Math.min(k, MOST_INSERTED);
    if (this.top.length < inserted) this.top = new Float64Array(inserted);
  }
}

type RowSite = { readonly scratch: Scratch; readonly logSumExp?: number | undefined };

function keepCandidates(logits: Float32Array, config: SamplingConfig, { scratch, logSumExp }: RowSite): void {
  const { temperature, topK, topP } = config;
  const vocabulary = logits.length;
  const k = topK === 0 || topK >= vocabulary ? 0 : topK;
  scratch.reserve(vocabulary, Math.max(k, 1));
  const threshold = kthLargest(logits, Math.max(k, 1), scratch.top);
  scratch.largest = scratch.top[0] as number;
  if (!Number.isFinite(scratch.largest))
    throw new RangeError(`sampler: the largest of ${String(vocabulary)} logits is ${String(scratch.largest)}`);
  const greedy = temperature === 0;
  // At temperatures 0 and 1 the softmax is that of the logits themselves, whose sum may be known already.
  if (logSumExp !== undefined && k > 0 && (greedy || temperature === 1)) {
    weighLargest(logits, threshold, scratch);
    scratch.total = Math.exp(logSumExp - scratch.largest);
  } else weigh(logits, { inverse: greedy ? 1 : 1 / temperature, threshold: k === 0 ? -Infinity : threshold }, scratch);
  if (Number.isNaN(scratch.total)) throw new RangeError(`sampler: a logit among ${String(vocabulary)} is NaN`);
  if (greedy) {
    scratch.ids[0] = logits.indexOf(scratch.largest);
    scratch.weights[0] = 1;
    scratch.kept = 1;
  } else if (topP < 1) keepNucleus(topP, scratch);
}

/** The k-th largest of `logits` (k at most their number); leaves the largest in `top[0]`. */
function kthLargest(logits: Float32Array, k: number, top: Float64Array): number {
  if (k > MOST_INSERTED) {
    // Ascending; NaN goes last and is reported when the softmax is summed.
    const sorted = logits.slice().sort();
    top[0] = sorted[sorted.length - 1] as number;
    return sorted[sorted.length - k] as number;
  }
  top.fill(-Infinity, 0, k);
  let least = -Infinity;
  for (let id = 0; id < logits.length; id += 1) {
    const logit = logits[id] as number;
    if (!(logit > least)) continue;
    let at = k - 1;
    for (; at > 0 && (top[at - 1] as number) < logit; at -= 1) top[at] = top[at - 1] as number;
    top[at] = logit;
    least = top[k - 1] as number;
  }
  return least;
}

type WeighRule = {
  /** 1 / temperature. */
  readonly inverse: number;
  /** Smallest logit kept. */
  readonly threshold: number;
};

/** Sums the softmax's terms and lists the tokens at or above the threshold, ascending ids. */
function weigh(logits: Float32Array, rule: WeighRule, scratch: Scratch): void {
  const { inverse, threshold } = rule;
  const { ids, weights, largest } = scratch;
  let total = 0;
  let kept = 0;
  for (let id = 0; id < logits.length; id += 1) {
    const logit = logits[id] as number;
    const scaled = (largest - logit) * inverse;
    let weight = 0;
    if (scaled < EXP_RANGE) {
      const step = (scaled * EXP_STEPS + 0.5) | 0;
      const rest = step * EXP_STEP - scaled;
      weight = (EXP_TABLE[step] as number) * (1 + rest * (1 + rest * (1 / 2 + rest * (1 / 6 + rest * (1 / 24)))));
      total += weight;
    } else if (Number.isNaN(scaled)) total = NaN;
    if (logit >= threshold) {
      ids[kept] = id;
      weights[kept] = weight;
      kept += 1;
    }
  }
  scratch.total = total;
  scratch.kept = kept;
}

/** Lists the tokens at or above `threshold` with their terms, ascending ids. */
function weighLargest(logits: Float32Array, threshold: number, scratch: Scratch): void {
  const { ids, weights, largest } = scratch;
  let kept = 0;
  for (let id = 0; id < logits.length; id += 1) {
    const logit = logits[id] as number;
    if (logit < threshold) continue;
    ids[kept] = id;
    weights[kept] = Math.exp(logit - largest);
    kept += 1;
  }
  scratch.kept = kept;
}

/**
 * exp(-x) = table[round(128 x)] * exp(r) with |r| <= 1/256, where five terms of the series err by 1e-14. Beyond 40 a term is
 * below 5e-18 of the largest and counts as nothing.
 */
const EXP_RANGE = 40;
const EXP_STEPS = 128;
const EXP_STEP = 1 / EXP_STEPS;
const EXP_TABLE = Float64Array.from({ length: EXP_RANGE * EXP_STEPS + 2 }, (_, step) => Math.exp(-step * EXP_STEP));

/**
 * Cuts the candidates down to the smallest set of the likeliest ones that holds `topP` of their mass, equals by ascending
 * id. Masses are summed in bins of equal exponent first, so that only the bin in which the set ends has to be sorted.
 */
function keepNucleus(topP: number, scratch: Scratch): void {
  const { ids, weights, bins } = scratch;
  bins.fill(0);
  let mass = 0;
  for (let i = 0; i < scratch.kept; i += 1) {
    const weight = weights[i] as number;
    const bin = binOf(weight);
    bins[bin] = (bins[bin] as number) + weight;
    mass += weight;
  }
  const wanted = topP * mass;
  let before = 0;
  let last = 0;
  for (; last < BINS - 1 && before + (bins[last] as number) < wanted; last += 1) before += bins[last] as number;
  const cut = cutWithin({ bin: last, missing: wanted - before }, scratch);
  let kept = 0;
  for (let i = 0; i < scratch.kept; i += 1) {
    const weight = weights[i] as number;
    if (weight < cut.weight || (weight === cut.weight && i > cut.place)) continue;
    ids[kept] = ids[i] as number;
    weights[kept] = weight;
    kept += 1;
  }
  scratch.kept = kept;
}

/** The last candidate of `bin` to keep, so that those kept of the bin reach the `missing` mass. */
function cutWithin(
  wanted: { readonly bin: number; readonly missing: number },
  { weights, kept }: Scratch,
): { readonly weight: number; readonly place: number } {
  const places: number[] = [];
  for (let i = 0; i < kept; i += 1) if (binOf(weights[i] as number) === wanted.bin) places.push(i);
  // Candidates are listed by ascending id, so the order of places is that of ids.
  places.sort((a, b) => (weights[b] as number) - (weights[a] as number) || a - b);
  let mass = 0;
  let place = places[0] as number;
  for (const next of places) {
    if (mass >= wanted.missing) break;
    mass += weights[next] as number;
    place = next;
  }
  return { weight: weights[place] as number, place };
}

function binOf(weight: number): number {
  return weight === 0 ? BINS - 1 : Math.min(BINS - 1, Math.floor(-Math.log(weight) * BINS_PER_UNIT));
}

function draw(scratch: Scratch, rng: Rng): number {
  const { ids, weights, kept } = scratch;
  let mass = 0;
  for (let i = 0; i < kept; i += 1) mass += weights[i] as number;
  let left = rng.uniform() * mass;
  let chosen = -1;
  for (let i = 0; i < kept; i += 1) {
    const weight = weights[i] as number;
    // A token of probability 0 is never drawn, not even when rounding leaves a sliver after the last one.
    if (weight === 0) continue;
    chosen = ids[i] as number;
    left -= weight;
    if (left < 0) break;
  }
  return chosen;
}
