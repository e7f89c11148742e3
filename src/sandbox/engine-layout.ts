/**
 * Where a QuickJS module keeps three things in its memory that its JavaScript interface does not show: the counter that
 * decides when the interpreter next calls its interrupt handler, the end of the heap, and the regions that hold all state.
 *
 * The places are found by experiment in a module that is then thrown away; modules of one build are laid out alike.
 */
import type { QuickJSContext, QuickJSWASMModule } from "quickjs-emscripten-core";
import { SandboxError } from "../base/errors.ts";

/** Polls between two interrupts that QuickJS itself would let pass. */
export const POLLS_PER_FUEL = 10_000;

/** Largest value of an allowance of work, a signed 32-bit word. */
export const MOST_WORK: number = 2 ** 31 - 1;

/** 32-bit words of a context that are searched for the counter. */
const CONTEXT_WORDS = 256;
/** Bytes of the C stack in this build. It lies between static data and heap, and is empty while no guest runs. */
const STACK_BYTES = 5 * 2 ** 20;
/** Step in which memory is searched for its regions, in 32-bit words. */
const STEP = 1024;
/** Bytes that a guest takes to show which words follow the end of the heap. */
const SAMPLE = 2 ** 20;

/** Byte addresses, other than `counterWord`. */
export type EngineLayout = {
  /** Static data lies in [0, dataEnd). */
  readonly dataEnd: number;
  /** The heap begins here or shortly after. */
  readonly heapStart: number;
  /** Of the 32-bit word that holds the end of the heap. */
  readonly breakAt: number;
  /** Index of the counter among the 32-bit words of a context. */
  readonly counterWord: number;
};

/**
 * Finds the layout with a fresh `module`, which is of no use afterwards; `words` reads its memory.
 * @throws {SandboxError} If the build is laid out in another way than expected.
 */
export function findLayout(module: QuickJSWASMModule, words: () => Int32Array): EngineLayout {
  const regions = findRegions(words());
  const runtime = module.newRuntime();
  const context = runtime.newContext();
  const counterWord = findCounter(context, words); // first: a context's very first poll is an interrupt
  return { ...regions, counterWord, breakAt: findBreak(context, () => words().slice(0, regions.dataEnd / 4)) };
}

/** Static data, then the stack (all zero so far, or nearly), then the heap, then zeros. */
function findRegions(words: Int32Array): { dataEnd: number; heapStart: number } {
  const isZero = (step: number): boolean => words.subarray(step * STEP, (step + 1) * STEP).every((word) => word === 0);
  const steps = words.length / STEP;
  let data = 0;
  while (data < steps && !isZero(data)) data += 1;
  let heap = data;
  while (heap < steps && isZero(heap)) heap += 1;
  const heapStart = heap * STEP * 4;
  const dataEnd = heapStart + STEP * 4 - STACK_BYTES;
  if (heap === steps || dataEnd < data * STEP * 4) throw new SandboxError("the module's memory has an unknown layout");
  return { dataEnd, heapStart };
}

/** The word that grows by just what is taken, twice, and holds the highest address of all such words. */
function findBreak(context: QuickJSContext, read: () => Int32Array): number {
  const states = [
    "0",
    `globalThis.a = new Uint8Array(${String(SAMPLE)})`,
    `globalThis.b = new Uint8Array(a.length)`,
  ].map((code) => {
    context.evalCode(code).dispose();
    return read();
  });
  const [start, once, twice] = states;
  let found: number | undefined;
  for (let i = 0; start !== undefined && once !== undefined && twice !== undefined && i < start.length; i += 1) {
    const [a = 0, b = 0, c = 0] = [start[i], once[i], twice[i]];
    if (b - a >= SAMPLE && c - b >= SAMPLE && (found === undefined || c > (twice[found] ?? 0))) found = i;
  }
  if (found === undefined) throw new SandboxError("the end of the heap has no known place");
  return found * 4;
}

/** Index of the word, within a context, that holds 10,000 in the interrupt handler and falls with each poll after it. */
function findCounter(context: QuickJSContext, words: () => Int32Array): number {
  const start = contextAddress(context) / 4;
  const read = (): number[] => [...words().subarray(start, start + CONTEXT_WORDS)];
  let inHandler: number[] = [];
  context.runtime.setInterruptHandler(() => {
    inHandler = read();
    return false;
  });
  const loop = "for (let i = 0; i < 100; i++);";
  context.evalCode(loop).dispose();
  const before = read();
  context.evalCode(loop).dispose();
  const after = read();
  const found = inHandler.flatMap((value, index) => {
    const polls = (before[index] ?? 0) - (after[index] ?? 0);
    return value === POLLS_PER_FUEL && polls >= 100 && polls <= 300 ? [index] : [];
  });
  const [word] = found;
  if (word === undefined || found.length !== 1) throw new SandboxError("the interrupt counter has no known place");
  return word;
}

/**
 * Address of a context, which the library keeps in a protected field.
 * @throws {SandboxError} If it is not there.
 */
export function contextAddress(context: QuickJSContext): number {
  const lifetime: unknown = Reflect.get(context, "ctx");
  const address: unknown =
    typeof lifetime === "object" && lifetime !== null ? Reflect.get(lifetime, "value") : undefined;
  if (typeof address !== "number") throw new SandboxError("a context has no address");
  return address;
}
