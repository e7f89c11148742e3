import { describe, expect, test, vi } from "vitest";
import type { GuestFault, GuestOutcome, IsolateLimits } from "../../src/sandbox/isolate.ts";
import { useSandbox } from "../support/use-sandbox.ts";

const LIMITS: IsolateLimits = { fuel: 100, memory: 16 * 2 ** 20, stack: 256 * 1024, output: 100_000, hostCalls: 50 };

// These tests count processor time or rollouts, not seconds: a busy machine only makes them wait.
vi.setConfig({ testTimeout: 60_000 });

const sandbox = useSandbox();

function run(body: string): Promise<GuestOutcome> {
  return sandbox.run({
    source: body.includes("export") ? body : `export async function solve(task, env) { ${body} }`,
    entry: "solve",
    args: [{ question: "1+1" }],
    host: { chat: () => Promise.resolve({ text: "hi" }) },
    limits: LIMITS,
    seed: "hostile",
  });
}

const HOSTILE: readonly (readonly [name: string, body: string, faults: readonly GuestFault[]])[] = [
  ["infinite loop", "for (;;);", ["fuel"]],
  ["infinite loop behind finally", "try { for (;;); } finally { for (;;); }", ["fuel"]],
  [
    "loop that catches its interrupts",
    "const f = async () => { for (;;); }; for (;;) try { await f(); } catch {}",
    ["fuel"],
  ],
  ["loop of async calls", "const f = async () => { let x = 0; while (x < 7) x++; }; for (;;) f();", ["fuel", "memory"]],
  ["loop at the top level", "for (;;); export function solve() {}", ["fuel"]],
  ["recursion", "const f = () => f() + 1; return f();", ["stack"]],
  [
    "recursion through JSON",
    "const a = { toJSON() { return JSON.stringify(a); } }; return JSON.stringify(a);",
    ["stack"],
  ],
  ["memory bomb of strings", "const a = []; for (;;) a.push('x'.repeat(1000) + a.length);", ["memory"]],
  ["memory bomb of objects", "await null; const a = []; for (;;) a[a.length] = { a };", ["memory", "fuel"]],
  ["memory bomb of buffers", "const a = []; for (;;) a.push(new Uint8Array(1e6));", ["memory"]],
  ["huge string", "let s = 'x'; for (;;) s += s;", ["memory", "thrown"]],
  ["huge returned string", "return 'x'.repeat(200000);", ["output"]],
  ["huge message to the host", "await env.chat('x'.repeat(200000));", ["output"]],
  ["huge array to text", "return new Array(1e8) + '';", ["thrown"]],
  ["huge array-like", "return [].indexOf.call({ length: 2 ** 53 - 1 }, 1);", ["thrown"]],
  [
    "array-like whose length changes",
    "let n = 0; return [].indexOf.call({ get length() { return n++ ? 2 ** 53 - 1 : 1; } }, 1);",
    [],
  ],
  ["endless iteration in a constructor", "const a = []; a.length = 4e9; return new Set(a).size;", ["fuel"]],
  ["flat of a huge array", "const a = []; a.length = 4e9; return [a].flat().length;", ["thrown"]],
  ["concat of a huge array", "const a = []; a.length = 4e9; return [].concat(a).length;", ["thrown"]],
  ["huge list of keys for JSON", "const a = []; a.length = 4e9; return JSON.stringify({}, a);", ["thrown"]],
  ["promise flood", "const f = () => Promise.resolve().then(f); return f();", ["fuel", "memory"]],
  ["promise flood in a loop", "for (;;) Promise.resolve().then(() => 1);", ["memory", "fuel"]],
  ["flood of host calls", "for (;;) env.chat([]);", ["host-calls"]],
  ["endless host calls", "for (;;) await env.chat([]);", ["host-calls"]],
  ["endless printing", "for (;;) console.log('x');", ["output", "fuel"]],
  ["catastrophic regex", "return /^(a+)+$/.test('a'.repeat(40) + 'b');", ["fuel"]],
  ["growing integers", "let x = 3n; for (;;) x *= x;", ["thrown", "memory", "fuel"]],
  ["slow operations in a loop", "const s = 'x'.repeat(3e6); for (let i = 0; ; i++) s.indexOf('y' + i);", ["fuel"]],
  ["one slow search in a text", "return 'a'.repeat(2e6).indexOf('a'.repeat(1e6) + 'b');", ["fuel"]],
  [
    "divisions of huge integers",
    `const x = 3n ** 600000n, y = 3n ** 300000n; let z; ${"z = x / y;".repeat(100)}`,
    ["fuel"],
  ],
  ["promise that never settles", "return new Promise(() => {});", ["deadlock"]],
  ["await that never ends at the top level", "await new Promise(() => {}); export function solve() {}", ["deadlock"]],
  ["thrown error", "throw new TypeError('no');", ["thrown"]],
  ["thrown nothing", "throw undefined;", ["thrown"]],
  [
    "error that throws when read",
    "throw Object.defineProperty(new Error(), 'message', { get() { throw 1; } });",
    ["thrown"],
  ],
  ["error that loops when read", "throw { get message() { for (;;); } };", ["fuel"]],
  ["rejected promise", "return Promise.reject(new Error('no'));", ["thrown"]],
  ["import", "import fs from 'fs'; export function solve() {}", ["thrown"]],
  ["dynamic import", "return (await import('fs')).readFileSync('/etc/passwd');", ["thrown"]],
  ["no export", "export const x = 1;", ["missing-export"]],
  ["export of another kind", "export const solve = 3;", ["missing-export"]],
  ["syntax error", "export function solve( {", ["syntax"]],
  ["syntax error at run time", "JSON.parse('{'); export function solve() {}", ["thrown"]],
  ["function as value", "return () => 1;", ["value"]],
  ["not a number", "return { x: NaN };", ["value"]],
  ["big integer", "return 1n;", ["value"]],
  ["circle", "const a = {}; a.a = a; return a;", ["value"]],
  ["very deep value", "let a = []; for (let i = 0; i < 500; i++) a = [a]; return a;", ["value"]],
  ["getter that loops in the result", "return { get x() { for (;;); } };", ["fuel"]],
  ["thenable that loops", "return { then() { for (;;); } };", ["fuel"]],
  ["thenable that never settles", "return { then() {} };", ["deadlock"]],
];

describe("hostile guests end as typed outcomes and leave the sandbox usable", () => {
  test.each(HOSTILE)("%s", async (_, body, faults) => {
    const outcome = await run(body);
    if (faults.length > 0) expect(outcome).toMatchObject({ ok: false });
    if (!outcome.ok) expect(faults).toContain(outcome.fault);
    expect(await run("return (await env.chat([])).text;")).toMatchObject({ ok: true, value: "hi" });
  });
});

describe("guests cannot reach the host", () => {
  test("no host object exists in an isolate", async () => {
    const names = [
      "process",
      "require",
      "performance",
      "WeakRef",
      "FinalizationRegistry",
      "SharedArrayBuffer",
      "Atomics",
    ];
    const outcome = await run(
      `const make = globalThis.constructor.constructor;
       return ${JSON.stringify([...names, "Proxy", "fetch", "setTimeout"])}.map((name) => make("return typeof " + name)());`,
    );
    expect(outcome).toMatchObject({ ok: true, value: Array.from({ length: 10 }, () => "undefined") });
  });

  test("env is frozen and holds functions of the guest's own realm", async () => {
    const outcome = await run(
      `try { env.chat = 1; } catch (error) { return [error instanceof TypeError, env.chat.constructor.constructor === Function,
        typeof env.chat.constructor("return process")]; }`,
    );
    expect(outcome).toMatchObject({ ok: true, value: [true, true, "function"] });
  });

  test("changed prototypes of a guest change neither its result's meaning nor the next guest", async () => {
    const games = `Object.prototype.polluted = 1; Array.prototype.push = Promise.prototype.then = JSON.stringify = null;
      Object.prototype.toJSON = undefined; Function.prototype.call = null; return { a: [1] };`;
    expect(await run(games)).toMatchObject({ ok: true, value: { a: [1] } });
    expect(Reflect.get({}, "polluted")).toBeUndefined();
    expect(await run("return [typeof {}.polluted, typeof [].push];")).toMatchObject({
      value: ["undefined", "function"],
    });
  });

  test("a key named __proto__ stays data when it leaves the guest", async () => {
    const outcome = await run(`return JSON.parse('{"__proto__":{"x":1}}');`);
    expect(outcome.ok && Object.keys(outcome.value as object)).toEqual(["__proto__"]);
    expect(Reflect.get({}, "x")).toBeUndefined();
  });
});
