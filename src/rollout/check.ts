/**
 * Whether a harness may be used: static rules, a smoke rollout, provenance and the null model, all without a policy.
 *
 * The null model answers at random, so whatever a harness scores with it above chance is the harness's own work, however
 * the answer got into the transcript: returned, put into a prefill, or waited for by asking again and again.
 */
import { describeError } from "../base/errors.ts";
import { createRng } from "../base/rng.ts";
import type { Sandbox } from "../sandbox/isolate.ts";
import type { ChatCodec } from "../text/chat.ts";
import { emptyReason, isAboveChance, tallyDirect, tallyTraces, upperChance } from "./chance.ts";
import type { Domain, RolloutLimits, Task } from "./domain.ts";
import type { RolloutRequest } from "./episode.ts";
import { parseHarness, type Harness } from "./harness.ts";
import { createNullCompleter } from "./null-model.ts";
import { runRollouts } from "./pool.ts";
import type { RolloutTrace } from "./trace.ts";

/** The checks, in the order in which they are made. */
export const HARNESS_CHECKS = ["static", "smoke", "provenance", "null-model", "prefill-boundary"] as const;
/** One of `HARNESS_CHECKS`. */
export type HarnessCheckName = (typeof HARNESS_CHECKS)[number];

/** What one check found; `detail` is one line for a person. */
export type HarnessCheck = { readonly name: HarnessCheckName; readonly ok: boolean; readonly detail: string };

/** The judgement of a harness. Checks after a failed "static" or "smoke" are not made. */
export type HarnessJudgement = {
  readonly accepted: boolean;
  readonly checks: readonly HarnessCheck[];
  /** The null rollouts behind it, the two smoke rollouts first. */
  readonly traces: readonly RolloutTrace[];
};

/** What `checkHarness` needs. */
export type HarnessCheckRequest = {
  readonly domain: Domain;
  readonly source: string;
  readonly codec: ChatCodec;
  readonly sandbox: Sandbox;
  /** At least one task; the null model plays them in turn. */
  readonly tasks: readonly Task[];
  readonly seed: string | number;
  /** @default the domain's own limits */
  readonly limits?: RolloutLimits;
};

/** Null rollouts of a candidate, and of the first harness beside it. */
const NULL_ROLLOUTS = 64;
const SMOKE_ROLLOUTS = 2;

/**
 * Judges a harness; it never throws for what the harness does.
 * @throws {RangeError} If there is no task.
 */
export async function checkHarness(request: HarnessCheckRequest): Promise<HarnessJudgement> {
  if (request.tasks.length === 0) throw new RangeError("checkHarness: at least one task is needed");
  const checks: HarnessCheck[] = [];
  const traces: RolloutTrace[] = [];
  const add = (name: HarnessCheckName, ok: boolean, detail: string): boolean => {
    checks.push({ name, ok, detail });
    return ok;
  };
  const finish = (): HarnessJudgement => ({ accepted: checks.every(({ ok }) => ok), checks, traces });
  let harness: Harness;
  try {
    harness = parseHarness(request.source);
    add("static", true, "one module that exports solve and imports nothing");
  } catch (error) {
    add("static", false, describeError(error));
    return finish();
  }
  traces.push(...(await runNull(request, harness, { from: 0, to: SMOKE_ROLLOUTS })));
  if (!add("smoke", ...judgeSmoke(traces))) return finish();
  traces.push(...(await runNull(request, harness, { from: SMOKE_ROLLOUTS, to: NULL_ROLLOUTS })));
  add("provenance", ...judgeProvenance(traces));
  add("null-model", ...(await judgeNullModel(request, traces)));
  add("prefill-boundary", true, describePrefills(request, traces));
  return finish();
}

type Finding = [ok: boolean, detail: string];

/** Null rollouts number `from` to `to`; equal numbers are equal tasks and streams for every harness. */
async function runNull(
  request: HarnessCheckRequest,
  harness: Pick<Harness, "source" | "hash">,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<RolloutTrace[]> {
  const { domain, codec, sandbox, limits, seed } = request;
  const requests = Array.from({ length: to - from }, (_, offset): RolloutRequest => {
    const task = taskOf(request, from + offset);
    const completer = createNullCompleter({ domain, task, codec });
    const key = `null/${String(seed)}/${String(from + offset)}`;
    return { domain, task, harness, codec, completer, sandbox, key, ...(limits === undefined ? {} : { limits }) };
  });
  return runRollouts(requests);
}

function taskOf({ tasks }: HarnessCheckRequest, index: number): Task {
  return tasks[index % tasks.length] as Task;
}

function judgeSmoke(traces: readonly RolloutTrace[]): Finding {
  const bad = traces.find(({ outcome }) => outcome === "fault" || outcome === "bad-return");
  if (bad !== undefined) return [false, `${bad.reason}: ${bad.message}`];
  return [true, `${String(traces.length)} rollouts ended as ${traces.map(({ outcome }) => outcome).join(" and ")}`];
}

function judgeProvenance(traces: readonly RolloutTrace[]): Finding {
  const bad = traces.filter(({ outcome }) => outcome === "provenance");
  if (bad.length === 0) return [true, `every answer of ${String(traces.length)} rollouts came out of the model`];
  return [false, `in ${String(bad.length)} of ${String(traces.length)} rollouts, ${bad[0]?.message ?? ""}`];
}

async function judgeNullModel(request: HarnessCheckRequest, traces: readonly RolloutTrace[]): Promise<Finding> {
  const { domain, tasks, sandbox } = request;
  const context = { sandbox, seed: String(request.seed) };
  const first = await runNull(request, { source: domain.seedHarness, hash: "h0" }, { from: 0, to: NULL_ROLLOUTS });
  const empty = first.map((_, index) => emptyReason(domain, taskOf(request, index), context));
  const chance = upperChance([tallyDirect(domain, tasks, context), tallyTraces(first, empty)]);
  const wins = traces.filter(({ reward }) => reward > 0.5).length;
  const detail =
    `a model that answers at random solved ${String(wins)} of ${String(traces.length)}; ` +
    `luck explains up to ${(100 * chance).toFixed(1)} % each`;
  return [!isAboveChance(wins, traces.length, chance), detail];
}

/** Continuations that are common in every domain. */
const CONTINUATIONS = ["4", "12", " the", "the", "\n", "}", "<"];

/** Warns of prefills that end inside what the tokenizer would make one token: the model never saw that in training. */
function describePrefills(request: HarnessCheckRequest, traces: readonly RolloutTrace[]): string {
  const { codec, domain } = request;
  const chats = traces.flatMap(({ steps }) => steps.filter((step) => step.kind === "chat"));
  const prefills = [...new Set(chats.map(({ prefill }) => prefill))].filter((prefill) => prefill !== "").slice(0, 32);
  const rng = createRng("prefill-check", request.seed);
  const said = Array.from({ length: 8 }, () => domain.nullReply(taskOf(request, 0), rng.uniform, ""));
  const ends = [...CONTINUATIONS, ...said];
  const bad = prefills.filter((prefill) => 2 * ends.filter((end) => !joins(codec, prefill, end)).length > ends.length);
  if (bad.length === 0) return `${String(prefills.length)} prefills seen, each ends where a token ends`;
  return `warning: the prefill ${JSON.stringify(bad[0])} does not end where a token ends`;
}

function joins({ encode }: ChatCodec, prefill: string, end: string): boolean {
  const whole = encode(prefill + end);
  const parts = [...encode(prefill), ...encode(end)];
  return whole.length === parts.length && whole.every((id, index) => id === parts[index]);
}
