/**
 * The port between graphs and whatever runs them. `ort-runtime.ts` implements it over any build of ONNX Runtime; the
 * build (Node or web) is handed in by a platform folder, so nothing here depends on a host.
 */

/** Where a session runs. */
export const DEVICES = ["cpu", "wasm", "webgpu", "cuda"] as const;
/** One of `DEVICES`. */
export type DeviceName = (typeof DEVICES)[number];

/** Element types that cross the port. `i64` only where ONNX demands it (shape inputs). */
export const TENSOR_TYPES = ["f32", "f16", "i32", "i64", "bool"] as const;
/** One of `TENSOR_TYPES`. */
export type TensorType = (typeof TENSOR_TYPES)[number];

/** The typed array that holds each element type; f16 is held as its bits. */
export type TensorData = {
  readonly f32: Float32Array;
  readonly f16: Uint16Array;
  readonly i32: Int32Array;
  readonly i64: BigInt64Array;
  readonly bool: Uint8Array;
};

/** A tensor in host memory. The data is not copied on CPU devices: do not change it while a run is under way. */
export type HostTensor = {
  [K in TensorType]: { readonly type: K; readonly shape: readonly number[]; readonly data: TensorData[K] };
}[TensorType];

/** A tensor that stays on its device between runs; the owner disposes it. */
export type DeviceTensor = Disposable & {
  readonly type: TensorType;
  readonly shape: readonly number[];
  /** Copies the values to the host. */
  readonly download: () => Promise<HostTensor>;
};

/** What a session takes and gives. */
export type TensorValue = HostTensor | DeviceTensor;

/** Options of `Runtime.createSession`. */
export type SessionOptions = {
  /** Outputs to leave on the device, by name, where the device has memory of its own. @default none */
  readonly keepOnDevice?: readonly string[];
  /** Large initializers stored outside the model, by the location name that the model gives them. @default none */
  readonly externalData?: readonly { readonly path: string; readonly data: Uint8Array }[];
  /** Fail instead of letting the CPU run a node that the device cannot. @default false */
  readonly refuseFallback?: boolean;
  /**
   * Whether the CPU keeps weights in the order in which its products read them: faster with few rows, but a weight that is
   * multiplied from both sides is held twice. @default true
   */
  readonly packsWeights?: boolean;
};

/** One compiled model. Runs must not overlap; callers await each. */
export type Session = AsyncDisposable & {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  /** Runs once. Host inputs are uploaded; outputs are host tensors unless `keepOnDevice` names them. */
  readonly run: (
    feeds: Readonly<Record<string, TensorValue>>,
    fetches?: readonly string[],
  ) => Promise<Readonly<Record<string, TensorValue>>>;
};

/** A device that can compile and run models. */
export type Runtime = {
  readonly device: DeviceName;
  /** Threads, adapter or library version: what a person would want to know. */
  readonly description: string;
  /** @throws {DeviceError} If the device refuses the model. */
  readonly createSession: (model: Uint8Array, options?: SessionOptions) => Promise<Session>;
};

/** Whether `value` is in host memory. */
export function isHostTensor(value: TensorValue): value is HostTensor {
  return "data" in value;
}
