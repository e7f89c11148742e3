/** Guests whose single native operations would block the process for long, for the test that they end and the bench of when. */
import type { GuestFault } from "../../src/sandbox/isolate.ts";

/** Ceilings they run under. */
export const NATIVE_LIMITS = { fuel: 100, memory: 16 * 2 ** 20, stack: 256 * 1024, output: 100_000, hostCalls: 50 };

/** Single native operations, or a few of them, that would run for minutes or years. */
export const NATIVE_OPERATIONS: readonly (readonly [name: string, body: string, faults: readonly GuestFault[]])[] = [
  ["one slow split of a text", "return 'a'.repeat(2e6).split('a'.repeat(1e6) + 'b').length;", ["fuel"]],
  ["one slow normalization", "return '\\u0316\\u0300'.repeat(5e5).normalize('NFD').length;", ["fuel"]],
  [
    "sort of long texts",
    "const s = 'x'.repeat(1e6); return Array.from({ length: 1e5 }, (_, i) => s + (i % 5)).sort().length;",
    ["fuel", "memory"],
  ],
  [
    "search for a long text",
    "const s = 'x'.repeat(2e6); return new Array(1e5).fill(s + 'a').indexOf(s + 'b');",
    ["fuel"],
  ],
  ["text of many huge integers", "return new Array(40).fill(3n ** 600000n).join('').length;", ["fuel"]],
  [
    "JSON of many objects by many keys",
    "let a = {}; for (let i = 0; i < 18; i++) a = [a, a]; return JSON.stringify(a, Array.from({ length: 9999 }, (_, i) => 'k' + i)).length;",
    ["fuel"],
  ],
  [
    "long prototype chain",
    "let p = {}; for (let i = 0; i < 20000; i++) p = Object.create(p); const a = []; a.length = 1e6; Object.setPrototypeOf(a, p); return [].indexOf.call(a, 1);",
    ["fuel"],
  ],
  ["catastrophic regex without case", "return /(.*)\\1x/i.test('aA'.repeat(20000));", ["fuel"]],
  [
    "huge character class",
    "let s = ''; for (let i = 0; i < 60000; i++) s += '\\\\u{' + (i * 4 + 256).toString(16) + '}'; return new RegExp('[' + s + ']', 'ui').test('a');",
    ["fuel"],
  ],
];
