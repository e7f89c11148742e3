import { expect, test } from "vitest";
import { DeviceError } from "../../src/base/errors.ts";
import { runRollout, type RolloutRequest } from "../../src/rollout/episode.ts";
import { runRollouts } from "../../src/rollout/pool.ts";
import { redactedJson } from "../../src/rollout/redact.ts";
import type { RolloutTrace } from "../../src/rollout/trace.ts";
import { bytes, END, FAKE_CODEC, START } from "../support/fake-codec.ts";
import { FAKE_DOMAIN, fakeTask } from "../support/fake-domain.ts";
import { scriptedCompleter, type ScriptedReply } from "../support/scripted-completer.ts";
import { useSandbox } from "../support/use-sandbox.ts";

const sandbox = useSandbox();

type Script = readonly (string | ScriptedReply)[];

function request(body: string, script: Script, extra: Partial<RolloutRequest> = {}): RolloutRequest {
  return {
    domain: FAKE_DOMAIN,
    task: fakeTask(5),
    harness: { source: `export async function solve(task, env) { ${body} }`, hash: "h" },
    codec: FAKE_CODEC,
    completer: scriptedCompleter(script),
    sandbox,
    key: "k",
    ...extra,
  };
}

function play(body: string, script: Script = ["[13]"], extra: Partial<RolloutRequest> = {}): Promise<RolloutTrace> {
  return runRollout(request(body, script, extra));
}

const ASK = `const user = (content) => ({ role: "user", content });`;

test("runRollout judges what solve returned and records the call", async () => {
  const completer = scriptedCompleter(["[13]"]);
  const trace = await play(
    `${ASK} env.note("asking"); const r = await env.chat([user(task.question)], { maxTokens: 20, stop: ["]"] });
     return r.finish === "end" && r.tokens === 5 ? r.text.slice(1, -1) : "";`,
    [],
    { completer },
  );
  expect(trace).toMatchObject({
    outcome: "judged",
    reward: 1,
    reason: "correct",
    returned: "13",
    detail: "",
    harness: "h",
  });
  expect(trace.usage).toMatchObject({ tokens: 5, turns: 1, toolCalls: 0 });
  expect(trace.steps.map(({ kind }) => kind)).toEqual(["note", "chat"]);
  expect(completer.requests[0]).toMatchObject({
    maxTokens: 20,
    stop: ["]"],
    stream: ["k", "call", 0],
    conversation: "k",
  });
  expect(completer.released).toEqual(["k"]);
});

test("turns that extend each other make one sequence whose mask marks sampled ids alone", async () => {
  const trace = await play(
    `${ASK} const messages = [user("a")];
     const r = await env.chat(messages, { prefill: "P" });
     messages.push({ role: "assistant", content: r.text }, user("b"));
     return (await env.chat(messages)).text;`,
    ["xy", { text: "z", finish: "length" }],
  );
  const head = [START, ...bytes("user\na"), END, ...bytes("\n"), START, ...bytes("assistant\nP")];
  const middle = [...bytes("\n"), START, ...bytes("user\nb"), END, ...bytes("\n"), START, ...bytes("assistant\n")];
  const ids = [...head, ...bytes("xy"), END, ...middle, ...bytes("z")];
  const zeros = (list: readonly number[]): number[] => list.map(() => 0);
  expect(trace.sequences).toEqual([
    {
      ids,
      mask: [...zeros(head), 1, 1, 1, ...zeros(middle), 1],
      logprobs: [...zeros(head), -1 / 8, -2 / 8, -3 / 8, ...zeros(middle), -1 / 8],
    },
  ]);
});

test("a harness that rewrites the history starts a new sequence, in which earlier replies are context", async () => {
  const trace = await play(
    `${ASK} const r = await env.chat([user("a")]);
     return (await env.chat([user("other"), { role: "assistant", content: r.text }, user("b")])).text;`,
    ["xy", "z"],
  );
  expect(trace.sequences.map(({ mask }) => mask.filter(Boolean).length)).toEqual([3, 2]);
});

test("sampled ids are spliced in by content, each reply's own", async () => {
  const codec = { ...FAKE_CODEC, decode: () => "same", encode: bytes };
  let calls = 0;
  const completer = {
    complete: () =>
      Promise.resolve({ ids: [65 + calls++, END], logprobs: [0, 0], text: "same", finish: "end" as const }),
    release: () => undefined,
  };
  const trace = await play(
    `${ASK} const m = [user("a")];
     for (let i = 0; i < 3; i++) m.push({ role: "assistant", content: (await env.chat(m)).text }, user("b"));`,
    [],
    { codec, completer },
  );
  const [sequence] = trace.sequences;
  expect(trace.sequences).toHaveLength(1);
  expect(sequence?.ids.filter((_, t) => sequence.mask[t] === 1)).toEqual([65, END, 66, END, 67, END]);
});

test.each([
  ["tokens", `for (;;) await env.chat([{ role: "user", content: "a" }]);`, "tokens"],
  ["turns", `for (;;) await env.chat([{ role: "user", content: "a" }], { maxTokens: 1 });`, "turns"],
  ["tool calls", `for (;;) await env.tools.add(1, 2);`, "tool-calls"],
  [
    "turns, though the harness catches the error",
    `for (let i = 0; i < 9; i++) try { await env.chat([{ role: "user", content: "a" }], { maxTokens: 1 }); } catch {} return "x";`,
    "turns",
  ],
])("a harness that asks for more %s than the limit ends as limit", async (_, body, detail) => {
  const trace = await play(body, ["x".repeat(200)]);
  expect(trace).toMatchObject({ outcome: "limit", detail, reward: 0, returned: undefined });
  expect(trace.usage.tokens).toBeLessThanOrEqual(100);
});

test("env.budget tells what is left, and maxTokens is cut to it", async () => {
  const trace = await play(
    `${ASK} const seen = [env.budget]; await env.chat([user("a")]); await env.tools.add(1, 2); seen.push(env.budget);
     env.note(JSON.stringify(seen)); while (env.budget.tokens > 0) await env.chat([user("a")]); return "";`,
    ["x".repeat(59)],
  );
  expect(trace).toMatchObject({ outcome: "judged", usage: { tokens: 100, turns: 2, toolCalls: 1 } });
  const note = trace.steps.find(({ kind }) => kind === "note");
  expect(note?.kind === "note" && (JSON.parse(note.text) as unknown)).toEqual([
    { tokens: 100, turns: 4, toolCalls: 3 },
    { tokens: 40, turns: 3, toolCalls: 2 },
  ]);
});

test.each([
  ["no array", `env.chat("hi")`, "messages must be an array"],
  ["no messages", `env.chat([])`, "1 to 200 messages"],
  ["a wrong role", `env.chat([{ role: "tool", content: "" }])`, "messages[0].role must be one of"],
  ["content that is no text", `env.chat([{ role: "user", content: 5 }])`, "messages[0].content must be text, got 5"],
  ["an assistant's message at the end", `env.chat([{ role: "assistant", content: "x" }])`, "use the option prefill"],
  [
    "a sampling parameter",
    `env.chat([{ role: "user", content: "" }], { temperature: 0 })`,
    "unknown option temperature",
  ],
  ["a bad limit", `env.chat([{ role: "user", content: "" }], { maxTokens: 0 })`, "maxTokens must be a whole number"],
  ["an empty stop", `env.chat([{ role: "user", content: "" }], { stop: [""] })`, "stop must be"],
  ["a bad tool argument", `env.tools.add("1")`, "add: takes two numbers"],
  ["a note that is no text", `env.note({})`, "env.note: takes one text"],
])("a call with %s is an error that names what is wrong", async (_, call, message) => {
  const trace = await play(`await ${call}; return "";`);
  expect(trace).toMatchObject({ outcome: "fault", detail: "thrown", reward: 0 });
  expect(trace.message).toContain(message);
});

test.each([
  ["a number", "return 13;"],
  ["null", "return null;"],
  ["an object", "return { answer: '13' };"],
  ["a function", "return () => 1;"],
])("solve returning %s is a bad return", async (_, body) => {
  expect(await play(body)).toMatchObject({ outcome: "bad-return", reward: 0 });
});

test.each([
  ["computed without a model", `return String(5 + 8);`, "provenance"],
  [
    "taken from a tool",
    `await env.chat([{ role: "user", content: "a" }]); return String(await env.tools.add(5, 8));`,
    "provenance",
  ],
  [
    "that lies inside the prefill",
    `await env.chat([{ role: "user", content: "a" }], { prefill: "[13]" }); return "13";`,
    "provenance",
  ],
  [
    "that the model finished",
    `await env.chat([{ role: "user", content: "a" }], { prefill: "[1" }); return "13";`,
    "judged",
  ],
  [
    "put together from two replies",
    `for (const i of [1, 2]) await env.chat([{ role: "user", content: "a" }]); return "33";`,
    "provenance",
  ],
])("an answer %s ends as it should", async (_, body, outcome) => {
  expect(await play(body, ["3"])).toMatchObject({ outcome, reward: outcome === "judged" ? 1 : 0 });
});

test("a completer that fails rejects the rollout, whatever the harness does with the error", async () => {
  const released: string[] = [];
  const completer = {
    complete: () => Promise.reject(new DeviceError("gone")),
    release: (key: string) => void released.push(key),
  };
  const body = `try { await env.chat([{ role: "user", content: "a" }]); } catch {} return "";`;
  await expect(play(body, [], { completer })).rejects.toThrow(DeviceError);
  expect(released).toEqual(["k"]);
});

test("calls made at once run in order on streams of their own", async () => {
  const completer = scriptedCompleter(["a", "b", "c"]);
  const trace = await play(
    `${ASK} const all = await Promise.all([1, 2, 3].map((n) => env.chat([user(String(n))], { maxTokens: 5 }))); return all.map((r) => r.text).join("");`,
    [],
    { completer },
  );
  expect(trace).toMatchObject({ returned: "abc", outcome: "provenance" });
  expect(completer.requests.map(({ stream }) => stream[2])).toEqual([0, 1, 2]);
  expect(trace.sequences).toHaveLength(3);
});

test("runRollouts keeps the order of requests and repeats itself", async () => {
  const body = `${ASK} const r = await env.chat([user(task.question)]); return Math.random() < 0.5 ? r.text : "";`;
  const make = (): RolloutRequest[] =>
    Array.from({ length: 20 }, (_, n) =>
      request(body, [`[${String(n)}]`], { key: `k${String(n)}`, task: fakeTask(n) }),
    );
  const traces = await runRollouts(make(), { concurrency: 7 });
  expect(traces.map(({ key }) => key)).toEqual(Array.from({ length: 20 }, (_, n) => `k${String(n)}`));
  expect(await runRollouts(make())).toEqual(traces);
});

test("a redacted trace holds no task id, key, token ids or gold answer", async () => {
  const trace = await play(`${ASK} return (await env.chat([user(task.question)])).text;`, ["12"]);
  const text = JSON.stringify(redactedJson(trace));
  for (const secret of [trace.task, '"key"', '"ids"', '"logprobs"', '"13"', "gold"]) expect(text).not.toContain(secret);
  expect(text).toContain("5+8");
});
