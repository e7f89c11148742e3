/**
 * How often a null model is right by luck, and whether a harness scores above that.
 *
 * Chance is taken among replies that hold an answer at all: a harness may honestly ask again until there is one. It may not
 * choose among answers, so retries do not raise the bound further.
 */
import { createRng } from "../base/rng.ts";
import type { Domain, Task } from "./domain.ts";
import type { RolloutTrace } from "./trace.ts";
import type { Sandbox } from "../sandbox/isolate.ts";

/** Wins among answers. */
export type Tally = { readonly wins: number; readonly answers: number };

/** Null replies judged as they are, without any harness, for each task. */
const DIRECT_REPLIES = 8;
/** Standard errors by which chance is rounded up. */
const ROUND_UP = 1.64;
/** A score so unlikely under chance is not luck. */
const SIGNIFICANCE = 0.001;

/** Judges null replies to `tasks` as if each were what `solve` returned. */
export function tallyDirect(
  domain: Domain,
  tasks: readonly Task[],
  context: { sandbox: Sandbox; seed: string },
): Tally {
  const judged = tasks.flatMap((task, index) =>
    Array.from({ length: DIRECT_REPLIES }, (_, sample) => {
      const rng = createRng("null-direct", context.seed, index, sample);
      const text = domain.nullReply(task, rng.uniform, "");
      const judge = (returned: string): { reward: number; reason: string } =>
        domain.open(task, context).judge({ returned, sampled: [returned] });
      return { ...judge(text), empty: judge("").reason };
    }),
  );
  return tally(judged);
}

/** Wins and answers of null rollouts; `emptyReasons` are the verifier's words for no answer. */
export function tallyTraces(traces: readonly RolloutTrace[], emptyReasons: readonly string[]): Tally {
  return tally(traces.map((trace, index) => ({ ...trace, empty: emptyReasons[index] ?? "" })));
}

/** What the verifier says of `task` where nothing was answered. */
export function emptyReason(domain: Domain, task: Task, context: { sandbox: Sandbox; seed: string }): string {
  return domain.open(task, context).judge({ returned: "", sampled: [] }).reason;
}

/** An upper estimate of chance from several tallies: the largest share of wins among answers, rounded up for its error. */
export function upperChance(tallies: readonly Tally[]): number {
  const bounds = tallies.map(({ wins, answers }) => {
    if (answers === 0) return 0;
    const share = wins / answers;
    return share + ROUND_UP * Math.sqrt((share * (1 - share)) / answers) + 1 / answers;
  });
  return Math.min(1, Math.max(0, ...bounds));
}

/** Whether `wins` of `rollouts` are more than luck at `chance` a rollout would give. */
export function isAboveChance(wins: number, rollouts: number, chance: number): boolean {
  return wins > 0 && binomialTail(wins, rollouts, chance) < SIGNIFICANCE;
}

/** P(X >= wins) for X ~ Binomial(n, p). */
export function binomialTail(wins: number, n: number, p: number): number {
  if (wins <= 0) return 1;
  if (p <= 0) return 0;
  if (p >= 1) return 1;
  // Terms of the sum by their logarithms: ln C(n, k) + k ln p + (n - k) ln(1 - p).
  let logChoose = 0;
  let tail = 0;
  for (let k = 0; k <= n; k += 1) {
    if (k > 0) logChoose += Math.log(n - k + 1) - Math.log(k);
    if (k >= wins) tail += Math.exp(logChoose + k * Math.log(p) + (n - k) * Math.log(1 - p));
  }
  return Math.min(1, tail);
}

function tally(judged: readonly { readonly reward: number; readonly reason: string; readonly empty: string }[]): Tally {
  const wins = judged.filter(({ reward }) => reward > 0.5).length;
  const answers = judged.filter(({ reward, reason, empty }) => reward > 0.5 || reason !== empty).length;
  return { wins, answers };
}
