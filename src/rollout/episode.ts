/**
 * The one rollout function of Spyhop: training, search and evaluation all play a task through it.
 *
 * The harness runs in an isolate and decides what to ask the model and the tools; everything it can spend is counted here,
 * and however it ends is a recorded outcome. Only a failing completer, sandbox or verifier rejects.
 */
import type { Completer } from "../generation/completer.ts";
import type { JsonValue } from "../base/json.ts";
import type { GuestOutcome, Sandbox } from "../sandbox/isolate.ts";
import type { ChatCodec } from "../text/chat.ts";
import type { Domain, Episode, RolloutLimits, Task } from "./domain.ts";
import { EpisodeHost, MOST_NOTES } from "./episode-host.ts";
import { unsupportedClaim } from "./provenance.ts";
import { mergeTurns } from "./sequences.ts";
import { TRACE_VERSION, type RolloutTrace } from "./trace.ts";

/** One rollout to run. */
export type RolloutRequest = {
  readonly domain: Domain;
  readonly task: Task;
  readonly harness: { readonly source: string; readonly hash: string };
  readonly codec: ChatCodec;
  readonly completer: Completer;
  readonly sandbox: Sandbox;
  /** Names the rollout's random streams and its conversation; unique among rollouts that run at the same time. */
  readonly key: string;
  /** @default the domain's own limits */
  readonly limits?: RolloutLimits;
};

/** Stack of an isolate, in bytes. */
const STACK = 256 * 1024;
/** Largest text of one host call, in characters: the messages of a chat. */
const OUTPUT = 1_000_000;
/** Host calls beyond what the limits allow, so that a harness may meet a limit a few times before it is stopped. */
const SPARE_CALLS = 50;

type Ending = Pick<RolloutTrace, "outcome" | "detail" | "message" | "returned" | "reward" | "reason">;

/**
 * Plays `request.task` once and says how it went.
 * @throws {LabError} If the completer or the sandbox failed, which is not the harness's doing.
 */
export async function runRollout(request: RolloutRequest): Promise<RolloutTrace> {
  const { domain, task, harness, codec, completer, sandbox, key } = request;
  const limits = request.limits ?? domain.limits;
  const episode = domain.open(task, { sandbox, seed: key });
  const host = new EpisodeHost({ codec, completer, tools: episode.tools, limits, key });
  let guest: GuestOutcome;
  try {
    guest = await sandbox.run({
      source: harness.source,
      entry: "solve",
      args: [task.view],
      host: host.functions(),
      hostValues: { budget: () => host.budget() },
      limits: {
        fuel: limits.fuel,
        memory: limits.memory,
        stack: STACK,
        output: OUTPUT,
        hostCalls: limits.turns + limits.toolCalls + MOST_NOTES + SPARE_CALLS,
      },
      seed: key,
    });
  } finally {
    await host.close();
  }
  return {
    version: TRACE_VERSION,
    task: task.id,
    harness: harness.hash,
    key,
    steps: host.steps,
    ...findEnding(guest, host, episode),
    sequences: mergeTurns(host.turns),
    usage: { ...host.usage, fuel: guest.fuel },
  };
}

function findEnding(guest: GuestOutcome, host: EpisodeHost, episode: Episode): Ending {
  const lost = { returned: undefined, reward: 0 };
  if (host.broken !== undefined) {
    const message = guest.ok ? `the harness asked for more ${host.broken} than the limit` : guest.message;
    return { ...lost, outcome: "limit", detail: host.broken, message, reason: `${host.broken} spent` };
  }
  if (!guest.ok) {
    const { fault, message } = guest;
    if (fault === "value") return { ...lost, outcome: "bad-return", detail: "", message, reason: "bad return value" };
    return { ...lost, outcome: "fault", detail: fault, message, reason: `harness fault: ${fault}` };
  }
  const { value } = guest;
  if (value !== undefined && typeof value !== "string") {
    const message = `solve must return text or nothing, got ${describeKind(value)}`;
    return { outcome: "bad-return", detail: "", message, returned: value, reward: 0, reason: "bad return value" };
  }
  return judge(value, host, episode);
}

function judge(returned: string | undefined, host: EpisodeHost, episode: Episode): Ending {
  const end = { returned, sampled: host.replies.map(({ text }) => text) };
  const { reward, reason } = episode.judge(end);
  const claim = unsupportedClaim(episode.claims(end), host.replies);
  if (claim === undefined) return { outcome: "judged", detail: "", message: "", returned, reward, reason };
  const message = `"${claim.slice(0, 80)}" did not come out of the model`;
  return { outcome: "provenance", detail: "", message, returned, reward: 0, reason: "not from the model" };
}

function describeKind(value: JsonValue): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `${typeof value === "object" ? "an" : "a"} ${typeof value}`;
}
