/** Which device runs the model: every usable one does the same short piece of training, and the fastest is taken. */
import {
  describeError,
  openPolicy,
  resolveConfig,
  type ChatCodec,
  type Example,
  type Runtime,
} from "../../src/index.ts";
import {
  availableThreads,
  findAdapter,
  openWasmRuntime,
  openWebgpuRuntime,
} from "../../src/platform/browser/ort-web.ts";
import type { DeviceChoice, DeviceReport, DeviceTrial } from "../protocol/lab.ts";
import { LabProblem } from "./problems.ts";
import { ENGINE_URL, MODEL, MODEL_FOLDER } from "./registry.ts";

/** The device in use, and the codec of the model that was tried on it. */
export type Device = { readonly runtime: Runtime; readonly report: DeviceReport; readonly codec: ChatCodec };

/** Examples of one trial step, and tokens in each: about as much as one small training step of the preset. */
const TRIAL_EXAMPLES = 16;
const TRIAL_TOKENS = 64;
/** Tokens a second below which the larger trial would keep the page waiting for seconds. */
const SLOW = 200;

/**
 * Opens `wanted`, or the fastest device of this machine.
 * @throws {LabProblem} If `wanted` cannot be used.
 */
export async function openDevice(wanted: DeviceChoice | undefined): Promise<Device> {
  const candidates = wanted === undefined ? await listCandidates() : [await candidateOf(wanted)];
  const tried: Tried[] = [];
  for (const candidate of candidates) tried.push(await tryDevice(candidate));
  const usable = tried.filter(({ trial }) => trial.isUsable);
  usable.sort((a, b) => (b.trial.tokensPerSecond ?? 0) - (a.trial.tokensPerSecond ?? 0));
  const [best] = usable;
  const trials = [...usable, ...tried.filter(({ trial }) => !trial.isUsable)].map(({ trial }) => trial);
  if (best?.opened === undefined)
    throw new LabProblem({
      kind: "device",
      what: `The model cannot run here: ${trials.map(({ choice, detail }) => `${choice}: ${detail}`).join("; ")}.`,
      safe: "Nothing was changed.",
      next: wanted === undefined ? "Use a current browser with WebAssembly." : "Choose another device.",
    });
  const { choice, tokensPerSecond } = best.trial;
  const threads = choice === "webgpu" ? 0 : choice === "wasm" ? 1 : availableThreads();
  const { runtime, codec } = best.opened;
  return {
    runtime,
    codec,
    report: {
      choice,
      device: runtime.device,
      threads,
      label: labelOf(choice, threads),
      tokensPerSecond,
      reason: reasonOf(best.trial, trials, wanted),
      trials,
    },
  };
}

type Tried = {
  readonly trial: DeviceTrial;
  readonly opened: { readonly runtime: Runtime; readonly codec: ChatCodec } | undefined;
};

type Candidate = {
  readonly choice: DeviceChoice;
  readonly detail: string;
  /** Undefined where it cannot be used. */
  readonly open: (() => Promise<Runtime>) | undefined;
};

async function listCandidates(): Promise<Candidate[]> {
  const wasm = await candidateOf(availableThreads() > 1 ? "wasm-threads" : "wasm");
  const others = wasm.choice === "wasm" ? [await candidateOf("wasm-threads")] : [];
  const webgpu = await candidateOf("webgpu");
  // Software WebGPU is slower than the CPU for certain; it runs only where it is asked for.
  const adapter = await findAdapter();
  const isSoftware = !("missing" in adapter) && adapter.isSoftware;
  return [
    wasm,
    isSoftware ? { ...webgpu, open: undefined, detail: `${webgpu.detail}, in software` } : webgpu,
    ...others,
  ];
}

async function candidateOf(choice: DeviceChoice): Promise<Candidate> {
  const assets = ENGINE_URL;
  if (choice === "webgpu") {
    const adapter = await findAdapter();
    if ("missing" in adapter) return { choice, detail: adapter.missing, open: undefined };
    return { choice, detail: adapter.name, open: () => openWebgpuRuntime({ assets }) };
  }
  if (choice === "wasm") return { choice, detail: "one thread", open: () => openWasmRuntime({ assets, threads: 1 }) };
  const threads = availableThreads();
  if (!globalThis.crossOriginIsolated)
    return { choice, detail: "this host sends no COOP and COEP headers, so there are no threads", open: undefined };
  if (threads === 1) return { choice, detail: "this machine has one processor", open: undefined };
  return { choice, detail: `${String(threads)} threads`, open: () => openWasmRuntime({ assets, threads }) };
}

async function tryDevice({ choice, detail, open }: Candidate): Promise<Tried> {
  if (!open) return { trial: { choice, detail, isUsable: false, tokensPerSecond: undefined }, opened: undefined };
  try {
    const runtime = await open();
    const { codec, tokensPerSecond } = await measure(runtime);
    return { trial: { choice, detail, isUsable: true, tokensPerSecond }, opened: { runtime, codec } };
  } catch (error) {
    const trial = { choice, detail: describeError(error), isUsable: false, tokensPerSecond: undefined };
    return { trial, opened: undefined };
  }
}

/** Tokens a second of one training step, after a small one that warms up; a slow device is known by a small one. */
async function measure(runtime: Runtime): Promise<{ readonly codec: ChatCodec; readonly tokensPerSecond: number }> {
  const config = resolveConfig("tab", { domain: "", condition: "whale", model: MODEL, seed: 0 });
  await using opened = await openPolicy({ name: MODEL, folder: MODEL_FOLDER, runtime, config });
  const speedOf = async (examples: number): Promise<number> => {
    const start = performance.now();
    await opened.policy.trainStep(trialExamples(examples));
    return (examples * TRIAL_TOKENS * 1000) / (performance.now() - start);
  };
  await speedOf(1);
  const small = await speedOf(1);
  const tokensPerSecond = small < SLOW ? small : await speedOf(TRIAL_EXAMPLES);
  return { codec: opened.codec, tokensPerSecond };
}

function trialExamples(count: number): Example[] {
  const ids = Array.from({ length: TRIAL_TOKENS }, (_, i) => 100 + i);
  return Array.from({ length: count }, () => ({ ids, mask: ids.map(() => 1) }));
}

function labelOf(choice: DeviceChoice, threads: number): string {
  if (choice === "webgpu") return "WebGPU";
  return `WASM, ${String(threads)} ${threads === 1 ? "thread" : "threads"}`;
}

function reasonOf(best: DeviceTrial, trials: readonly DeviceTrial[], wanted: DeviceChoice | undefined): string {
  const speed = (trial: DeviceTrial): string => `${String(Math.round(trial.tokensPerSecond ?? 0))} tokens a second`;
  if (wanted !== undefined) return `Chosen by you; it trains ${speed(best)}.`;
  const others = trials
    .filter((trial) => trial !== best)
    .map((trial) => `${NAMES[trial.choice]} ${trial.isUsable ? `trains ${speed(trial)}` : `is out: ${trial.detail}`}`);
  const rest = others.length > 0 ? ` ${others.join("; ")}.` : "";
  return `${NAMES[best.choice]} is the fastest here: it trains ${speed(best)}.${rest}`;
}

const NAMES: Readonly<Record<DeviceChoice, string>> = {
  webgpu: "WebGPU",
  "wasm-threads": "WASM with threads",
  wasm: "WASM with one thread",
};
