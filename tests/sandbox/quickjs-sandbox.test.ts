import { expect, test } from "vitest";
import type { JsonValue } from "../../src/base/json.ts";
import type { GuestOutcome, GuestProgram } from "../../src/sandbox/isolate.ts";
import { createSandbox } from "../../src/sandbox/quickjs-sandbox.ts";
import { useSandbox } from "../support/use-sandbox.ts";

const LIMITS = { fuel: 300, memory: 16 * 2 ** 20, stack: 256 * 1024, output: 100_000, hostCalls: 500 };

const sandbox = useSandbox();

function run(source: string, extra: Partial<GuestProgram> = {}): Promise<GuestOutcome> {
  return sandbox.run({ source, entry: "solve", args: [], host: {}, limits: LIMITS, seed: "s", ...extra });
}

test("run passes arguments in and the awaited result out", async () => {
  const outcome = await run("export async function solve(a, b, env) { return { sum: a.x + b, env: typeof env }; }", {
    args: [{ x: 2 }, 3],
  });
  expect(outcome).toMatchObject({ ok: true, value: { sum: 5, env: "object" } });
});

test("run gives undefined as value when the entry returns nothing, and runs the top level alone without entry", async () => {
  const outcome = await run("export function solve() {}");
  expect(outcome.ok && outcome.value).toBeUndefined();
  expect(await run("console.log('a', 1, { b: [2] }); console.log()", { entry: undefined })).toMatchObject({
    ok: true,
    log: ['a 1 {"b":[2]}', ""],
  });
});

test("host functions are async in the guest, keep text exactly and pass errors on by message", async () => {
  const text = 'zero \0 quote " backslash \\ line \n\u2028 emoji \u{1F433} lone \uD800';
  const lateTool = ([value]: readonly JsonValue[]): Promise<JsonValue> => Promise.resolve([value ?? null, text]);
  const failTool = (): Promise<JsonValue> => Promise.reject(new TypeError("bad code"));
  const outcome = await run(
    `export async function solve(env) {
      const late = await env.tools.late("x");
      const now = await env.now();
      const failed = await env.tools.fail().catch((error) => [error instanceof Error, error.message]);
      const thrown = await env.throws().catch((error) => error.message);
      return { late, now, failed, thrown, nothing: (await env.nothing()) === undefined, promise: env.now() instanceof Promise };
    }`,
    {
      host: {
        "tools.late": lateTool,
        "tools.fail": failTool,
        throws: () => {
          throw new RangeError("at once");
        },
        now: () => text,
        nothing: () => undefined,
      },
    },
  );
  const value = {
    late: ["x", text],
    now: text,
    failed: [true, "bad code"],
    thrown: "at once",
    nothing: true,
    promise: true,
  };
  expect(outcome).toMatchObject({ ok: true, value });
});

test("host values are read afresh at each access and cannot be changed", async () => {
  let left = 3;
  const outcome = await run(
    "export async function solve(env) { const a = env.budget.left; await env.spend(); env.budget.left = 9; return [a, env.budget.left]; }",
    { host: { spend: () => void (left -= 1) }, hostValues: { budget: () => ({ left }) } },
  );
  expect(outcome).toMatchObject({ value: [3, 2] });
});

test("calls are settled in the order they were made, whichever the host answers first", async () => {
  const waits: (() => void)[] = [];
  const host = {
    ask: () =>
      new Promise<string>((resolve) =>
        waits.push(() => {
          resolve(`r${String(waits.length)}`);
        }),
      ),
  };
  const running = run(
    "export async function solve(env) { const seen = []; await Promise.all([0, 1, 2].map((i) => env.ask().then(() => seen.push(i)))); return seen; }",
    { host },
  );
  await expect.poll(() => waits.length).toBe(3);
  for (const answer of waits.reverse()) answer();
  expect(await running).toMatchObject({ value: [0, 1, 2] });
});

test("two runs of a program give the same random numbers, dates, fuel and interrupt point", async () => {
  const source = `let i = 0; export function solve(env) {
    const out = [Math.random(), Math.random(), Date.now(), new Date().toISOString(), String(new Date(2020, 0, 2, 3)), new Date("2020-01-01T05:00").getHours()];
    for (let k = 0; k < 100000; k++) i += Math.random() < 0.5 ? 1 : 2;
    return [...out, i];
  }`;
  const [first, second] = [await run(source), await run(source)];
  expect(first).toEqual(second);
  expect(first).toMatchObject({ ok: true });
  expect(first.ok && (first.value as unknown[]).slice(2, 6)).toEqual([
    0,
    "1970-01-01T00:00:00.000Z",
    "Thu, 02 Jan 2020 03:00:00 GMT",
    5,
  ]);
  expect(await run(source, { seed: "t" })).not.toEqual(first);
  const stops = async (): Promise<GuestOutcome> =>
    run("export function solve() { for (let i = 0; ; i++) if (i % 1000 === 0) console.log(i); }", {
      limits: { ...LIMITS, fuel: 20 },
    });
  expect(await stops()).toEqual(await stops());
});

test("fuel is measured over all slices of a guest", async () => {
  const source = "export async function solve(env) { for (;;) { for (let i = 0; i < 20000; i++); await env.wait(); } }";
  const outcome = await run(source, { host: { wait: () => Promise.resolve(null) }, limits: { ...LIMITS, fuel: 20 } });
  expect(outcome).toMatchObject({ ok: false, fault: "fuel", fuel: 20 });
});

test("array methods keep their meaning for ordinary arrays, strings and array-likes", async () => {
  const source = `export function solve() {
    const a = [3, 1, 2];
    return [a.slice().sort(), a.map((x) => x * 2), a.indexOf(2), [1, [2, [3]]].flat(), [1, [2, [3]]].flat(Infinity), [1, 2].flatMap((x) => [x, [x]]),
      [1].concat(2, [3, [4]]), Array.prototype.map.call("abc", (x) => x + x), a.join("-"), a.reverse(), String([1, [2, 3]]), [...new Set(a)],
      Array.from({ length: 3 }, (_, i) => i), a.includes(3), [].concat([, 1]).length, a.splice(0, 1), a.reduce((x, y) => x + y), JSON.stringify({ a, b: 1 }, ["b"])];
  }`;
  const outcome = await run(source);
  expect(outcome).toMatchObject({
    ok: true,
    value: [
      [1, 2, 3],
      [6, 2, 4],
      2,
      [1, 2, [3]],
      [1, 2, 3],
      [1, [1], 2, [2]],
      [1, 2, 3, [4]],
      ["aa", "bb", "cc"],
      "3-1-2",
      [1, 3],
      "1,2,3",
      [2, 1, 3],
      [0, 1, 2],
      true,
      2,
      [2],
      4,
      '{"b":1}',
    ],
  });
});

test("300 isolates wait at once, and each gets its own answer", async () => {
  const open: (() => void)[] = [];
  const runs = Array.from({ length: 300 }, (_, n) =>
    run("export async function solve(n, env) { return n + (await env.ask()); }", {
      args: [n],
      host: {
        ask: () =>
          new Promise<number>((resolve) =>
            open.push(() => {
              resolve(1000);
            }),
          ),
      },
    }),
  );
  await expect.poll(() => open.length, { timeout: 15_000 }).toBe(300);
  expect(sandbox.alive()).toBe(300);
  for (const answer of open) answer();
  const values = (await Promise.all(runs)).map((outcome) => outcome.ok && outcome.value);
  expect(values).toEqual(Array.from({ length: 300 }, (_, n) => n + 1000));
});

test("a prelude shares its globals with the module", async () => {
  const outcome = await run("export function solve() { return twice(4); }", { prelude: "const twice = (x) => 2 * x;" });
  expect(outcome).toMatchObject({ ok: true, value: 8 });
});

test("a guest that ends while a host call is open leaves nothing alive", async () => {
  const outcome = await run("export async function solve(env) { env.ask(); throw new Error('enough'); }", {
    host: { ask: () => new Promise(() => undefined) },
  });
  expect(outcome).toMatchObject({ ok: false, fault: "thrown", message: "enough" });
});

test("dispose throws while an isolate is alive", async () => {
  const other = await createSandbox();
  let answer: (value: null) => void = () => undefined;
  const asked = new Promise<null>((resolve) => {
    answer = resolve;
  });
  const running = other.run({
    source: "export async function solve(env) { await env.ask(); }",
    entry: "solve",
    args: [],
    host: { ask: () => asked },
    limits: LIMITS,
    seed: "s",
  });
  await expect.poll(() => other.alive()).toBe(1);
  expect(() => {
    other[Symbol.dispose]();
  }).toThrow("1 isolates were alive");
  answer(null);
  expect(await running).toMatchObject({ ok: true });
});

test("a guest starts from the same state whatever ran before it", async () => {
  const source = `export async function solve(env) {
    const seen = [typeof globalThis.left, typeof [].left, Math.random()];
    globalThis.left = Array.prototype.left = 1;
    const text = "x".repeat(1000);
    await env.wait();
    return [...seen, text.length, globalThis.left];
  }`;
  const host = { wait: () => Promise.resolve(null) };
  const first = await run(source, { host });
  await run("export function solve() { globalThis.left = []; for (;;) left.push(new Uint8Array(1e6)); }");
  const again = await Promise.all([run(source, { host }), run(source, { host }), run(source, { host })]);
  expect(first).toMatchObject({ ok: true, value: ["undefined", "undefined", expect.any(Number), 1000, 1] });
  expect(again).toEqual([first, first, first]);
});

test("a guest whose heap grows large keeps it over a host call while others run", async () => {
  const large = run(
    "export async function solve(env) { const a = new Uint8Array(14e6).fill(7); await env.wait(); return a[13e6] + a.length; }",
    { host: { wait: () => run("export function solve() { return 1; }").then(() => null) } },
  );
  const small = run("export async function solve(env) { const s = 'y'; await env.wait(); return s; }", {
    host: { wait: () => Promise.resolve(null) },
  });
  expect(await large).toMatchObject({ ok: true, value: 14_000_007 });
  expect(await small).toMatchObject({ ok: true, value: "y" });
});

test("a guest is refused more than its memory limit, large or small", async () => {
  const grow = "export function solve() { const a = []; for (;;) a.push(new Uint8Array(1e5)); }";
  for (const memory of [2 ** 21, 2 ** 24, 2 ** 25])
    expect(await run(grow, { limits: { ...LIMITS, memory } })).toMatchObject({ ok: false, fault: "memory" });
});

test("a prelude can neither draw random numbers nor print, since guests of many seeds share what it made", async () => {
  for (const [prelude, reason] of [
    ["Math.random();", "random"],
    ["console.log(1);", "print"],
  ] as const)
    expect(await run("export function solve() {}", { prelude })).toMatchObject({
      ok: false,
      fault: "thrown",
      message: expect.stringContaining(reason) as string,
    });
});

test("a guest ends alike whatever the length of the path that the process was started by", async () => {
  const [, path] = process.argv;
  const sources = ["print(1)", "const x = 1;", "export function solve() { return 1; }"];
  const prelude = `globalThis.print = (x) => console.log(x);${"globalThis.a = () => 1;".repeat(300)}`;
  const endings = async (length: number): Promise<unknown> => {
    // The library copies this path into the memory of each engine, which shifts all that follows.
    process.argv[1] = `/${"a".repeat(length)}`;
    using fresh = await createSandbox();
    const outcomes: GuestOutcome[] = [];
    for (const source of sources.flatMap((text) => [0, 1, 2, 3].map((blanks) => text + " ".repeat(blanks))))
      outcomes.push(
        await fresh.run({ source, entry: undefined, args: [], host: {}, limits: LIMITS, seed: "s", prelude }),
      );
    return outcomes;
  };
  try {
    const first = await endings(0);
    for (let length = 8; length <= 96; length += 8) expect(await endings(length)).toEqual(first);
  } finally {
    process.argv[1] = path ?? "";
  }
});
