/**
 * `Runtime` over any build of ONNX Runtime. The build is handed in as its `InferenceSession` and `Tensor`, which
 * `onnxruntime-node` and the entries of `onnxruntime-web` share.
 *
 * Options follow what was measured: int8 activations behind a 4-bit weight are refused (they would make sampler and
 * trainer disagree), and memory patterns are off because batch and length change from run to run.
 */
import type { InferenceSession, Tensor } from "onnxruntime-common";
import { describeError, DeviceError } from "../base/errors.ts";
import {
  isHostTensor,
  type DeviceName,
  type DeviceTensor,
  type HostTensor,
  type Runtime,
  type Session,
  type SessionOptions,
  type TensorType,
  type TensorValue,
} from "./session.ts";

/** The part of ONNX Runtime that is used. */
export type OrtBuild = {
  readonly InferenceSession: {
    readonly create: (model: Uint8Array, options?: InferenceSession.SessionOptions) => Promise<InferenceSession>;
  };
  readonly Tensor: typeof Tensor;
};

/** What `createOrtRuntime` is told. */
export type OrtRuntimeConfig = {
  readonly device: DeviceName;
  readonly description: string;
  /** Threads of one session on the CPU; 0 lets ONNX Runtime choose. */
  readonly threads: number;
};

const ORT_TYPES = { f32: "float32", f16: "float16", i32: "int32", i64: "int64", bool: "bool" } as const;

/** Wraps `ort` as the runtime of one device. */
export function createOrtRuntime(ort: OrtBuild, config: OrtRuntimeConfig): Runtime {
  return {
    device: config.device,
    description: config.description,
    createSession: async (model, options = {}) => {
      try {
        const session = await ort.InferenceSession.create(model, sessionOptions(config, options));
        return new OrtSession(ort, session, config.device);
      } catch (error) {
        throw new DeviceError(`${config.device}: session refused: ${describeError(error)}`, { cause: error });
      }
    },
  };
}

function sessionOptions(config: OrtRuntimeConfig, options: SessionOptions): InferenceSession.SessionOptions {
  const { device, threads } = config;
  const { keepOnDevice = [], externalData = [], refuseFallback = false, packsWeights = true } = options;
  const isWebgpu = device === "webgpu";
  return {
    executionProviders: device === "cpu" || device === "cuda" || isWebgpu ? [device] : ["wasm"],
    graphOptimizationLevel: "all",
    enableMemPattern: false,
    logSeverityLevel: 3,
    ...(device === "cpu" && threads > 0 ? { intraOpNumThreads: threads } : {}),
    ...(isWebgpu && keepOnDevice.length > 0
      ? { preferredOutputLocation: Object.fromEntries(keepOnDevice.map((name) => [name, "gpu-buffer"] as const)) }
      : {}),
    ...(externalData.length > 0 ? { externalData: [...externalData] } : {}),
    extra: {
      session: {
        qdq_matmulnbits_accuracy_level: "0",
        ...(refuseFallback ? { disable_cpu_ep_fallback: "1" } : {}),
        ...(packsWeights ? {} : { disable_prepacking: "1" }),
      },
    },
  };
}

class OrtSession implements Session {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  readonly #ort: OrtBuild;
  readonly #session: InferenceSession;
  readonly #device: DeviceName;
  /** Values that are fed again and again, such as weights, are wrapped once. */
  readonly #wrapped = new WeakMap<HostTensor, Tensor>();

  constructor(ort: OrtBuild, session: InferenceSession, device: DeviceName) {
    this.#ort = ort;
    this.#session = session;
    this.#device = device;
    this.inputNames = session.inputNames;
    this.outputNames = session.outputNames;
  }

  async run(
    feeds: Readonly<Record<string, TensorValue>>,
    fetches: readonly string[] = this.outputNames,
  ): Promise<Readonly<Record<string, TensorValue>>> {
    const inputs: Record<string, Tensor> = {};
    for (const name of this.inputNames) {
      const value = feeds[name];
      if (!value) throw new TypeError(`session: input ${name} is missing`);
      inputs[name] = this.#toOrt(value);
    }
    const outputs = await this.#session.run(inputs, [...fetches]);
    const entries = Object.entries(outputs).map(([name, tensor]) => [name, this.#fromOrt(tensor)] as const);
    return Object.fromEntries(entries);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session.release();
  }

  #toOrt(value: TensorValue): Tensor {
    if (value instanceof OrtDeviceTensor) return value.tensor;
    if (!isHostTensor(value)) throw new TypeError(`session: a tensor of another device was fed to ${this.#device}`);
    const known = this.#wrapped.get(value);
    if (known) return known;
    // The constructor is overloaded by type; one cast instead of five branches that do the same.
    const tensor = new this.#ort.Tensor(ORT_TYPES[value.type] as "float32", value.data as Float32Array, value.shape);
    this.#wrapped.set(value, tensor);
    return tensor;
  }

  #fromOrt(tensor: Tensor): TensorValue {
    return tensor.location === "gpu-buffer" ? new OrtDeviceTensor(tensor) : hostTensor(tensor, tensor.data);
  }
}

class OrtDeviceTensor implements DeviceTensor {
  readonly tensor: Tensor;

  constructor(tensor: Tensor) {
    this.tensor = tensor;
  }

  get type(): TensorType {
    return typeOf(this.tensor);
  }

  get shape(): readonly number[] {
    return this.tensor.dims;
  }

  async download(): Promise<HostTensor> {
    return hostTensor(this.tensor, await this.tensor.getData());
  }

  [Symbol.dispose](): void {
    this.tensor.dispose();
  }
}

function hostTensor(tensor: Tensor, data: Tensor.DataType): HostTensor {
  return { type: typeOf(tensor), shape: tensor.dims, data } as HostTensor;
}

function typeOf(tensor: Tensor): TensorType {
  const found = Object.entries(ORT_TYPES).find(([, name]) => name === tensor.type);
  if (!found) throw new DeviceError(`session: element type ${tensor.type} is not supported`);
  return found[0] as TensorType;
}
