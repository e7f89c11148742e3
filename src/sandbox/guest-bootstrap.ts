/**
 * The script that every guest finds done: it makes the guest deterministic, bounds native loops that no interrupt
 * reaches, and builds the bridge to the host. It runs once for each engine, whose memory is then copied for each guest.
 *
 * Nothing here is trusted by the host. A guest that breaks these functions harms itself alone: limits are counted, sizes
 * are checked and JSON is parsed again on the host side (`isolate-run.ts`).
 *
 * QuickJS polls its interrupt handler at function calls and at jumps back, not inside native functions, and a sparse
 * array costs nothing to make: `new Array(1e8) + ""` runs for seconds and `[].indexOf.call({ length: 2 ** 53 - 1 }, 1)`
 * for years. So the array methods check the length first, array iteration goes through a guest function, and `Proxy`
 * (which could answer differently the second time) is not part of the context.
 */

/** Name of the guest's module, which is compiled before `start` is called. */
export const GUEST_MODULE = "harness.js";

/** Longest array that the guest's array methods accept, in elements. */
const MAX_ARRAY_LENGTH = 1_000_000;

/** Dates stand still at the epoch, in UTC. */
const DATES = String.raw`
  const utcText = (text) => {
    const zoned = /(Z|GMT|UTC|[+-]\d\d:?\d\d)\s*$/i.test(text) || /^[+-]?\d{4,6}(-\d\d){0,2}$/.test(text);
    return zoned ? text : /^[+-]?\d{4,6}-\d\d-\d\dT/.test(text) ? text + 'Z' : text + ' UTC';
  };
  const realParse = RealDate.parse;
  const realUtc = RealDate.UTC;
  const stamp = (args) =>
    args.length === 0 ? 0
      : args.length > 1 ? apply(realUtc, undefined, args)
      : typeof args[0] === 'string' ? realParse(utcText(args[0]))
      : args[0];
  function FrozenDate(...args) {
    if (new.target === undefined) return new RealDate(0).toUTCString();
    return Reflect.construct(RealDate, [stamp(args)], new.target);
  }
  FrozenDate.prototype = RealDate.prototype;
  FrozenDate.now = () => 0;
  FrozenDate.parse = (text) => realParse(utcText(String(text)));
  FrozenDate.UTC = realUtc;
  const dates = RealDate.prototype;
  for (const name of Object.getOwnPropertyNames(dates)) {
    const utc = dates[name.replace(/^(get|set)(?!UTC)/, '$1UTC')];
    if (/^(get|set)(?!UTC)/.test(name) && typeof utc === 'function') hide(dates, name, utc);
  }
  hide(dates, 'constructor', FrozenDate);
  hide(dates, 'getTimezoneOffset', () => 0);
  for (const name of ['toString', 'toLocaleString']) hide(dates, name, dates.toUTCString);
  for (const name of ['toDateString', 'toLocaleDateString'])
    hide(dates, name, function () { return this.toISOString().slice(0, 10); });
  for (const name of ['toTimeString', 'toLocaleTimeString'])
    hide(dates, name, function () { return this.toISOString().slice(11, 19); });
  hide(globalThis, 'Date', FrozenDate);
`;

const DETERMINISM = String.raw`
  let a = 0, b = 0, c = 0, d = 0;
  let seeded = false;
  const random = () => {
    if (!seeded) throw new TypeError('random numbers cannot be drawn before a guest has its seed');
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t | 0;
    return (t >>> 0) / 4294967296;
  };
  const seedRandom = (s0, s1, s2, s3) => {
    a = s0; b = s1; c = s2; d = s3;
    seeded = true;
    for (let i = 0; i < 12; i++) random();
  };
  define(Math, 'random', { value: random, writable: true, configurable: true });

  for (const name of ['WeakRef', 'FinalizationRegistry', 'SharedArrayBuffer', 'Atomics', 'performance', 'Proxy',
    'navigator', 'gc', 'scriptArgs', 'print']) delete globalThis[name];
`;

const GUARDS = String.raw`
  const tooLong = (length) => new RangeError('array methods take at most ' + maxArray + ' elements, got ' + length);
  // An array's length is a plain value; anything else is copied, since its length may be a getter.
  const checked = (self, mutates) => {
    if (isArray(self)) {
      if (self.length > maxArray) throw tooLong(self.length);
      return self;
    }
    if (self === undefined || self === null) throw new TypeError('array method called on ' + self);
    if (mutates) throw new TypeError('this array method changes its subject, which must be an array');
    const length = Math.trunc(Number(self.length)) || 0;
    if (length > maxArray) throw tooLong(length);
    const copy = [];
    for (let i = 0; i < length; i++) if (i in Object(self)) copy[i] = self[i];
    if (copy.length < length) copy.length = length;
    return copy;
  };
  const arrays = Array.prototype;
  const wrap = (name, mutates) => {
    const original = arrays[name];
    if (typeof original !== 'function') return;
    hide(arrays, name, { [name](...args) { return apply(original, checked(this, mutates), args); } }[name]);
  };
  for (const name of ['every', 'filter', 'find', 'findIndex', 'findLast', 'findLastIndex', 'forEach', 'includes',
    'indexOf', 'join', 'lastIndexOf', 'map', 'reduce', 'reduceRight', 'slice', 'some', 'toLocaleString', 'toReversed',
    'toSorted', 'toSpliced', 'with']) wrap(name, false);
  for (const name of ['copyWithin', 'fill', 'reverse', 'shift', 'unshift', 'splice', 'sort', 'push', 'pop'])
    wrap(name, true);
  const { map } = arrays;
  const flatten = (out, list, depth) => {
    for (let i = 0; i < list.length; i++) {
      if (!(i in list)) continue;
      if (depth > 0 && isArray(list[i])) flatten(out, checked(list[i], false), depth - 1);
      else out[out.length] = list[i];
    }
    return out;
  };
  const flat = function flat(depth = 1) { return flatten([], checked(this, false), Number(depth) || 0); };
  const flatMap = function flatMap(callback, self) {
    return flatten([], apply(map, this, [callback, self]), 1);
  };
  const concat = function concat(...parts) {
    const out = [];
    const lists = [this];
    for (let i = 0; i < parts.length; i++) lists[i + 1] = parts[i];
    for (let i = 0; i < lists.length; i++) {
      if (!isArray(lists[i])) out[out.length] = lists[i];
      else {
        const list = checked(lists[i], false);
        const base = out.length;
        for (let j = 0; j < list.length; j++) if (j in list) out[base + j] = list[j];
        out.length = base + list.length;
      }
    }
    return out;
  };
  hide(arrays, 'flat', flat);
  hide(arrays, 'flatMap', flatMap);
  hide(arrays, 'concat', concat);
  const iterators = Object.getPrototypeOf([].values());
  const originalNext = iterators.next;
  hide(iterators, 'next', function next() { return apply(originalNext, this, []); });
  hide(JSON, 'stringify', function (value, replacer, space) {
    if (isArray(replacer) && replacer.length > 10000) throw tooLong(replacer.length);
    return stringify(value, replacer, space);
  });
`;

const BRIDGE = String.raw`
  const faults = new WeakMap();
  const markFault = mapSet.bind(faults);
  const faultOf = mapGet.bind(faults);
  const fault = (kind, message) => {
    const error = new TypeError(message);
    markFault(error, kind);
    return error;
  };
  const strict = (key, value) => {
    const type = typeof value;
    if (type === 'function' || type === 'symbol' || type === 'bigint' || (type === 'number' && !isFinite(value)))
      throw fault('value', 'JSON cannot hold ' + (type === 'number' ? String(value) : 'a ' + type) +
        (key === '' ? '' : ' (at key "' + key + '")'));
    return value;
  };
  const encode = (value) => {
    let text;
    try {
      text = stringify(value, strict);
    } catch (error) {
      if (error instanceof TypeError && error.message === 'circular reference') markFault(error, 'value');
      throw error;
    }
    if (text !== undefined && text.length > maxOutput)
      throw fault('output', 'a value of ' + text.length + ' characters may not leave the isolate, limit ' + maxOutput);
    return text;
  };
  const describe = (error) => {
    try {
      const text = typeof error === 'object' && error !== null && 'message' in error
        ? (error.name === 'Error' ? '' : String(error.name) + ': ') + String(error.message)
        : String(error);
      return text.length > 2000 ? text.slice(0, 2000) : text;
    } catch {
      return 'an error that cannot be shown';
    }
  };
  const kindOf = (error) => {
    if (typeof error !== 'object' || error === null) return 'thrown';
    const known = faultOf(error);
    if (known !== undefined) return known;
    if (!(error instanceof Internal)) return 'thrown';
    if (error.message === 'out of memory') return 'memory';
    return error.message === 'stack overflow' ? 'stack' : 'thrown';
  };
  const plain = (value) => {
    if (typeof value === 'string') return value;
    try {
      return (typeof value === 'object' && value !== null ? stringify(value) : undefined) ?? String(value);
    } catch (error) {
      return describe(error);
    }
  };
  const log = (...values) => {
    let text = '';
    for (let i = 0; i < values.length; i++) text += (i === 0 ? '' : ' ') + plain(values[i]);
    native.print(stringify(text));
  };
  hide(globalThis, 'console', { log, info: log, warn: log, error: log, debug: log });

  const pending = Object.create(null);
  const call = (name) => async (...args) => {
    const text = encode(args);
    const reply = native.request(name, text);
    // A number names a call that the host will settle later; text is the result itself, after one letter.
    if (typeof reply === 'number')
      return new RealPromise((resolve, reject) => { pending[reply] = { resolve, reject }; });
    const content = reply.length === 1 ? undefined : parse(reply.slice(1));
    if (reply[0] === 'e') throw new RealError(content);
    return content;
  };
  const settle = (id, ok, text) => {
    const { resolve, reject } = pending[id];
    delete pending[id];
    const content = text === undefined ? undefined : parse(text);
    if (ok) resolve(content);
    else reject(new RealError(content));
  };
  const host = {};
  const place = (path, descriptor) => {
    const keys = path.split('.');
    let at = host;
    for (let i = 0; i + 1 < keys.length; i++) at = at[keys[i]] ??= {};
    define(at, keys[keys.length - 1], { ...descriptor, enumerable: true });
  };
  const freezeDeep = (object) => {
    for (const key of Object.keys(object)) {
      const { value } = Object.getOwnPropertyDescriptor(object, key);
      if (typeof value === 'object' && value !== null) freezeDeep(value);
    }
    Object.freeze(object);
  };
  const open = (settingsText) => {
    const { names, values, output } = parse(settingsText);
    maxOutput = output;
    for (const name of names) place(name, { value: call(name) });
    for (const name of values) place(name, { get: () => parse(native.read(name)) });
    freezeDeep(host);
  };

  const finish = (kind, message) => native.finish(kind, stringify(message));
  const start = async (entry, argsText) => {
    try {
      const exported = await import('${GUEST_MODULE}');
      if (entry === undefined) return native.finish('ok');
      const solve = exported[entry];
      if (typeof solve !== 'function')
        return finish('missing-export', 'the module exports no function named ' + entry);
      const args = parse(argsText);
      args[args.length] = host;
      native.finish('ok', encode(await apply(solve, undefined, args)));
    } catch (error) {
      finish(kindOf(error), describe(error));
    }
  };
  // The parser alone writes the file's name into an error; JSON.parse and RegExp throw SyntaxErrors too.
  const isOfParser = (error) => error instanceof RealSyntaxError && error.fileName === '${GUEST_MODULE}';
  const report = (error) => finish(isOfParser(error) ? 'syntax' : kindOf(error), describe(error));
`;

/**
 * Source of an expression whose value is `(native) => { open, start, settle, report }`; `native` holds the host's functions
 * `request`, `read`, `print` and `finish`.
 */
export const BOOTSTRAP: string = `"use strict"; (function (native) {
  const maxArray = ${String(MAX_ARRAY_LENGTH)};
  let maxOutput = 0;
  const { stringify, parse } = JSON;
  const { apply } = Reflect;
  const { isArray } = Array;
  const RealDate = Date;
  const { set: mapSet, get: mapGet } = WeakMap.prototype;
  const RealPromise = Promise, RealError = Error, RealSyntaxError = SyntaxError, Internal = InternalError;
  const define = Object.defineProperty;
  const hide = (object, name, value) => define(object, name, { value, writable: true, configurable: true });
  ${DATES}
  ${DETERMINISM}
  ${GUARDS}
  ${BRIDGE}
  return { open, seed: seedRandom, start, settle, report };
})`;
