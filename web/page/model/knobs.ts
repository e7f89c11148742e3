/**
 * The settings that the page offers beside domain, condition, preset and seed: what each is called, what it does in words
 * a student knows, the field's term, and in which conditions it does nothing.
 */
import { CONDITION_TABLE, type ConditionName } from "../../../src/index.ts";

/** One setting. */
export type Knob = {
  /** Dotted path in the config, as `--set` takes it. */
  readonly path: string;
  readonly label: string;
  /** The paper's letter or the field's name. */
  readonly term: string;
  /** What it does, in one or two sentences. */
  readonly hint: string;
  readonly group: "weights" | "harness" | "both";
  readonly kind: "count" | "number" | "choice" | "flag";
  readonly min?: number;
  /** Why it does nothing under `condition`; empty where it does something. */
  readonly idle: (condition: ConditionName) => string;
};

const never = (): string => "";

const needsWeights = (condition: ConditionName): string =>
  CONDITION_TABLE[condition].weights ? "" : "This condition trains no weights.";

const needsHarness = (condition: ConditionName): string =>
  CONDITION_TABLE[condition].harness ? "" : "This condition searches no harness.";

const needsTurns = (condition: ConditionName): string => {
  const { weights, harness, adaptive, order } = CONDITION_TABLE[condition];
  if (!weights) return "This condition trains no weights.";
  if (!harness) return "";
  if (adaptive) return "Here each phase ends by its own patience.";
  if (order === "fast-slow") return "Here the published algorithm sets the lengths.";
  return order === "stagewise" ? "Here there is one long weight phase." : "";
};

const needsAdaptive = (condition: ConditionName): string =>
  CONDITION_TABLE[condition].adaptive ? "" : "Only the condition “adaptive” ends phases by patience.";

const needsRounds = (condition: ConditionName): string => {
  const missing = needsHarness(condition);
  if (missing !== "") return missing;
  if (!CONDITION_TABLE[condition].weights) return "Harness-only has its own number of rounds, below.";
  if (CONDITION_TABLE[condition].order === "fast-slow") return "Here the published algorithm sets the lengths.";
  return CONDITION_TABLE[condition].adaptive ? "Here each phase ends by its own patience." : "";
};

const needsHarnessOnly = (condition: ConditionName): string =>
  condition === "harness-only" ? "" : "Only the condition “harness-only” uses this.";

/** In the order of the page. */
export const KNOBS: readonly Knob[] = [
  {
    path: "schedule.totalSteps",
    label: "Training steps in all",
    term: "total RSFT steps",
    hint: "The budget of learning. Each step plays a batch of tasks, keeps the right answers and learns from them.",
    group: "weights",
    kind: "count",
    min: 1,
    idle: needsWeights,
  },
  {
    path: "schedule.phaseSteps",
    label: "Steps before the harness’s turn",
    term: "E, length of a weight phase",
    hint: "How many training steps the weights get before the harness may change.",
    group: "weights",
    kind: "count",
    min: 1,
    idle: needsTurns,
  },
  {
    path: "rsft.prompts",
    label: "Tasks in a step",
    term: "B, prompts a batch",
    hint: "Different tasks played in one training step.",
    group: "weights",
    kind: "count",
    min: 1,
    idle: needsWeights,
  },
  {
    path: "rsft.samples",
    label: "Tries at each task",
    term: "n, rollouts a prompt",
    hint: "More tries find a right answer to a hard task more often, and cost as much more.",
    group: "weights",
    kind: "count",
    min: 1,
    idle: needsWeights,
  },
  {
    path: "optimizer.lr",
    label: "Learning rate",
    term: "AdamW learning rate",
    hint: "How far the weights move in one step. Too small: nothing happens. Too large: the model forgets how to speak.",
    group: "weights",
    kind: "number",
    min: 0,
    idle: needsWeights,
  },
  {
    path: "adapter.rank",
    label: "Size of the adapter",
    term: "LoRA rank",
    hint: "Training changes a small add-on to each layer; this is its width.",
    group: "weights",
    kind: "count",
    min: 1,
    idle: needsWeights,
  },
  {
    path: "schedule.iterations",
    label: "Rounds of a search",
    term: "I, iterations of a harness phase",
    hint: "Rounds in which rewrites of the harness are tried; the first one only scores the harness that came in.",
    group: "harness",
    kind: "count",
    min: 2,
    idle: needsRounds,
  },
  {
    path: "schedule.harnessOnlyIterations",
    label: "Rounds in all",
    term: "I of harness-only",
    hint: "Rounds of the single long search, where no weights are trained.",
    group: "harness",
    kind: "count",
    min: 2,
    idle: needsHarnessOnly,
  },
  {
    path: "search.candidates",
    label: "Rewrites in a round",
    term: "M, candidates an iteration",
    hint: "How many rewritten harnesses compete in each round.",
    group: "harness",
    kind: "count",
    min: 1,
    idle: needsHarness,
  },
  {
    path: "search.samples",
    label: "Tries at each task",
    term: "rollouts a task and candidate",
    hint: "Every rewrite plays the same tasks with the same luck, this often each.",
    group: "harness",
    kind: "count",
    min: 1,
    idle: needsHarness,
  },
  {
    path: "search.racing",
    label: "Drop losers early",
    term: "racing",
    hint: "A rewrite that can no longer win stops before all its tasks are played.",
    group: "harness",
    kind: "flag",
    idle: needsHarness,
  },
  {
    path: "adaptive.weights.patience",
    label: "Patience with the weights",
    term: "patience of the weight phase, steps",
    hint: "A weight phase ends when its reward has not improved for this many steps.",
    group: "both",
    kind: "count",
    min: 1,
    idle: needsAdaptive,
  },
  {
    path: "adaptive.harness.patience",
    label: "Patience with the harness",
    term: "patience of the harness phase, rounds",
    hint: "A search ends when the best rewrite is this many rounds old.",
    group: "both",
    kind: "count",
    min: 1,
    idle: needsAdaptive,
  },
  {
    path: "sampling.temperature",
    label: "Temperature",
    term: "sampling temperature",
    hint: "0 always takes the likeliest token; 1 samples as the model believes.",
    group: "both",
    kind: "number",
    min: 0,
    idle: never,
  },
  {
    path: "tasks.validation",
    label: "Tasks to choose by",
    term: "validation split",
    hint: "The reported point is the best on these. More tasks give narrower bands and slower measuring.",
    group: "both",
    kind: "count",
    min: 1,
    idle: never,
  },
  {
    path: "tasks.test",
    label: "Tasks to report on",
    term: "test split",
    hint: "Never trained on, never chosen by.",
    group: "both",
    kind: "count",
    min: 1,
    idle: never,
  },
];

/** The conditions in words, for the menu. */
export const CONDITION_WORDS: Readonly<Record<ConditionName, { readonly name: string; readonly hint: string }>> = {
  whale: {
    name: "Both in turns",
    hint: "WHALE: weights and harness improve in turns, each for a fixed time.",
  },
  adaptive: {
    name: "Both, each while it helps",
    hint: "Adaptive WHALE: as above, but a phase ends when it stops helping.",
  },
  "weight-only": { name: "Weights only", hint: "The model learns; the first harness stays." },
  "harness-only": { name: "Harness only", hint: "The harness is rewritten; the model stays as it came." },
  stagewise: { name: "Weights, then harness", hint: "Stagewise: one long weight phase, then one long search." },
  "fst-native": {
    name: "Prompts ahead of weights",
    hint: "Fast–slow training as published: a set of prompts is searched on the coming tasks, then the weights learn under all of them.",
  },
  fst: { name: "Both, prompt text only", hint: "FST baseline: in turns, but rewrites may change prompt text only." },
};
