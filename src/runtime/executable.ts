/** A graph compiled for one device: checks what is fed, binds symbols, and fills the inputs that only ONNX needs. */
import { describeError, DeviceError } from "../base/errors.ts";
import { bindDim, evalDim, formatShape } from "../graph/dims.ts";
import { input, neg } from "../graph/builder.ts";
import { buildGraph, type Graph } from "../graph/graph.ts";
import type { OpAttributes } from "../graph/ops.ts";
import { emitOnnx, type ShapeInput } from "../onnx/emit.ts";
import {
  isHostTensor,
  type Runtime,
  type Session,
  type SessionOptions,
  type TensorData,
  type TensorType,
  type TensorValue,
} from "./session.ts";

export { MOST_THREADS } from "../onnx/products.ts";

/** Options of `compileGraph`. */
export type CompileOptions = Pick<SessionOptions, "keepOnDevice" | "refuseFallback" | "packsWeights">;

/** A compiled graph. Runs must not overlap. */
export type Executable = AsyncDisposable & {
  /** Runs with one value for each input of the graph; outputs by name. */
  readonly run: (feeds: Readonly<Record<string, TensorValue>>) => Promise<Readonly<Record<string, TensorValue>>>;
};

/**
 * Compiles `graph` for the device of `runtime`.
 * @throws {DeviceError} If the device refuses it.
 */
export async function compileGraph(graph: Graph, runtime: Runtime, options: CompileOptions = {}): Promise<Executable> {
  // Node has one WASM thread and a tab has several, yet both are to write the same ledger; elsewhere the cuts only cost time.
  const model = emitOnnx(graph, { hasFixedSums: runtime.device === "wasm" });
  const session = await runtime.createSession(model.bytes, { ...options, externalData: model.externalData });
  return new CompiledGraph(graph, session, model.shapeInputs);
}

/**
 * Compiles and runs the smallest graph there is, since a backend that is listed may still miss its driver or libraries.
 * @throws {DeviceError} If that fails.
 */
export async function probeRuntime(runtime: Runtime): Promise<void> {
  try {
    await using executable = await compileGraph(buildGraph({ y: neg(input("x", "f32", [1])) }), runtime);
    await executable.run({ x: { type: "f32", shape: [1], data: Float32Array.of(1) } });
  } catch (error) {
    const reason = describeError(error);
    throw new DeviceError(`device ${runtime.device} is not usable here: ${reason}; try --device cpu`, { cause: error });
  }
}

/** The data of f32 output `name`, which must be on the host. */
export function floats(outputs: Readonly<Record<string, TensorValue>>, name: string): Float32Array {
  return hostData(outputs, name, "f32");
}

/** The data of i32 output `name`, which must be on the host. */
export function integers(outputs: Readonly<Record<string, TensorValue>>, name: string): Int32Array {
  return hostData(outputs, name, "i32");
}

function hostData<T extends TensorType>(
  outputs: Readonly<Record<string, TensorValue>>,
  name: string,
  type: T,
): TensorData[T] {
  const value = outputs[name];
  if (!value || !isHostTensor(value) || value.type !== type)
    throw new TypeError(`output ${name}: expected ${type} on the host, got ${value ? value.type : "nothing"}`);
  return value.data as TensorData[T];
}

class CompiledGraph implements Executable {
  readonly #graph: Graph;
  readonly #session: Session;
  readonly #shapeInputs: readonly ShapeInput[];
  readonly #outputNames: readonly string[];

  constructor(graph: Graph, session: Session, shapeInputs: readonly ShapeInput[]) {
    this.#graph = graph;
    this.#session = session;
    this.#shapeInputs = shapeInputs;
    this.#outputNames = Object.keys(graph.outputs);
  }

  async run(feeds: Readonly<Record<string, TensorValue>>): Promise<Readonly<Record<string, TensorValue>>> {
    const bindings = this.#bind(feeds);
    const all: Record<string, TensorValue> = { ...feeds };
    for (const { name, dims } of this.#shapeInputs) {
      const data = BigInt64Array.from(dims, (dim) => BigInt(evalDim(dim, bindings)));
      all[name] = { type: "i64", shape: [dims.length], data };
    }
    return this.#session.run(all, this.#outputNames);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session[Symbol.asyncDispose]();
  }

  #bind(feeds: Readonly<Record<string, TensorValue>>): Map<string, number> {
    const bindings = new Map<string, number>();
    for (const { attributes } of this.#graph.inputs) {
      const value = feeds[attributes.name];
      if (!value) throw new TypeError(`${describeInput(attributes)}, got nothing`);
      const isOfKind = value.type === attributes.type && value.shape.length === attributes.shape.length;
      const fits = isOfKind && attributes.shape.every((dim, axis) => bindDim(bindings, dim, value.shape[axis] ?? 0));
      if (!fits) throw new RangeError(`${describeInput(attributes)}, got ${value.type} ${formatShape(value.shape)}`);
    }
    return bindings;
  }
}

function describeInput({ name, type, shape }: OpAttributes["input"]): string {
  return `${name}: expected ${type} ${formatShape(shape)}`;
}
