/** `eval`: what one model scores with one harness, by the same rollouts and streams as the evaluations of a run. */
import type { JsonObject } from "../../base/json.ts";
import { evaluate, type EvaluationResult } from "../../evaluation/evaluate.ts";
import { effectiveLimits } from "../../experiment/rollouts.ts";
import type { ConfigOverrides, ExperimentConfig } from "../../experiment/config.ts";
import { resolveConfig } from "../../experiment/presets.ts";
import { SPLITS, type Split } from "../../rollout/domain.ts";
import { parseHarness } from "../../rollout/harness.ts";
import { runRollouts } from "../../rollout/pool.ts";
import type { RolloutTrace } from "../../rollout/trace.ts";
import { parseAssignments, requireValue, type Arguments } from "../args.ts";
import { loadTasks, requestSplit } from "../execute.ts";
import { readTextFile } from "../files.ts";
import { interval, percent, plural } from "../progress/figures.ts";
import { parseDevice } from "../model-files.ts";
import { findDomain } from "../registry.ts";
import { printJson, type Terminal } from "../terminal.ts";
import { openWorkbench } from "../workbench.ts";

/** Scores the model and harness that the options name. */
export async function evaluateHarness(args: Arguments, terminal: Terminal): Promise<number> {
  const named = findDomain(requireValue(args.text("domain"), "--domain"));
  const split: Split = SPLITS.find((name) => name === args.text("split")) ?? "test";
  const config = readSettings(args, { domain: named.name, split });
  const { seed } = config;
  const most = args.integer("tasks");
  const file = args.text("harness");
  const { domain, tasks: loaded } = await loadTasks(named, requestSplit(config, split, most), terminal);
  // Real data may bring another h0 than the toy.
  const harness = parseHarness(file === undefined ? domain.seedHarness : await readTextFile(file, "harness"));
  const tasks = loaded[split];
  const adapter = args.text("adapter");
  await using workbench = await openWorkbench(config, { device: parseDevice(args.text("device")), adapter });
  const { codec, sandbox, policy } = workbench;
  const limits = effectiveLimits(config, domain);
  const result = await evaluate(tasks, {
    ...config.evaluation,
    seed,
    rollouts: (requests) =>
      runRollouts(
        requests.map(({ task, sample }) => {
          const key = [seed, split, task.id, sample].join("/");
          return { domain, task, harness, codec, sandbox, completer: policy.completer(), key, limits };
        }),
        { concurrency: config.rollout.concurrency },
      ),
  });
  const about = {
    schema: 1,
    domain: domain.name,
    split,
    seed,
    model: { name: policy.describe().name, hash: policy.describe().hash },
    device: policy.describe().device,
    adapter: adapter ?? null,
    harness: { file: file ?? null, hash: harness.hash },
  };
  if (args.flag("json")) printJson(terminal, { ...about, ...describeResult(result) });
  else terminal.out(formatResult(result, `${domain.name}, ${split}, ${about.model.name}`));
  return 0;
}

type Evaluated = { readonly domain: string; readonly split: Split };

function readSettings(args: Arguments, { domain, split }: Evaluated): ExperimentConfig {
  const model = requireValue(args.text("model"), "--model");
  const seed = requireValue(args.integer("seed"), "--seed");
  const settle = (sizes: ConfigOverrides): ExperimentConfig =>
    resolveConfig(
      "toy",
      { domain, condition: "whale", model, seed },
      {
        "evaluation.samples": requireValue(args.integer("samples"), "--samples"),
        "tasks.data": args.text("data") ?? "",
        "tasks.corpus": args.text("corpus") ?? "",
        ...sizes,
        ...Object.fromEntries(parseAssignments(args.list("set"))),
      },
    );
  const usual = settle({});
  const most = args.integer("tasks") ?? 0;
  // Real tasks are divided in proportion to the sizes: another size would take tasks out of another split.
  const isGenerated = usual.tasks.data === "";
  return isGenerated && most > usual.tasks[split] ? settle({ [`tasks.${split}`]: most }) : usual;
}

function describeResult({ mean, low, high, scores, traces }: EvaluationResult): JsonObject {
  const total = (of: (trace: RolloutTrace) => number): number => traces.reduce((sum, trace) => sum + of(trace), 0);
  return {
    tasks: scores.tasks.length,
    samples: scores.samples,
    mean,
    low,
    high,
    scores,
    reasons: countReasons(traces),
    usage: {
      rollouts: traces.length,
      tokens: total(({ usage }) => usage.tokens),
      turns: total(({ usage }) => usage.turns),
      toolCalls: total(({ usage }) => usage.toolCalls),
    },
  };
}

function formatResult({ mean, low, high, scores, traces }: EvaluationResult, what: string): string {
  const reasons = Object.entries(countReasons(traces)).sort((a, b) => b[1] - a[1]);
  return [
    `${what}: mean@${String(scores.samples)} ${interval(mean, low, high)} over ${plural(scores.tasks.length, "task")}`,
    ...reasons.map(([reason, count]) => `  ${percent(count / traces.length).padStart(8)}  ${reason}`),
    "",
  ].join("\n");
}

function countReasons(traces: readonly RolloutTrace[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { reason } of traces) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
}
