/** Judges a harness that a person wrote: the checks of the search, and a paired evaluation against another harness. */
import {
  checkHarness,
  comparePaired,
  bootstrapMean,
  createRng,
  createSandbox,
  effectiveLimits,
  hashContent,
  parseHarness,
  runRollouts,
  type ChatCodec,
  type ExperimentConfig,
  type Policy,
  type RolloutRequest,
  type RolloutTrace,
} from "../../src/index.ts";
import type { CheckReport, EvaluationReport } from "../protocol/by-hand.ts";
import type { RolloutGroup } from "../protocol/rollouts.ts";
import { loadTasks, type PlayableTasks } from "./tasks.ts";

/**
 * The same checks as on the command line, with the limits of `config`.
 * @throws {LabError} If the tasks or the sandbox fail; never for what the harness does.
 */
export async function judgeHarness(config: ExperimentConfig, codec: ChatCodec, source: string): Promise<CheckReport> {
  const { domain, tasks } = await loadTasks(config);
  using sandbox = await createSandbox();
  const judgement = await checkHarness({
    ...{ domain, source, codec, sandbox },
    tasks: tasks.harness,
    seed: config.seed,
    limits: effectiveLimits(config, domain),
  });
  return { isAccepted: judgement.accepted, checks: judgement.checks };
}

/** A harness by name. */
export type NamedSource = { readonly name: string; readonly source: string };

/** What `evaluatePair` needs. */
export type PairOptions = {
  readonly config: ExperimentConfig;
  readonly policy: Policy;
  readonly codec: ChatCodec;
  readonly first: NamedSource;
  readonly second: NamedSource;
  /** Tasks of the harness split, and rollouts of each. */
  readonly tasks: number;
  readonly samples: number;
  /** Which weights play, in words. */
  readonly weights: string;
  /** Names the groups of this evaluation. */
  readonly title: string;
};

/** Both harnesses on the same tasks and random streams, with all their rollouts. */
export type PairResult = {
  readonly report: EvaluationReport;
  readonly groups: readonly { readonly group: RolloutGroup; readonly traces: readonly RolloutTrace[] }[];
};

/**
 * Plays both harnesses with the weights as they are. Leaves no trace in the policy but its count of tokens.
 * @throws {HarnessError} If one of them breaks the static rules.
 */
export async function evaluatePair(options: PairOptions): Promise<PairResult> {
  const { config, policy, samples, weights, title } = options;
  const playable = await loadTasks(config);
  const tasks = playable.tasks.harness.slice(0, options.tasks);
  const played: { readonly name: string; readonly traces: readonly RolloutTrace[] }[] = [];
  await policy.settle();
  for (const { name, source } of [options.first, options.second]) {
    parseHarness(source);
    played.push({ name, traces: await play(options, playable, { source, tasks: tasks.length }) });
    await policy.settle();
  }
  const groups = played.map(({ name, traces }, i) => ({
    group: describe(options, { name, traces, index: i }),
    traces,
  }));
  const means = played.map(({ traces }) => meanByTask(traces, samples));
  const [first = [], second = []] = means;
  const keys = [config.seed, "by-hand", title];
  return {
    groups,
    report: {
      first: bootstrapMean(first, createRng(...keys, "first"), config.evaluation),
      second: bootstrapMean(second, createRng(...keys, "second"), config.evaluation),
      paired: comparePaired([first, second], createRng(...keys, "paired"), config.evaluation),
      samples,
      weights,
      groups: [groups[0]?.group.group ?? "", groups[1]?.group.group ?? ""],
    },
  };
}

async function play(
  { config, policy, codec, samples }: PairOptions,
  playable: PlayableTasks,
  { source, tasks }: { readonly source: string; readonly tasks: number },
): Promise<RolloutTrace[]> {
  using sandbox = await createSandbox();
  const harness = { source, hash: hashContent(source) };
  const limits = effectiveLimits(config, playable.domain);
  const requests = playable.tasks.harness.slice(0, tasks).flatMap((task) =>
    Array.from({ length: samples }, (_, sample): RolloutRequest => {
      // Keys of their own: the streams of the run itself are not met here.
      const key = [config.seed, "by-hand", task.id, sample].join("/");
      return { domain: playable.domain, task, harness, codec, sandbox, completer: policy.completer(), key, limits };
    }),
  );
  return await runRollouts(requests, { concurrency: config.rollout.concurrency });
}

function describe(
  { title, weights }: PairOptions,
  { name, traces, index }: { readonly name: string; readonly traces: readonly RolloutTrace[]; readonly index: number },
): RolloutGroup {
  return {
    group: `by-hand/${title}/${String(index)}`,
    ...{ use: "by-hand", phase: 0, step: 0, split: "", harness: name },
    label: `${name === "" ? "The edited harness" : `Harness ${name}`} under ${weights}`,
    rollouts: traces.length,
    solved: traces.filter(({ reward }) => reward > 0.5).length,
  };
}

function meanByTask(traces: readonly RolloutTrace[], samples: number): number[] {
  return Array.from({ length: traces.length / samples }, (_, task) => {
    const own = traces.slice(task * samples, (task + 1) * samples);
    return own.reduce((sum, { reward }) => sum + reward, 0) / samples;
  });
}
