/**
 * How many iterations a search needs to come close to a harness written by hand, from h0 and with untrained weights: the
 * offline proposer against random choice of mechanisms and against prompt text alone.
 *
 *   npx tsx scripts/search-bench.ts [--domain math-reasoning] [--seeds 0-2] [--iterations 6] [--tasks 128] [--fresh 64]
 *
 * Each iteration has three candidates on `tasks` harness tasks, one rollout each. What the search holds after it is scored
 * on `fresh` validation tasks, four rollouts each, which no search sees; the target is 90 % of what the hand-written harness
 * scores there. One JSON line for each search, and a closing one for each proposer.
 */
import { parseArgs } from "node:util";
import { parseSeeds } from "../src/cli/sweep/cells.ts";
import { findDomain } from "../src/cli/registry.ts";
import { openWorkbench } from "../src/cli/workbench.ts";
import { toEvaluation } from "../src/experiment/candidate-evaluation.ts";
import type { ExperimentConfig } from "../src/experiment/config.ts";
import { splitSizes } from "../src/experiment/plan.ts";
import { resolveConfig } from "../src/experiment/presets.ts";
import { playBatches, wantSamples, type RolloutHost } from "../src/experiment/rollouts.ts";
import { checkHarness } from "../src/rollout/check.ts";
import type { Domain, Task, TaskSet } from "../src/rollout/domain.ts";
import type { RolloutTrace } from "../src/rollout/trace.ts";
import type { Proposer } from "../src/search/candidate.ts";
import { createEvolveProposer } from "../src/search/proposers/evolve.ts";
import { createRandomProposer } from "../src/search/proposers/random.ts";
import { createSearch, type Search } from "../src/search/scheduler.ts";
import { meanOf } from "../src/stats/bootstrap.ts";

const FRESH_SAMPLES = 4;
/** Share of the hand-written score that counts as reached. */
const ENOUGH = 0.9;

type Edit = readonly [there: string | RegExp, put: string];

/** Edits of h0 that make the best harness known by hand. */
const BY_HAND: Readonly<Record<string, readonly Edit[]>> = {
  "math-reasoning": [
    [
      `SYSTEM_PROMPT = ""`,
      `SYSTEM_PROMPT = "Use <code>print(...)</code> for every calculation and put the final answer in \\\\boxed{}."`,
    ],
    [
      "  return [];",
      `  return [
    { role: "user", content: "Add 12 and 30, then take away 5.\\nPut the final answer in \\\\boxed{}." },
    { role: "assistant", content: "<code>print(12 + 30 - 5)</code>" },
    { role: "user", content: "Output: 37" },
    { role: "assistant", content: "\\\\boxed{37}" },
  ];`,
    ],
    [
      `  const lines = code.trim().split("\\n");`,
      `  const lines = code.replace(/\`\`\`\\w*/g, "").trim().replace(/;$/, "").split("\\n");`,
    ],
    [
      `function closingPrefill(feedback) {\n  return "";`,
      `function closingPrefill(feedback) {\n  return /\\d/.test(feedback) ? "\\\\boxed{" : "";`,
    ],
  ],
  "search-qa": [
    [
      `SYSTEM_PROMPT = ""`,
      `SYSTEM_PROMPT = "Write <search>query</search> to search. Put the answer in <answer></answer>."`,
    ],
    [/PASSAGE_LENGTH = \d+/, "PASSAGE_LENGTH = 60"],
    [`  return query;`, `  return query + " " + question;`],
    [
      `function closingPrefill(observation) {\n  return "";`,
      `function closingPrefill(observation) {\n  return "<answer>";`,
    ],
  ],
  "chess-puzzles": [
    [`SYSTEM_PROMPT = "You are an expert. Final answer only."`, `SYSTEM_PROMPT = ""`],
    [`"[" + move.uci + "] " + move.san`, `move.uci + " " + move.san`],
    [
      /return \[\n {4}view\.goal,[^]*?\]\.join\("\\n"\);/,
      `return view.side + " to move.\\nLegal moves:\\n" + view.legal.map(formatMove).join("\\n");`,
    ],
    [`function openingPrefill(view) {\n  return "";`, `function openingPrefill(view) {\n  return "<move>";`],
  ],
};

type Bench = {
  readonly host: RolloutHost;
  readonly domain: Domain;
  readonly tasks: TaskSet;
  readonly iterations: number;
};

const PROPOSERS: Readonly<Record<string, (space: Domain, seed: number) => Proposer>> = {
  evolve: (space, seed) => createEvolveProposer({ space, seed }),
  random: (space, seed) => createRandomProposer({ space, seed }),
  promptsOnly: (space, seed) => createEvolveProposer({ space, seed, promptOnly: true }),
};

const { values: args } = parseArgs({
  options: {
    domain: { type: "string", default: "math-reasoning" },
    seeds: { type: "string", default: "0-2" },
    iterations: { type: "string", default: "6" },
    tasks: { type: "string", default: "128" },
    fresh: { type: "string", default: "64" },
  },
});

const reached = new Map<string, (number | null)[]>();
for (const seed of parseSeeds(args.seeds)) await benchSeed(seed);
for (const [proposer, found] of reached)
  print({ proposer, seeds: found.length, reached: found.filter((at) => at !== null).length, iterations: found });

async function benchSeed(seed: number): Promise<void> {
  const settings = { "tasks.harness": args.tasks, "tasks.validation": args.fresh, "tasks.weight": 8, "tasks.test": 8 };
  const choice = { domain: args.domain, condition: "harness-only", model: "tiny", seed };
  const config: ExperimentConfig = resolveConfig("toy", choice, settings);
  const { domain, tasks } = await findDomain(args.domain).load({ seed, sizes: splitSizes(config) });
  await using workbench = await openWorkbench(config, { device: "cpu" });
  const host: RolloutHost = { config, parts: { ...workbench, domain, progress: () => undefined } };
  const bench: Bench = { host, domain, tasks, iterations: Number(args.iterations) };
  const target = await scoreFresh(bench, writeByHand(domain));
  for (const [name, propose] of Object.entries(PROPOSERS)) {
    const scores = await searchOnce(bench, propose(domain, seed), seed);
    const at = scores.findIndex((score) => score >= ENOUGH * target);
    reached.set(name, [...(reached.get(name) ?? []), at < 0 ? null : at]);
    print({ seed, proposer: name, byHand: target, scores, reachedAt: at < 0 ? null : at });
  }
}

/** Fresh scores of what the search holds: of h0, and after each iteration. */
async function searchOnce(bench: Bench, proposer: Proposer, seed: number): Promise<number[]> {
  const { domain, iterations } = bench;
  const search = createSearch({
    incumbentSource: domain.seedHarness,
    proposer,
    patience: { min: 0, patience: 1, max: iterations },
  });
  const scores: number[] = [];
  let [holder, score] = ["", 0];
  while (search.stopped() === undefined) {
    await playRound(bench, search, seed);
    const incumbent = search.incumbent();
    if (incumbent !== undefined && incumbent.name !== holder) {
      holder = incumbent.name;
      score = await scoreFresh(bench, incumbent.source);
    }
    scores.push(score);
  }
  // A search that solves all of its tasks ends early, and stays where it is.
  while (scores.length <= iterations) scores.push(score);
  return scores;
}

async function playRound(bench: Bench, search: Search, seed: number): Promise<void> {
  const { host, domain, tasks } = bench;
  const { codec, sandbox } = host.parts;
  for (const { name, source } of await search.ask()) {
    const judgement = await checkHarness({ domain, source, codec, sandbox, tasks: tasks.harness, seed });
    const failed = name === "h0" ? undefined : judgement.checks.find(({ ok }) => !ok);
    if (failed === undefined)
      search.tell(name, toEvaluation(domain, await play(bench, source, { tasks: tasks.harness, samples: 1 })));
    else search.refuse(name, failed.name, failed.detail);
  }
}

async function scoreFresh(bench: Bench, source: string): Promise<number> {
  const traces = await play(bench, source, { tasks: bench.tasks.validation, samples: FRESH_SAMPLES });
  return meanOf(traces.map(({ reward }) => reward));
}

type Asked = { readonly tasks: readonly Task[]; readonly samples: number };

async function play({ host }: Bench, source: string, { tasks, samples }: Asked): Promise<readonly RolloutTrace[]> {
  const purpose = samples === 1 ? ["search"] : ["validation"];
  const batch = { harness: { name: "bench", source }, purpose, wanted: wantSamples(tasks, samples) };
  const [traces = []] = await playBatches(host, "harness", [batch]);
  await host.parts.policy.settle();
  return traces;
}

function writeByHand({ name, seedHarness }: Domain): string {
  return (BY_HAND[name] ?? []).reduce((source, [from, to]) => {
    const edited = source.replace(from, () => to);
    if (edited === source) throw new RangeError(`${name}: h0 has no ${String(from)}; mend the hand-written harness`);
    return edited;
  }, seedHarness);
}

function print(value: object): void {
  console.log(JSON.stringify(value));
}
