/** A made-up run for tests of the report: two weight phases around a harness phase, with hostile text in every field. */
import type { CurvePoint } from "../../src/experiment/summary.ts";
import { TRACE_VERSION, type RolloutTrace, type TraceStep } from "../../src/rollout/trace.ts";
import type { RunRecord } from "../../src/report/run-record.ts";

/** Markup that must never reach the page as markup. */
export const HOSTILE = `</pre><script>alert("x")</script>&amp;`;

const H0 = `export const USER_PROMPT = "Solve the problem. {question}";

export async function solve(task, env) {
  const reply = await env.chat([{ role: "user", content: USER_PROMPT.replace("{question}", task.question) }]);
  const code = parseCode(reply.text);
  if (code === null) return parseAnswer(reply.text);
  const result = await env.tools.run(code);
  return parseAnswer(reply.text);
}

function parseCode(text) {
  const match = /<code>(.*?)<\\/code>/.exec(text);
  return match ? match[1] : null;
}

function parseAnswer(text) {
  const match = /boxed\\{(.*?)\\}/.exec(text);
  return match ? match[1] : null;
}
`;

const H5 = H0.replace("Solve the problem.", "Write <code> that prints the answer.").replace(
  "  return parseAnswer(reply.text);\n}\n\nfunction parseCode",
  `  const next = await env.chat([
    { role: "user", content: USER_PROMPT.replace("{question}", task.question) },
    { role: "assistant", content: reply.text },
    { role: "user", content: \`Output: \${result}\` },
  ], { prefill: "\\\\boxed{" });
  return parseAnswer(next.text);
}

function parseCode`,
);

/** One evaluated point; intervals are 6 points to each side. */
export function curvePoint(rollouts: number, phase: CurvePoint["phase"], scores: [number, number]): CurvePoint {
  const around = (meanAt8: number): CurvePoint["test"] => ({
    meanAt8,
    low: Math.max(0, meanAt8 - 0.06),
    high: Math.min(1, meanAt8 + 0.06),
  });
  const cycle = phase === "base" ? 0 : rollouts > 2000 ? 2 : 1;
  const harness = rollouts > 1000 ? "p2-h5" : "h0";
  const step = Math.round(rollouts / 256);
  return { rollouts, cycle, phase, step, harness, validation: around(scores[0]), test: around(scores[1]) };
}

/** One rollout with the given messages. */
function trace(harness: string, steps: readonly TraceStep[], reward: number): RolloutTrace {
  return {
    version: TRACE_VERSION,
    task: "a41c9e77b2",
    harness,
    key: "k",
    steps,
    outcome: "judged",
    detail: "",
    message: "",
    returned: "84",
    reward,
    reason: reward > 0.5 ? "correct" : "no boxed answer",
    sequences: [],
    usage: { tokens: 41, turns: steps.filter((step) => step.kind === "chat").length, toolCalls: 1, fuel: 2 },
  };
}

function chat(content: string, text: string, prefill = ""): TraceStep {
  const messages = [{ role: "user", content }] as const;
  return { kind: "chat", messages, prefill, text, ids: [1], logprobs: [-0.5], promptTokens: 9, finish: "end" };
}

const QUESTION = "A shelf has 12 boxes with 3 + 4 books each. How many books are there?";

/** The run; `overrides` replaces whole fields. */
export function syntheticRecord(overrides: Partial<RunRecord> = {}): RunRecord {
  const base = curvePoint(0, "base", [0.22, 0.214]);
  const curve = [
    base,
    curvePoint(1280, "weights", [0.36, 0.341]),
    curvePoint(2048, "harness", [0.55, 0.531]),
    curvePoint(3328, "weights", [0.64, 0.618]),
    curvePoint(4096, "harness", [0.63, 0.655]),
    curvePoint(5120, "weights", [0.7, 0.688]),
  ];
  const last = curve.at(-1);
  return {
    folder: "runs/math-reasoning-whale-toy-seed0",
    domain: "math-reasoning",
    condition: "whale",
    preset: "toy",
    seed: 0,
    model: "tiny",
    modelHash: "5a61c0ffee",
    device: "cpu",
    isComplete: true,
    confidence: 0.95,
    curve,
    base,
    chosen: last,
    final: last,
    bestOnTest: last,
    grid: undefined,
    confirmations: [],
    phases: [
      { kind: "weights", cycle: 1, from: 0, to: 1280 },
      { kind: "harness", cycle: 1, from: 1280, to: 2048 },
      { kind: "weights", cycle: 2, from: 2048, to: 3328 },
      { kind: "harness", cycle: 2, from: 3328, to: 4096 },
      { kind: "weights", cycle: 3, from: 4096, to: 5120 },
    ],
    steps: [256, 512, 768, 1024, 1280, 2304, 2560, 2816, 3072, 3328, 4352, 4608, 4864, 5120].map((rollouts, i) => ({
      rollouts,
      phase: i < 5 ? 1 : i < 10 ? 3 : 5,
      step: i + 1,
      reward: 0.2 + 0.035 * i + 0.02 * Math.sin(i * 3),
      accepted: 0.19 + 0.035 * i + 0.02 * Math.sin(i * 3),
      length: 46 - 1.2 * i + 3 * Math.sin(i * 2),
      clipped: Math.max(0, 0.18 - 0.015 * i),
    })),
    candidates: [
      {
        name: "p2-h1",
        parent: "h0",
        cycle: 1,
        axis: "prompt",
        hypothesis: "Naming the answer format leaves fewer answers unread",
        mechanisms: ["phrase"],
        score: 0.36,
        refused: "",
        gain: { mean: 0.02, low: -0.04, high: 0.07 },
        isAccepted: false,
      },
      {
        name: "p2-h5",
        parent: "h0",
        cycle: 1,
        axis: "turns",
        hypothesis: "Showing the tool's output before the answer removes guessing",
        mechanisms: ["feedback turn", "prefill"],
        score: 0.54,
        refused: "",
        gain: { mean: 0.18, low: 0.1, high: 0.25 },
        isAccepted: true,
      },
      {
        name: "p2-h6",
        parent: "p2-h5",
        cycle: 1,
        axis: "recovery",
        hypothesis: `Answers from the code when the model is silent ${HOSTILE}`,
        mechanisms: [],
        score: undefined,
        refused: `null-model: scores 31 % without a model ${HOSTILE}`,
        gain: undefined,
        isAccepted: false,
      },
    ],
    harness: { before: H0, after: H5, name: "p2-h5" },
    transcripts: [
      {
        before: trace("h0", [chat(QUESTION, `It is 12 + 7 ${HOSTILE}`)], 0),
        after: trace(
          "p2-h5",
          [
            chat(QUESTION, "<code>print(12*(3+4))</code>"),
            { kind: "tool", name: "run", args: ["print(12*(3+4))"], ok: true, result: '"84"' },
            { kind: "note", text: HOSTILE },
            chat("Output: 84", "84}", "\\boxed{"),
          ],
          1,
        ),
      },
    ],
    ledger: {
      rollouts: { weights: 3584, harness: 1536, evaluation: 7680 },
      tokensSampled: 512345,
      tokensTrained: 81234,
      toolCalls: 9001,
      candidates: { proposed: 18, refused: 3, evaluated: 15 },
      proposerTokens: 0,
    },
    config: { preset: "toy", seed: 0, rsft: { prompts: 32, samples: 8, threshold: 0.5 }, note: HOSTILE },
    ...overrides,
  };
}
