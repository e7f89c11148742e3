/** A whole experiment on sums with the fake policy and a scripted proposer, for tests of the loop. */
import { ProposerError } from "../../src/base/errors.ts";
import type { ConfigOverrides, ExperimentConfig } from "../../src/experiment/config.ts";
import type { ExperimentParts, ProposerFactory } from "../../src/experiment/context.ts";
import type { ProgressEvent } from "../../src/experiment/events.ts";
import { splitSizes } from "../../src/experiment/plan.ts";
import { resolveConfig } from "../../src/experiment/presets.ts";
import type { Sandbox } from "../../src/sandbox/isolate.ts";
import type { Proposal, Proposer } from "../../src/search/candidate.ts";
import { createMemoryStore } from "../../src/store/memory-store.ts";
import { createRun, openRun, type RunStore } from "../../src/store/run-store.ts";
import { CHARACTER_CODEC, createFakePolicy, type FakePolicyOptions } from "./fake-policy.ts";
import { makeSums, SUM_DOMAIN } from "./sum-domain.ts";

/** Small sizes that still give every kind of phase. */
const SMALL: ConfigOverrides = {
  "tasks.weight": 12,
  "tasks.harness": 10,
  "tasks.validation": 4,
  "tasks.test": 6,
  "rsft.prompts": 4,
  "rsft.samples": 2,
  "rsft.miniBatch": 8,
  "schedule.totalSteps": 3,
  "schedule.phaseSteps": 2,
  "schedule.iterations": 4,
  "schedule.harnessOnlyIterations": 3,
  "fst.passes": 4,
  "evaluation.samples": 2,
  "evaluation.resamples": 100,
};

/** Sizes for tests that make hundreds of runs. */
export const TINY_SIZES: ConfigOverrides = {
  "tasks.harness": 3,
  "tasks.validation": 2,
  "tasks.test": 2,
  "rsft.prompts": 2,
  "rsft.samples": 2,
  "evaluation.samples": 2,
  "evaluation.resamples": 10,
};

/** A config of a small run. */
export function smallConfig(condition: string, overrides: ConfigOverrides = {}): ExperimentConfig {
  return resolveConfig("smoke", { domain: "sums", condition, model: "fake", seed: 1 }, { ...SMALL, ...overrides });
}

/** Options of `makeParts`. */
export type PartsOptions = {
  readonly sandbox: Sandbox;
  readonly store: RunStore;
  readonly policy?: FakePolicyOptions;
  /** @default the scripted one */
  readonly proposer?: ProposerFactory;
  readonly progress?: (event: ProgressEvent) => void;
};

/** Fresh parts over `store`, as a new process would have them. */
export function makeParts(config: ExperimentConfig, options: PartsOptions): ExperimentParts {
  return {
    policy: createFakePolicy(options.policy),
    domain: SUM_DOMAIN,
    tasks: makeSums(splitSizes(config)),
    sandbox: options.sandbox,
    codec: CHARACTER_CODEC,
    proposer: options.proposer ?? createScriptedProposer,
    store: options.store,
    clock: () => 0,
    progress: options.progress ?? (() => undefined),
  };
}

/** A run folder in memory: `open` gives its store as a new process would, `text` a file of it. */
export function memoryFolder(config: ExperimentConfig): {
  open: () => Promise<RunStore>;
  text: (path: string) => string;
} {
  const files = new Map<string, Uint8Array>();
  const blobs = createMemoryStore(files);
  return {
    open: () => (files.size === 0 ? createRun(blobs, { name: "run", config }) : openRun(blobs, "run")),
    text: (path) => new TextDecoder().decode(files.get(path)),
  };
}

/** A harness that answers without the model. */
const CHEAT = `export async function solve(task, env) {
  await env.chat([{ role: "user", content: task.question }]);
  const [a, b] = task.question.split("+");
  return String(Number(a) + Number(b));
}
`;

/**
 * Round 1: a syntax error, an honest improvement and a cheat; round 2: a duplicate; later rounds: nothing. Asked for one
 * candidate a round it gives the first three in turn, twice.
 */
function createScriptedProposer(): Proposer {
  return {
    name: "scripted",
    tokensUsed: () => 7,
    propose: ({ candidates, incumbent, iteration, count }) => {
      const parent = candidates.find(({ name }) => name === incumbent)?.source ?? "";
      const write = (source: string, hypothesis: string): Proposal => ({
        source,
        parent: incumbent,
        axis: "prompt",
        hypothesis,
        mechanisms: ["scripted"],
      });
      const careful = parent.replace("Add {question}", "Add carefully {question}");
      const first = [
        write("export async function solve( {", "a syntax error"),
        write(careful, "care helps"),
        write(CHEAT, "no model is needed"),
      ];
      if (count === 1 && iteration <= 6) return Promise.resolve(first.slice((iteration - 1) % 3).slice(0, 1));
      if (iteration === 1) return Promise.resolve(first);
      if (iteration === 2) return Promise.resolve([write(`// the same\n${parent}`, "nothing new")]);
      return Promise.reject(new ProposerError("scripted: out of ideas"));
    },
  };
}
