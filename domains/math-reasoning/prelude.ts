/**
 * The exact-arithmetic prelude of the `run` tool: JavaScript that the tool's isolate runs ahead of the model's code. It
 * defines `print` and a few functions of number theory and linear algebra over BigInt, because doubles lose digits.
 *
 * Each call has a fresh isolate, so the prelude is parsed each time: code that cannot reach the functions gets `print` alone.
 */

const PRINTING = String.raw`
  const log = console.log;
  const show = (value) => {
    if (typeof value === "number") return showNumber(value);
    if (Array.isArray(value)) return "[" + value.map(show).join(", ") + "]";
    if (value instanceof Map || value instanceof Set) return show([...value]);
    if (typeof value === "function") return "[function " + value.name + "]";
    if (typeof value !== "object" || value === null) return String(value);
    // A fraction, an error or a date says what it is; a plain object does not.
    if (typeof value.toString !== "function" || value.toString === Object.prototype.toString)
      return "{" + Object.keys(value).map((key) => key + ": " + show(value[key])).join(", ") + "}";
    return String(value);
  };
  // Twelve significant digits hide the noise of doubles (0.1 + 0.2). Past the safe integers a double is only near the
  // value, so it is shown with its exponent and not as if every digit were known.
  const showNumber = (value) => {
    if (Number.isSafeInteger(value)) return String(value === 0 ? 0 : value);
    if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return value.toPrecision(12);
    return String(Number(value.toPrecision(12)));
  };
  const print = (...values) => { log(values.map(show).join(" ")); };
  globalThis.print = print;
  console.log = print;
`;

const INTEGERS = String.raw`
  const big = (value) => BigInt(value);
  // A result that fits is given as a number, so that it mixes with the numbers of the program.
  const narrow = (value) => (value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value);
  const abs = (value) => (value < 0n ? -value : value);
  const gcdBig = (a, b) => { while (b !== 0n) [a, b] = [b, a % b]; return abs(a); };
  const gcd = (...values) => narrow(values.map(big).reduce(gcdBig, 0n));
  const lcm = (...values) =>
    narrow(values.map(big).reduce((a, b) => (a === 0n || b === 0n ? 0n : abs(a * b) / gcdBig(a, b)), 1n));
  const factorial = (n) => {
    if (n < 0) throw new RangeError("factorial: n must be 0 or more");
    let out = 1n;
    for (let i = 2n; i <= big(n); i += 1n) out *= i;
    return narrow(out);
  };
  const perm = (n, k = n) => {
    let out = 1n;
    for (let i = 0n; i < big(k); i += 1n) out *= big(n) - i;
    return narrow(out);
  };
  const comb = (n, k) => {
    if (k < 0 || k > n) return 0;
    let out = 1n;
    for (let i = 1n; i <= big(k); i += 1n) out = (out * (big(n) - big(k) + i)) / i;
    return narrow(out);
  };
  const modpowBig = (base, exponent, modulus) => {
    let out = 1n % modulus;
    let square = ((base % modulus) + modulus) % modulus;
    for (let rest = exponent; rest > 0n; rest >>= 1n) {
      if (rest & 1n) out = (out * square) % modulus;
      square = (square * square) % modulus;
    }
    return out;
  };
  const modpow = (base, exponent, modulus) => {
    if (exponent < 0) return modpow(modinv(base, modulus), -exponent, modulus);
    return narrow(modpowBig(big(base), big(exponent), big(modulus)));
  };
  const modinv = (value, modulus) => {
    const m = big(modulus);
    let [a, b, x, y] = [((big(value) % m) + m) % m, m, 1n, 0n];
    while (b !== 0n) [a, b, x, y] = [b, a % b, y, x - (a / b) * y];
    if (a !== 1n) throw new RangeError("modinv: " + value + " has no inverse modulo " + modulus);
    return narrow(((x % m) + m) % m);
  };
`;

// Miller-Rabin with the first twelve primes is exact below 3.3e24 (Sorenson and Webster 2015, arXiv:1509.00864).
const PRIMES = String.raw`
  const WITNESSES = [2n, 3n, 5n, 7n, 11n, 13n, 17n, 19n, 23n, 29n, 31n, 37n];
  const isPrimeBig = (n) => {
    if (n < 2n) return false;
    for (const p of WITNESSES) if (n % p === 0n) return n === p;
    let odd = n - 1n;
    let twos = 0;
    while (odd % 2n === 0n) { odd /= 2n; twos += 1; }
    return WITNESSES.every((witness) => {
      let x = modpowBig(witness, odd, n);
      if (x === 1n || x === n - 1n) return true;
      for (let i = 1; i < twos; i += 1) {
        x = (x * x) % n;
        if (x === n - 1n) return true;
      }
      return false;
    });
  };
  const isPrime = (n) => isPrimeBig(big(n));
  // Pollard's rho, for a composite n without small factors. Differences are multiplied up, so that one gcd serves 64
  // steps; where a batch meets every factor at once, its steps are gone through one by one.
  const splitBig = (n) => {
    for (let c = 1n; ; c += 1n) {
      const step = (x) => (x * x + c) % n;
      let [slow, fast, d] = [2n, 2n, 1n];
      while (d === 1n) {
        const before = [slow, fast];
        let product = 1n;
        for (let i = 0; i < 64; i += 1) {
          slow = step(slow);
          fast = step(step(fast));
          product = (product * abs(slow - fast)) % n;
        }
        d = gcdBig(product, n);
        if (d !== n) continue;
        [slow, fast] = before;
        do {
          slow = step(slow);
          fast = step(step(fast));
          d = gcdBig(abs(slow - fast), n);
        } while (d === 1n);
        break;
      }
      if (d !== n) return d;
    }
  };
  const factorBig = (n) => {
    if (n === 1n) return [];
    if (isPrimeBig(n)) return [n];
    const d = splitBig(n);
    return [...factorBig(d), ...factorBig(n / d)];
  };
  // Prime factors in ascending order, with repeats.
  const factor = (value) => {
    let n = big(value);
    if (n < 1n) throw new RangeError("factor: n must be 1 or more");
    const out = [];
    for (let p = 2n; p < 1000n && p * p <= n; p += 1n) while (n % p === 0n) { out.push(p); n /= p; }
    return [...out, ...factorBig(n)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)).map(narrow);
  };
  const divisors = (value) => {
    const powers = new Map();
    for (const p of factor(value)) powers.set(p, (powers.get(p) ?? 0) + 1);
    let out = [1n];
    for (const [p, count] of powers)
      out = out.flatMap((d) => Array.from({ length: count + 1 }, (_, i) => d * big(p) ** big(i)));
    return out.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)).map(narrow);
  };
`;

const FRACTIONS = String.raw`
  class Fraction {
    constructor(numerator, denominator) {
      if (denominator === 0n) throw new RangeError("frac: division by zero");
      const divisor = gcdBig(numerator, denominator) * (denominator < 0n ? -1n : 1n);
      this.numerator = numerator / divisor;
      this.denominator = denominator / divisor;
      Object.freeze(this);
    }
    add(other) { const o = frac(other); return new Fraction(this.numerator * o.denominator + o.numerator * this.denominator, this.denominator * o.denominator); }
    sub(other) { return this.add(frac(other).neg()); }
    mul(other) { const o = frac(other); return new Fraction(this.numerator * o.numerator, this.denominator * o.denominator); }
    div(other) { const o = frac(other); return new Fraction(this.numerator * o.denominator, this.denominator * o.numerator); }
    neg() { return new Fraction(-this.numerator, this.denominator); }
    pow(n) {
      if (n < 0) return new Fraction(this.denominator, this.numerator).pow(-n);
      return new Fraction(this.numerator ** big(n), this.denominator ** big(n));
    }
    compare(other) { const d = this.sub(other).numerator; return d < 0n ? -1 : d > 0n ? 1 : 0; }
    equals(other) { return this.compare(other) === 0; }
    valueOf() { return Number(this.numerator) / Number(this.denominator); }
    toString() { return this.denominator === 1n ? String(this.numerator) : this.numerator + "/" + this.denominator; }
  }
  // frac(3, 4), frac("3/4"), frac("0.75"), frac(0.75): the exact value of the decimal digits.
  const frac = (value, denominator) => {
    if (denominator !== undefined) return frac(value).div(denominator);
    if (value instanceof Fraction) return value;
    if (typeof value === "bigint") return new Fraction(value, 1n);
    const match = /^\s*([+-]?\d+)(?:\.(\d+))?(?:\s*\/\s*(\d+))?\s*$/.exec(String(value));
    if (!match) throw new RangeError("frac: cannot read " + String(value));
    const [, whole, digits = "", below = "1"] = match;
    return new Fraction(big(whole + digits), 10n ** big(digits.length) * big(below));
  };
  // Solves A x = b exactly by Gauss-Jordan elimination; A is a list of rows.
  const solveLinear = (matrix, right) => {
    const n = matrix.length;
    const rows = matrix.map((row, i) => [...row, right[i]].map((x) => frac(x)));
    for (let column = 0; column < n; column += 1) {
      const pivot = rows.findIndex((row, i) => i >= column && row[column].numerator !== 0n);
      if (pivot < 0) throw new RangeError("solveLinear: no single solution");
      [rows[column], rows[pivot]] = [rows[pivot], rows[column]];
      const scale = rows[column][column];
      rows[column] = rows[column].map((x) => x.div(scale));
      for (let i = 0; i < n; i += 1) {
        const times = rows[i][column];
        if (i !== column) rows[i] = rows[i].map((x, j) => x.sub(times.mul(rows[column][j])));
      }
    }
    return rows.map((row) => row[n]);
  };
`;

const EXPORTS = String.raw`
  const sum = (values) => [...values].reduce((a, b) => a + b, 0);
  const range = (from, to, step = 1) => {
    const out = [];
    for (let i = from; i < to; i += step) out.push(i);
    return out;
  };
  const names = { gcd, lcm, factorial, perm, comb, modpow, modinv, isPrime, factor, divisors, frac, solveLinear, sum, range };
  Object.assign(globalThis, names);
`;

const LIBRARY_NAMES: readonly string[] = [
  ...["gcd", "lcm", "factorial", "perm", "comb", "modpow", "modinv", "isPrime", "factor", "divisors"],
  ...["frac", "solveLinear", "sum", "range"],
];

/** The global functions that code may use. */
export const PRELUDE_NAMES: readonly string[] = ["print", ...LIBRARY_NAMES];

const PRINT_PRELUDE = wrap(PRINTING);
const FULL_PRELUDE = wrap(PRINTING + INTEGERS + PRIMES + FRACTIONS + EXPORTS);

/** Names by which code could reach a global function without naming it. */
const INDIRECT = ["globalThis", "eval", "Function", "constructor", "this"];

const NEEDS_LIBRARY = new RegExp(`\\b(?:${[...LIBRARY_NAMES, ...INDIRECT].join("|")})\\b|\\\\u`);

/** Script for `GuestProgram.prelude` ahead of `code`; it needs `console.log`. */
export function preludeFor(code: string): string {
  return NEEDS_LIBRARY.test(code) ? FULL_PRELUDE : PRINT_PRELUDE;
}

function wrap(script: string): string {
  return `(() => {\n"use strict";${script}})();\n`;
}
