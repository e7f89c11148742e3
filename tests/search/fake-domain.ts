/**
 * A made-up domain for search tests: a small harness, its mechanisms, and an evaluator that never runs it. The evaluator
 * reads features off the source and plays a rollout as a chain of chances (the tool is called, the call is well formed,
 * it runs, an answer follows, the answer is right), each of which some features change, so that causes, interactions and
 * noise come from one model. Every task has its own stream, shared by all candidates.
 */
import { createRng } from "../../src/base/rng.ts";
import type { RolloutTrace } from "../../src/rollout/trace.ts";
import type { Candidate, Evaluation, Proposer } from "../../src/search/candidate.ts";
import type { SearchSpace } from "../../src/search/mechanisms/mechanism.ts";
import { createSearch, type Search, type SearchOptions } from "../../src/search/scheduler.ts";
import { scoreOf } from "../../src/search/selection.ts";
import { parseHarness } from "../../src/search/syntax/harness-tree.ts";

export const FAKE_H0: string = String.raw`export const SYSTEM_PROMPT = "Be brief.";
export const USER_PROMPT = "{question} Answer in <answer></answer>.";
export const MAX_TURNS = 2;

// The call in a reply.
function parseCall(text) {
  const match = /<call>([^<]*)<\/call>/.exec(text);
  return match ? match[1] : undefined;
}

function parseAnswer(text) {
  const match = /<answer>([^<]*)<\/answer>/.exec(text);
  return match ? match[1] : undefined;
}

function mendCall(call) {
  return call;
}

export async function solve(task, env) {
  const messages = [
    { role: "system", content: SYSTEM_PROMPT },
    { role: "user", content: USER_PROMPT.replace("{question}", task.question) },
  ];
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const reply = await env.chat(messages);
    messages.push({ role: "assistant", content: reply.text });
    const call = parseCall(reply.text);
    if (call === undefined) return parseAnswer(reply.text);
    const result = await env.tools.look(mendCall(call));
    messages.push({ role: "user", content: "Result: " + result });
  }
  return undefined;
}
`;

const variant = (target: string, addresses: readonly string[], body: string) => ({
  target,
  axis: "parsing",
  addresses,
  hypothesis: `${target} does better so.`,
  source: `function ${target}(text) {\n  ${body}\n}`,
});

export const FAKE_SPACE: SearchSpace = {
  seedHarness: FAKE_H0,
  axes: ["prompt text", "worked example", "parsing", "retry", "turn budget", "prefill", "tool feedback"],
  causes: ["tool never called", "malformed tool call", "tool error", "no answer", "wrong value"],
  limits: { tokens: 400, turns: 8, toolCalls: 8, fuel: 100, memory: 1e6 },
  phrases: {
    SYSTEM_PROMPT: ["Be kind.", "Think.", "Write <call>x</call> to look it up.", "You know a lot.", "Take care."],
    USER_PROMPT: [
      "{question} Say it in <answer></answer>.",
      "Q: {question}",
      "{question} Use <call></call>.",
      "{question}!",
    ],
  },
  variants: [
    variant(
      "parseCall",
      ["malformed tool call"],
      'return text.includes("<call") ? text.slice(6) : undefined; // lenient',
    ),
    variant("parseCall", ["malformed tool call"], "return text.trim(); // everything"),
    variant("mendCall", ["tool error"], 'return text.replace(/;$/, ""); // mended'),
    variant("mendCall", ["tool error"], "return text.toLowerCase(); // lower"),
    variant("mendCall", ["tool error"], "return text.trim(); // trimmed"),
    variant("parseAnswer", ["no answer"], "return text; // all"),
    variant("parseAnswer", ["no answer", "wrong value"], 'return text.split(" ").pop(); // last word'),
  ],
};

/** Chances of the five steps of a rollout, from the features of a source. */
function chancesOf(source: string): number[] {
  const { constants } = parseHarness(source);
  const text = (name: string): string => String(constants.get(name)?.value ?? "");
  const turns = Number(constants.get("MAX_TURNS")?.value ?? 2);
  const has = (part: string): boolean => source.includes(part);
  const isNamed = /<call>/.test(text("SYSTEM_PROMPT") + text("USER_PROMPT"));
  const isShown = has("EXAMPLE") || text("SYSTEM_PROMPT").includes("Example:");
  const opens = has("FIRST_PREFILL") && constants.get("FIRST_PREFILL")?.value === "<call>";
  const called = opens ? 0.97 : isShown ? 0.9 : isNamed ? 0.75 : 0.4;
  const formed = has("// everything") ? 0.3 : has("// lenient") ? 0.95 : opens ? 0.8 : 0.6;
  const runs = has("// mended") ? 0.95 : has("// lower") ? 0.5 : 0.75;
  // A second chance needs turns to happen in.
  const recovers = has("RETRY_PROMPT") && turns >= 3 ? 0.5 : has("ATTEMPTS") ? 0.4 : 0;
  const closes = /LATER_PREFILL = "<answer>"/.test(source) ? 0.95 : 0.7;
  const answered = closes + (1 - closes) * recovers;
  const right = has("// all") || has("// last word") ? 0.5 : has("answers.push") ? 0.95 : 0.85;
  return [called, formed, runs, answered, right];
}

const DRAWS = new Map<string, readonly number[]>();

/** The luck of a task at each step, the same for every harness. */
function drawsOf(seed: number, task: number): readonly number[] {
  const key = `${String(seed)} ${String(task)}`;
  const known = DRAWS.get(key);
  if (known) return known;
  const rng = createRng(seed, "task", task);
  const draws = Array.from({ length: 5 }, () => rng.uniform());
  DRAWS.set(key, draws);
  return draws;
}

/** Plays `tasks` tasks; `seed` names the task set. */
export function evaluateFake(source: string, seed: number, tasks = 128): Evaluation {
  const chances = chancesOf(source);
  const causes: Record<string, number> = {};
  const rewards = Array.from({ length: tasks }, (_, task) => {
    const draws = drawsOf(seed, task);
    const failed = chances.findIndex((chance, step) => (draws[step] as number) >= chance);
    const cause = FAKE_SPACE.causes[failed];
    if (cause !== undefined) causes[cause] = (causes[cause] ?? 0) + 1;
    return failed < 0 ? 1 : 0;
  });
  const turns = Number(parseHarness(source).constants.get("MAX_TURNS")?.value ?? 2);
  return { rewards, meanTurns: turns, meanTokens: 10 * turns, causes, traces: [solvedTrace()] };
}

/** What a perfect evaluation of `source` would give. */
export function expectedReward(source: string): number {
  return chancesOf(source).reduce((a, b) => a * b, 1);
}

/** A solved rollout: question, call, result, answer. */
export function solvedTrace(): RolloutTrace {
  const ask = [{ role: "user", content: "How many? Answer in <answer></answer>." }] as const;
  const call = { role: "assistant", content: "<call>count</call>" } as const;
  const result = { role: "user", content: "Result: 12" } as const;
  const chat = { kind: "chat", prefill: "", ids: [1, 2], logprobs: [-1, -1], promptTokens: 9, finish: "end" } as const;
  return {
    version: 1,
    task: "secret-task-id",
    harness: "h0",
    key: "secret-key",
    steps: [
      { ...chat, messages: ask, text: call.content },
      { kind: "tool", name: "look", args: ["count"], ok: true, result: "12" },
      { ...chat, messages: [...ask, call, result], text: "<answer>12</answer>" },
    ],
    outcome: "judged",
    detail: "",
    message: "",
    returned: "12",
    reward: 1,
    reason: "correct",
    sequences: [{ ids: [1], mask: [1], logprobs: [-1] }],
    usage: { tokens: 4, turns: 2, toolCalls: 1, fuel: 1 },
  };
}

/** Runs one round of a search on the fake evaluator; gives the candidates that were evaluated. */
export async function playRound(search: Search, seed: number): Promise<readonly Candidate[]> {
  const asked = await search.ask();
  for (const { name, source } of asked) search.tell(name, evaluateFake(source, seed));
  return asked;
}

/** Runs h0 and `iterations` iterations. */
export async function playSearch(
  proposer: Proposer,
  seed: number,
  options: Partial<SearchOptions> & { readonly iterations?: number } = {},
): Promise<Search> {
  const { iterations = 6, ...rest } = options;
  const search = createSearch({
    incumbentSource: FAKE_H0,
    proposer,
    patience: { min: 0, patience: 2, max: iterations },
    ...rest,
  });
  while (!search.stopped()) await playRound(search, seed);
  return search;
}

/** Score of a search's incumbent in expectation, free of the noise it was chosen by. */
export function trueScore(search: Search): number {
  const incumbent = search.incumbent();
  return incumbent && scoreOf(incumbent) > 0 ? expectedReward(incumbent.source) : 0;
}
