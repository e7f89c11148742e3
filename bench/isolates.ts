/** A whole isolate from start to end; the slowest of the guests that try to block the process; a thousand of them suspended at once, and what one host call then costs. */
import type { Sandbox } from "../src/sandbox/isolate.ts";
import { createSandbox } from "../src/sandbox/quickjs-sandbox.ts";
import { NATIVE_LIMITS, NATIVE_OPERATIONS } from "../tests/support/native-operations.ts";
import type { Figure } from "./main.ts";
import { fastestOf } from "./timing.ts";

const ISOLATES = 1000;
const CALLS = 10;
const BATCH = 100;
const SOURCE = `export async function solve(env) { for (let i = 0; i < ${String(CALLS)}; i += 1) await env.wait(i); return 1; }`;
const LIMITS = { fuel: 1000, memory: 16 << 20, stack: 256 << 10, output: 10_000, hostCalls: 1000 };

/** Time a host call and memory of suspended isolates. */
export async function benchIsolates(): Promise<readonly Figure[]> {
  using sandbox = await createSandbox();
  const whole = await timeWhole(sandbox);
  const waiting: (() => void)[] = [];
  const wait = (): Promise<undefined> =>
    new Promise((resolve) => {
      waiting.push(() => {
        resolve(undefined);
      });
    });
  const began = performance.now();
  const runs = Array.from({ length: ISOLATES }, (_, i) =>
    sandbox.run({ source: SOURCE, entry: "solve", args: [], host: { wait }, limits: LIMITS, seed: String(i) }),
  );
  await settled(() => waiting.length === ISOLATES);
  const created = performance.now();
  const alive = sandbox.alive();
  for (let call = 0; call < CALLS; call += 1) {
    for (const resume of waiting.splice(0)) resume();
    if (call < CALLS - 1) await settled(() => waiting.length === ISOLATES);
  }
  const outcomes = await Promise.all(runs);
  const finished = performance.now();
  if (alive !== ISOLATES || outcomes.some(({ ok }) => !ok)) throw new TypeError("bench: an isolate did not finish");
  const blocked = await timeSlowest(sandbox);
  const bench = "isolates";
  return [
    { bench, figure: "whole isolate with one host call", value: whole, unit: "ms", limit: "<= 0.5" },
    { bench, figure: "create and run to the first call", value: (created - began) / ISOLATES, unit: "ms" },
    {
      bench,
      figure: `host call with ${String(ISOLATES)} suspended`,
      value: (finished - created) / (ISOLATES * CALLS),
      unit: "ms",
      limit: "<= 0.2",
    },
    { bench, figure: "slowest hostile native operation until its end", value: blocked, unit: "s", limit: "<= 10" },
  ];
}

/** Milliseconds of an isolate that makes one host call, alone in the sandbox; the best of several batches. */
async function timeWhole(sandbox: Sandbox): Promise<number> {
  const source = "export async function solve(task, env) { return (await env.chat([task])).text; }";
  const host = { chat: () => Promise.resolve({ text: "42" }) };
  const batch = async (): Promise<void> => {
    for (let i = 0; i < BATCH; i += 1)
      await sandbox.run({ source, entry: "solve", args: [i], host, limits: LIMITS, seed: String(i) });
  };
  const { batch: seconds } = await fastestOf({ batch }, 5);
  return (seconds * 1000) / BATCH;
}

/** Seconds until the last to end of the guests that try to block the process, each run alone, has ended. */
async function timeSlowest(sandbox: Sandbox): Promise<number> {
  let slowest = 0;
  for (const [name, body] of NATIVE_OPERATIONS) {
    const source = `export function solve() { ${body} }`;
    const start = performance.now();
    const outcome = await sandbox.run({
      source,
      entry: "solve",
      args: [],
      host: {},
      limits: NATIVE_LIMITS,
      seed: name,
    });
    slowest = Math.max(slowest, (performance.now() - start) / 1000);
    if (outcome.ok) throw new TypeError(`bench: the hostile guest "${name}" came to a value`);
  }
  return slowest;
}

async function settled(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise((resolve) => setImmediate(resolve));
}
