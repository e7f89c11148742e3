/**
 * The one description of a run: nested, frozen, plain JSON. `presets.ts` gives the starting values, `--set` reaches each
 * of them by its dotted path, and `config.json` in the run folder holds what came out.
 */
import { ConfigError } from "../base/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import type { SamplingConfig } from "../generation/completer.ts";
import { CONDITIONS, type ConditionName } from "./conditions.ts";
import type { ScheduleConfig } from "./schedule.ts";
import type { WeightPatienceConfig } from "./weight-patience.ts";

/** Presets on the command line. */
export const PRESETS = ["smoke", "tab", "toy", "full"] as const;
/** One of `PRESETS`. */
export type PresetName = (typeof PRESETS)[number];

/** Who may write candidates: `search/proposers/` has them. */
export const PROPOSERS = ["evolve", "random", "agent", "model"] as const;
/** One of `PROPOSERS`. */
export type ProposerName = (typeof PROPOSERS)[number];

/** Forms of the endpoint behind `agent`. */
const ENDPOINT_FORMATS = ["anthropic", "openai"] as const;

/** Everything that decides what a run does. */
export type ExperimentConfig = {
  readonly domain: string;
  readonly condition: ConditionName;
  /** Name or folder of the base model, as given. */
  readonly model: string;
  readonly preset: PresetName;
  /** Keys every random stream of the run. */
  readonly seed: number;
  readonly tasks: TasksConfig;
  /** Counted limits of one rollout; 0 takes the domain's own limit. */
  readonly limits: LimitsConfig;
  readonly sampling: SamplingConfig;
  readonly rollout: RolloutConfig;
  readonly adapter: AdapterConfig;
  readonly optimizer: OptimizerSettings;
  readonly rsft: RsftConfig;
  readonly schedule: ScheduleConfig;
  readonly search: SearchConfig;
  readonly proposer: ProposerConfig;
  readonly adaptive: AdaptiveConfig;
  readonly fst: FstConfig;
  readonly evaluation: EvaluationConfig;
};

/** Which tasks, and how many in each split. */
export type TasksConfig = {
  /** Tier of the toy generator; empty takes the domain's default. */
  readonly tier: string;
  /** File of real tasks; empty takes the toy generator. */
  readonly data: string;
  /** File of passages for a domain that searches; empty takes those that come with the tasks. */
  readonly corpus: string;
  /** Sentence-embedding model, a folder or a Hugging Face name, for dense ranking of passages; empty ranks by words. */
  readonly embedder: string;
  /** What makes a vector of those of the tokens: mean, cls or last; empty takes what the model's folder says. */
  readonly pooling: string;
  /** What goes in front of a query before it is embedded; empty takes what the model's folder says, `none` is nothing. */
  readonly queryPrefix: string;
  readonly weight: number;
  readonly harness: number;
  readonly validation: number;
  readonly test: number;
};

/** Limits of one rollout: sampled tokens, model calls, tool calls, isolate interrupts and heap bytes. */
export type LimitsConfig = {
  readonly tokens: number;
  readonly turns: number;
  readonly toolCalls: number;
  readonly fuel: number;
  readonly memory: number;
};

/** How rollouts are run. */
export type RolloutConfig = {
  /** Rollouts under way at once. */
  readonly concurrency: number;
  /**
   * On the CPU, parts in which the rows under way are decoded, on cores of their own where the model is small. What is sampled
   * may depend on it in its last bits, so it is not chosen by the machine.
   */
  readonly replicas: number;
  /** Whether the chat template is to let the model think first: on, off, or empty for what the template does by itself. */
  readonly thinking: string;
  /** Share of all rollouts whose traces stay in the run folder, in [0, 1]; those learnt from always do. */
  readonly traces: number;
};

/** LoRA (Hu et al., arXiv:2106.09685) on all linear layers. */
export type AdapterConfig = {
  readonly rank: number;
  /** The update is scaled by alpha / rank. */
  readonly alpha: number;
};

/** AdamW and the clip before it; the rate is constant. */
export type OptimizerSettings = {
  readonly lr: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly eps: number;
  readonly weightDecay: number;
  /** Largest global gradient norm. */
  readonly clip: number;
};

/** One RSFT step. */
export type RsftConfig = {
  /** B: prompts a step. */
  readonly prompts: number;
  /** n: rollouts a prompt. */
  readonly samples: number;
  /** Rewards strictly above are accepted. */
  readonly threshold: number;
  /** Accepted trajectories an optimiser step. */
  readonly miniBatch: number;
  /**
   * GiB that one pass of the gradient may take by estimate, weights not counted: trajectories go through it in groups that
   * do. Grouping changes sums in their last bits, so it is not chosen by the machine.
   */
  readonly memory: number;
};

/** One harness search. */
export type SearchConfig = {
  /** M: candidates a round. */
  readonly candidates: number;
  /** Rollouts a task and candidate. */
  readonly samples: number;
  /** Whether a candidate that will not win drops out early, so that its remaining rollouts are not spent. */
  readonly racing: boolean;
  /** Tasks between two looks of a race. */
  readonly raceBlock: number;
  /** Fresh tasks on which the winner of a phase is scored beside the incoming harness; 0 for none. */
  readonly confirm: number;
};

/** Who writes candidates. All but `kind` is for `agent`; a key never stands in settings. */
export type ProposerConfig = {
  /** With `agent` a run cannot be repeated bit for bit. */
  readonly kind: ProposerName;
  /** Form of the endpoint: Anthropic's Messages, or OpenAI's chat completions. */
  readonly format: (typeof ENDPOINT_FORMATS)[number];
  /** Base address of the endpoint; empty takes that of the vendor whose form it is. */
  readonly endpoint: string;
  /** Name of the language model, as the endpoint knows it. */
  readonly model: string;
  /** Most replies in a round. */
  readonly turns: number;
  /** Most tokens in a round, read and written; each reply reads all earlier ones again. */
  readonly tokens: number;
  /** Most tokens of one reply. */
  readonly replyTokens: number;
  /** Most minutes in a round. */
  readonly minutes: number;
  /** Times that a failed request is made again. */
  readonly retries: number;
};

/** The condition `fst-native` (Fast-Slow Training, arXiv 2605.12484). */
export type FstConfig = {
  /** K: prompts that train and are evaluated together; each gets an equal share of a task's rollouts. */
  readonly population: number;
  /** N: RSFT steps of a slow phase; the fast phase before it searches on their tasks. */
  readonly batches: number;
  /** Budget of a fast phase, in passes over its anchor set; scoring the population that comes in is not part of it. */
  readonly passes: number;
  /** Tasks on which a new prompt must beat its parent before it meets the whole anchor set. */
  readonly minibatch: number;
  /** Most tasks in the anchor set; 0 takes all of the N batches. */
  readonly anchor: number;
};

/** Patience of the adaptive condition. */
export type AdaptiveConfig = {
  readonly weights: WeightPatienceConfig;
  readonly harness: {
    /** No stop before this round of proposals. */
    readonly minIterations: number;
    /** Stop when the best candidate is this many rounds old, or older. */
    readonly patience: number;
    /** Most rounds. */
    readonly maxIterations: number;
  };
};

/** Evaluation on validation and test. */
export type EvaluationConfig = {
  /** k of mean@k. */
  readonly samples: number;
  /** Bootstrap resamples over tasks. */
  readonly resamples: number;
  /** Mass of the interval, in (0, 1). */
  readonly confidence: number;
};

/** Values of `--set`, or parts of a config: dotted path to value; text is read as the type that stands there. */
export type ConfigOverrides = Readonly<Record<string, JsonValue>>;

/**
 * `base` with `overrides` laid over it, checked and frozen.
 * @throws {ConfigError} If a path does not exist (names that are near are listed), or a value is of the wrong kind or out
 * of range.
 */
export function overrideConfig(base: ExperimentConfig, overrides: ConfigOverrides): ExperimentConfig {
  const leaves = new Map(configLeaves(base));
  for (const [path, value] of Object.entries(overrides)) {
    const current = leaves.get(path);
    if (current === undefined) throw unknownKey(path, [...leaves.keys()]);
    leaves.set(path, readValue(path, value, current));
  }
  for (const [path, value] of leaves) checkRange(path, value);
  checkEndpoint(leaves.get("proposer.endpoint"));
  return freeze(rebuild(base, leaves, "")) as ExperimentConfig;
}

/** Groups and settings whose defaults hold for a folder that lacks them. */
const OPTIONAL = ["proposer.", "rsft.memory", "rollout.thinking"] as const;

/**
 * Reads a config that was written to JSON, such as `config.json`. `template` is any config, for the shape; what `json`
 * lacks of `OPTIONAL` is taken from there.
 * @throws {ConfigError} If a key is missing, unknown or of the wrong kind.
 */
export function parseConfig(json: JsonValue, template: ExperimentConfig): ExperimentConfig {
  if (!isJsonObject(json)) throw new ConfigError("config: expected a JSON object");
  const given = new Map(configLeaves(json));
  const isOptional = (path: string): boolean => OPTIONAL.some((start) => path.startsWith(start));
  const missing = configLeaves(template).find(([path]) => !given.has(path) && !isOptional(path));
  if (missing !== undefined) throw new ConfigError(`config: ${missing[0]} is missing`);
  return overrideConfig(template, Object.fromEntries(given));
}

/** Dotted path and value of every setting, in the order of the type. */
export function configLeaves(config: JsonObject, prefix = ""): [string, JsonValue][] {
  return Object.entries(config).flatMap(([key, value]): [string, JsonValue][] => {
    if (isJsonObject(value)) return configLeaves(value, `${prefix}${key}.`);
    return value === undefined ? [] : [[prefix + key, value]];
  });
}

type Range = { readonly text: string; readonly holds: (value: number) => boolean };

const COUNT: Range = { text: "a whole number, 1 or more", holds: (n) => Number.isSafeInteger(n) && n >= 1 };
const NATURAL: Range = { text: "a whole number, 0 or more", holds: (n) => Number.isSafeInteger(n) && n >= 0 };
const SEVERAL: Range = { text: "a whole number, 2 or more", holds: (n) => Number.isSafeInteger(n) && n >= 2 };
const POSITIVE: Range = { text: "above 0", holds: (n) => Number.isFinite(n) && n > 0 };
const NOT_NEGATIVE: Range = { text: "0 or more", holds: (n) => Number.isFinite(n) && n >= 0 };
const SHARE: Range = { text: "in [0, 1)", holds: (n) => n >= 0 && n < 1 };
const INNER_SHARE: Range = { text: "in (0, 1)", holds: (n) => n > 0 && n < 1 };
const MASS: Range = { text: "in (0, 1]", holds: (n) => n > 0 && n <= 1 };

/** Ranges that are not a count of 1 or more, by path; a path of one part covers the whole group. */
const RANGES: Readonly<Record<string, Range>> = {
  seed: NATURAL,
  limits: NATURAL,
  "sampling.temperature": NOT_NEGATIVE,
  "sampling.topK": NATURAL,
  "sampling.topP": MASS,
  "rollout.traces": { text: "in [0, 1]", holds: (n) => n >= 0 && n <= 1 },
  "adapter.alpha": POSITIVE,
  optimizer: NOT_NEGATIVE,
  "optimizer.beta1": SHARE,
  "optimizer.beta2": SHARE,
  "optimizer.eps": POSITIVE,
  "optimizer.clip": POSITIVE,
  "rsft.threshold": SHARE,
  "rsft.memory": POSITIVE,
  "schedule.iterations": SEVERAL,
  "schedule.harnessOnlyIterations": SEVERAL,
  "adaptive.weights.window": NATURAL,
  "adaptive.weights.burnIn": NATURAL,
  "schedule.stagewiseSteps": NATURAL,
  "schedule.stagewiseIterations": NATURAL,
  "search.confirm": NATURAL,
  // A prompt that beats its parent costs one pass, and the minibatches come on top.
  "fst.passes": SEVERAL,
  "fst.anchor": NATURAL,
  "proposer.minutes": POSITIVE,
  "proposer.retries": NATURAL,
  "evaluation.confidence": INNER_SHARE,
};

/** Texts that must be one of a list. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  "tasks.pooling": ["", "mean", "cls", "last"],
  "rollout.thinking": ["", "on", "off"],
  condition: CONDITIONS,
  preset: PRESETS,
  "proposer.kind": PROPOSERS,
  "proposer.format": ENDPOINT_FORMATS,
};

/** A refused address is not repeated: the likeliest slip is a key in it. */
function checkEndpoint(endpoint: JsonValue | undefined): void {
  if (endpoint === undefined || endpoint === "") return;
  const url = typeof endpoint === "string" && URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const isPlain = url !== undefined && url.username + url.password + url.search + url.hash === "";
  if (!isPlain || !/^https?:$/.test(url.protocol))
    throw new ConfigError(
      "proposer.endpoint: expected an http(s) address without user, password, query and fragment; " +
        "a key goes into the environment",
    );
}

function checkRange(path: string, value: JsonValue): void {
  const choices = CHOICES[path];
  if (choices !== undefined && !(typeof value === "string" && choices.includes(value)))
    throw new ConfigError(
      `${path}: expected one of ${choices.map((choice) => choice || '""').join(", ")}, got ${JSON.stringify(value)}`,
    );
  if (typeof value !== "number") return;
  const range = RANGES[path] ?? RANGES[path.split(".")[0] ?? ""] ?? COUNT;
  if (!range.holds(value)) throw new ConfigError(`${path}: expected ${range.text}, got ${String(value)}`);
}

function readValue(path: string, value: JsonValue, current: JsonValue): JsonValue {
  if (typeof value === typeof current) return value;
  if (typeof value === "string" && typeof current === "number" && value.trim() !== "" && !Number.isNaN(Number(value)))
    return Number(value);
  if (typeof current === "boolean" && (value === "true" || value === "false")) return value === "true";
  throw new ConfigError(`${path}: expected a ${typeof current}, got ${JSON.stringify(value)}`);
}

function unknownKey(path: string, known: readonly string[]): ConfigError {
  const lastPart = path.split(".").at(-1) ?? path;
  const near = known
    .map((key) => ({
      key,
      far: Math.min(editDistance(path, key), editDistance(lastPart, key.split(".").at(-1) ?? key)),
    }))
    .filter(({ key, far }) => far <= 3 || key.startsWith(`${path}.`))
    .sort((a, b) => a.far - b.far || (a.key < b.key ? -1 : 1))
    .slice(0, 5)
    .map(({ key }) => key);
  const hint = near.length > 0 ? `; near it: ${near.join(", ")}` : `; groups: ${groups(known).join(", ")}`;
  return new ConfigError(`unknown setting ${JSON.stringify(path)}${hint}`);
}

function groups(known: readonly string[]): string[] {
  return [...new Set(known.map((key) => key.split(".")[0] ?? key))];
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

function rebuild(shape: JsonObject, leaves: ReadonlyMap<string, JsonValue>, prefix: string): JsonObject {
  return Object.fromEntries(
    Object.entries(shape).map(([key, value]) => {
      const path = prefix + key;
      return [key, isJsonObject(value) ? rebuild(value, leaves, `${path}.`) : leaves.get(path)];
    }),
  );
}

function freeze<T extends JsonObject>(value: T): T {
  for (const field of Object.values(value)) if (isJsonObject(field)) freeze(field);
  return Object.freeze(value);
}
