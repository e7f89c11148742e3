/**
 * Rewrites a WASM module so that it counts its own work and stops when its allowance is used up: each turn of a loop costs
 * one unit, copying or filling memory one unit for 64 bytes.
 *
 * QuickJS asks its host from time to time whether to go on, but not inside a native operation, and one `indexOf` of a
 * string, one `normalize` or one product of BigInts may take hours. A count inside the module reaches all of them, gives the
 * same number on every machine, and needs no clock.
 *
 * The format is that of the WebAssembly core specification 2.0 (binary format), without vectors and exceptions.
 */
import { SandboxError } from "../base/errors.ts";
import { ByteReader, ByteWriter } from "./wasm-bytes.ts";

/** Name under which the rewritten module exports its allowance, a mutable i32. */
export const METER_EXPORT = "meter";

const SECTION = { custom: 0, type: 1, import: 2, function: 3, global: 6, export: 7, code: 10 } as const;
const I32 = 0x7f;
/** 2 ** 31 - 1, what the allowance is at first. */
const LARGEST_I32 = [0xff, 0xff, 0xff, 0xff, 0x07];
/** Bytes copied for one unit, as a power of two. */
const COPY_SHIFT = 6;

type Section = { readonly id: number; readonly bytes: Uint8Array };
/** Indices of what is added. */
type Added = { readonly global: number; readonly copy: number; readonly fill: number; readonly type: number };

/**
 * The metered form of `wasm`.
 * @throws {SandboxError} If it is not a module, or uses instructions outside the covered set.
 */
export function meterModule(wasm: Uint8Array): Uint8Array {
  const sections = readSections(wasm);
  const count = (id: number): number => new ByteReader(sectionOf(sections, id)).u32();
  const imported = countImports(sectionOf(sections, SECTION.import));
  const functions = imported.functions + count(SECTION.function);
  const added: Added = {
    global: imported.globals + count(SECTION.global),
    copy: functions,
    fill: functions + 1,
    type: count(SECTION.type),
  };
  const out = new ByteWriter();
  out.copy(wasm.subarray(0, 8));
  for (const { id, bytes } of sections) {
    if (id === SECTION.custom) continue;
    out.byte(id);
    out.block(rewriteSection(id, bytes, added));
  }
  return out.bytes();
}

function readSections(wasm: Uint8Array): Section[] {
  const reader = new ByteReader(wasm);
  if (reader.take(4).join() !== "0,97,115,109") throw new SandboxError("the QuickJS module is not WebAssembly");
  reader.take(4);
  const sections: Section[] = [];
  while (!reader.done) sections.push({ id: reader.byte(), bytes: reader.take(reader.u32()) });
  return sections;
}

function sectionOf(sections: readonly Section[], id: number): Uint8Array {
  const found = sections.find((section) => section.id === id);
  if (found === undefined) throw new SandboxError(`the QuickJS module has no section ${String(id)}`);
  return found.bytes;
}

function countImports(section: Uint8Array): { functions: number; globals: number } {
  const reader = new ByteReader(section);
  const counts = { functions: 0, globals: 0 };
  for (let left = reader.u32(); left > 0; left -= 1) {
    for (let name = 0; name < 2; name += 1) reader.take(reader.u32());
    const kind = reader.byte();
    if (kind === 0) {
      reader.u32();
      counts.functions += 1;
    } else if (kind === 3) {
      reader.take(2);
      counts.globals += 1;
    } else {
      if (kind === 1) reader.byte(); // a table's element type
      const hasMaximum = reader.byte() % 2 === 1;
      for (let limit = 0; limit < (hasMaximum ? 2 : 1); limit += 1) reader.u32();
    }
  }
  return counts;
}

function rewriteSection(id: number, bytes: Uint8Array, added: Added): Uint8Array {
  const { copy, fill, global, type } = added;
  if (id === SECTION.type) return append(bytes, [[0x60, 3, I32, I32, I32, 0]]);
  if (id === SECTION.function) return append(bytes, [u32(type), u32(type)]);
  if (id === SECTION.global) return append(bytes, [[I32, 1, 0x41, ...LARGEST_I32, 0x0b]]);
  if (id === SECTION.export) {
    const name = Array.from(METER_EXPORT, (letter) => letter.charCodeAt(0));
    return append(bytes, [[name.length, ...name, 3, ...u32(global)]]);
  }
  return id === SECTION.code ? rewriteCode(bytes, { copy, fill, global, type }) : bytes;
}

/** A vector with more entries. */
function append(vector: Uint8Array, entries: readonly (readonly number[])[]): Uint8Array {
  const reader = new ByteReader(vector);
  const out = new ByteWriter();
  out.copy(u32(reader.u32() + entries.length));
  out.copy(reader.rest());
  for (const entry of entries) out.copy(entry);
  return out.bytes();
}

function rewriteCode(section: Uint8Array, added: Added): Uint8Array {
  const reader = new ByteReader(section);
  const count = reader.u32();
  const out = new ByteWriter();
  out.copy(u32(count + 2));
  const spend = [0x23, ...u32(added.global), 0x41, 1, ...spendTop(added.global)];
  for (let left = count; left > 0; left -= 1) out.block(rewriteBody(reader.take(reader.u32()), spend, added));
  out.block(bulkBody(added.global, [10, 0, 0]));
  out.block(bulkBody(added.global, [11, 0]));
  return out.bytes();
}

/** Code that takes the number on the stack from the allowance below it, and traps where nothing is left. */
function spendTop(global: number): readonly number[] {
  const index = u32(global);
  // i32.sub; global.set; global.get; i32.const 0; i32.lt_s; if; unreachable; end
  return [0x6b, 0x24, ...index, 0x23, ...index, 0x41, 0, 0x48, 0x04, 0x40, 0x00, 0x0b];
}

/** Body of a function (to, from or value, length) that pays for a bulk operation and does it. */
function bulkBody(global: number, operation: readonly number[]): Uint8Array {
  const cost = [0x20, 2, 0x41, COPY_SHIFT, 0x76]; // length >>> COPY_SHIFT
  const pay = [0x23, ...u32(global), ...cost, ...spendTop(global)];
  return new Uint8Array([0, ...pay, 0x20, 0, 0x20, 1, 0x20, 2, 0xfc, ...operation, 0x0b]);
}

function rewriteBody(body: Uint8Array, spend: readonly number[], added: Added): Uint8Array {
  const reader = new ByteReader(body);
  const out = new ByteWriter();
  let copied = 0;
  const flush = (end: number): void => {
    out.copy(body.subarray(copied, end));
    copied = reader.at;
  };
  for (let left = reader.u32(); left > 0; left -= 1) {
    reader.u32();
    reader.byte();
  }
  while (!reader.done) {
    const start = reader.at;
    const operation = skipInstruction(reader);
    if (operation === LOOP) {
      flush(reader.at);
      out.copy(spend);
    } else if (operation === MEMORY_COPY || operation === MEMORY_FILL) {
      flush(start);
      out.copy([0x10, ...u32(operation === MEMORY_COPY ? added.copy : added.fill)]);
    }
  }
  flush(body.length);
  return out.bytes();
}

const LOOP = 0x03;
const MEMORY_COPY = 0xfc0a;
const MEMORY_FILL = 0xfc0b;

/** Reads one instruction and gives its code; that of a two-part one is 0xfc00 and its second part. */
function skipInstruction(reader: ByteReader): number {
  const code = reader.byte();
  if (code === 0xfc) return skipBulk(reader);
  if (code === 0x0e || code === 0x1c)
    for (let left = reader.u32() + (code === 0x0e ? 1 : 0); left > 0; left -= 1) reader.u32();
  else if (code === 0x43) reader.take(4);
  else if (code === 0x44) reader.take(8);
  else for (let left = immediates(code); left > 0; left -= 1) reader.skipLeb();
  return code;
}

/** Number of LEB128 immediates of a one-byte instruction. */
function immediates(code: number): number {
  if (code >= 0x45 && code <= 0xc4) return 0; // arithmetic
  if (code >= 0x28 && code <= 0x3e) return 2; // loads and stores: alignment, offset
  if (code >= 0x20 && code <= 0x26) return 1; // variables and tables
  if (code <= 0x01 || code === 0x05 || code === 0x0b || code === 0x0f) return 0;
  if (code >= 0x02 && code <= 0x04) return 1; // block types
  if (code === 0x0c || code === 0x0d || code === 0x10) return 1;
  if (code === 0x11) return 2; // call_indirect: type, table
  if (code === 0x1a || code === 0x1b || code === 0xd1) return 0;
  if ((code >= 0x3f && code <= 0x42) || code === 0xd0 || code === 0xd2) return 1;
  throw new SandboxError(`the QuickJS module uses an instruction that cannot be metered, 0x${code.toString(16)}`);
}

/** Immediates of the instructions after 0xfc. */
const BULK_IMMEDIATES = [0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1, 2, 1, 2, 1, 1, 1];

function skipBulk(reader: ByteReader): number {
  const code = reader.u32();
  const count = BULK_IMMEDIATES[code];
  if (count === undefined)
    throw new SandboxError(`the QuickJS module uses an unknown instruction, 0xfc ${String(code)}`);
  for (let left = count; left > 0; left -= 1) reader.skipLeb();
  return 0xfc00 + code;
}

function u32(value: number): readonly number[] {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return [...bytes, rest];
    bytes.push((rest % 128) + 128);
  }
}
