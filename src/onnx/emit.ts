/** A graph to the bytes of an ONNX model, with what a runtime needs to feed it. */
import { GraphError } from "../base/errors.ts";
import type { Dim } from "../graph/dims.ts";
import type { Graph, Node } from "../graph/graph.ts";
import type { OpAttributes } from "../graph/ops.ts";
import { cutRows, type ConstantPart } from "./large-constants.ts";
import { encodeModel, type ElementType, type NodeMessage, type TensorMessage } from "./proto.ts";
import { CONTRIB, EMIT, OPSET, type EmitContext } from "./rules.ts";

/** An input that the caller of a run does not see: an int64 vector worked out from the symbols' values. */
export type ShapeInput = { readonly name: string; readonly dims: readonly Dim[] };

/** An emitted model. */
export type OnnxModel = {
  readonly bytes: Uint8Array;
  readonly shapeInputs: readonly ShapeInput[];
  /** Initializers that stand outside `bytes`, by location. */
  readonly externalData: readonly { readonly path: string; readonly data: Uint8Array }[];
};

/** Options of `emitOnnx`. */
export type EmitOptions = {
  /** Constants stand outside the model when they take more bytes than this together. @default 1 GiB */
  readonly externalAbove?: number;
  /** Whether products round alike for any number of threads (`products.ts`). @default false */
  readonly hasFixedSums?: boolean;
  /** Bytes above which a constant is cut into parts (`large-constants.ts`). @default 1 GiB */
  readonly largestInitializer?: number;
};

/** Protobuf messages end at 2 GiB; half of it leaves room for everything else. */
const DEFAULT_EXTERNAL_ABOVE = 2 ** 30;
const DEFAULT_LARGEST_INITIALIZER = 2 ** 30;
/** Constants smaller than this stay inside: shapes and scalars that the optimiser wants to see. */
const SMALL_CONSTANT = 65_536;

/** Emits `graph`; the bytes depend on the graph and the options alone. */
export function emitOnnx(graph: Graph, options: EmitOptions = {}): OnnxModel {
  const emitter = new Emitter(graph, {
    externalAbove: DEFAULT_EXTERNAL_ABOVE,
    hasFixedSums: false,
    largestInitializer: DEFAULT_LARGEST_INITIALIZER,
    ...options,
  });
  return emitter.finish();
}

type NodeOptions = {
  readonly output?: string;
  readonly domain?: string;
  readonly attributes?: NodeMessage["attributes"];
  /** Which of two outputs is read. @default the only one */
  readonly read?: "first" | "second";
};

class Emitter {
  readonly #graph: Graph;
  readonly #names = new Map<Node, string>();
  readonly #nodes: NodeMessage[] = [];
  readonly #initializers = new Map<string, TensorMessage>();
  readonly #shapeInputs = new Map<string, ShapeInput>();
  readonly #isExternal: boolean;
  readonly #largest: number;
  /** Constants that are cut, with their parts. */
  readonly #parts = new Map<Node, readonly ConstantPart[]>();
  readonly #context: EmitContext;

  constructor(graph: Graph, { externalAbove, hasFixedSums, largestInitializer }: Required<EmitOptions>) {
    this.#graph = graph;
    this.#largest = largestInitializer;
    this.#context = this.#contextFor(hasFixedSums);
    const constants = graph.nodes.filter((node) => node.kind === "constant");
    this.#isExternal = constants.reduce((sum, node) => sum + node.attributes.data.byteLength, 0) > externalAbove;
  }

  finish(): OnnxModel {
    for (const node of this.#graph.nodes) this.#names.set(node, this.#emitNode(node));
    const outputs = Object.entries(this.#graph.outputs).map(([name, { type, shape }]) => ({ name, type, shape }));
    const nodes = this.#nameOutputs();
    const inputs = this.#graph.inputs.map(({ attributes }) => attributes);
    const shapeInputs = [...this.#shapeInputs.values()];
    const initializers = [...this.#initializers.values()];
    const bytes = encodeModel({
      opsets: [
        { domain: "", version: OPSET },
        { domain: CONTRIB, version: 1 },
      ],
      nodes,
      initializers,
      inputs: [
        ...inputs,
        ...shapeInputs.map(({ name, dims }) => ({ name, type: "i64" as const, shape: [dims.length] })),
      ],
      outputs,
    });
    const externalData = initializers.flatMap(({ location, bytes: data }) =>
      location === undefined ? [] : [{ path: location, data }],
    );
    return { bytes, shapeInputs, externalData };
  }

  #emitNode(node: Node): string {
    if (node.kind === "input") return node.attributes.name;
    if (node.kind === "constant") return this.#constant(node);
    const isCut = node.inputs.some((value, index) => this.#parts.has(value) && !readsParts(node, index));
    if (isCut)
      throw new GraphError(`emit: a ${node.kind} can't read a constant of more than ${String(this.#largest)} bytes`);
    const rule = EMIT[node.kind] as (typeof EMIT)["neg"];
    const attributes = node.attributes as OpAttributes["neg"];
    return rule({ node, attributes, inputs: node.inputs.map((value) => this.#nameOf(value)), context: this.#context });
  }

  /** The nodes, with the graph's outputs named as they should be: the node that makes an output takes its name. */
  #nameOutputs(): NodeMessage[] {
    const made = new Set(this.#nodes.flatMap((node) => node.outputs));
    const renamed = new Map<string, string>();
    const copies: [string, string][] = [];
    for (const [name, node] of Object.entries(this.#graph.outputs)) {
      const from = this.#nameOf(node);
      if (made.has(from) && !renamed.has(from)) renamed.set(from, name);
      else copies.push([from, name]);
    }
    for (const [from, output] of copies) this.#push("Identity", [from], { output });
    const rename = (name: string): string => renamed.get(name) ?? name;
    return this.#nodes.map((node) => ({
      ...node,
      inputs: node.inputs.map(rename),
      outputs: node.outputs.map(rename),
    }));
  }

  #contextFor(hasFixedSums: boolean): EmitContext {
    return {
      hasFixedSums,
      emit: (op, inputs, attributes = {}) => this.#push(op, inputs, { attributes }),
      emitFirst: (op, inputs, attributes = {}) => this.#push(op, inputs, { attributes, read: "first" }),
      emitSecond: (op, inputs, attributes = {}) => this.#push(op, inputs, { attributes, read: "second" }),
      contrib: (op, inputs, attributes = {}) => this.#push(op, inputs, { attributes, domain: CONTRIB }),
      integers: (values) => this.#integers(values),
      int32: (value) =>
        this.#initializer(`int32:${String(value)}`, { type: "i32", shape: [], bytes: bytesOf(Int32Array.of(value)) }),
      partsOf: (node) => node && this.#parts.get(node),
      floats: (name, { shape, data }) => this.#initializer(name, { type: "f32", shape, bytes: bytesOf(data) }),
      scalar: (value) =>
        this.#initializer(`scalar:${String(value)}`, {
          type: "f32",
          shape: [],
          bytes: bytesOf(Float32Array.of(value)),
        }),
    };
  }

  #push(op: string, inputs: readonly string[], rest: NodeOptions): string {
    const { domain = "", attributes = {}, read } = rest;
    const output = rest.output ?? `v${String(this.#nodes.length)}`;
    const other = `${output}.unread`;
    const outputs = read === undefined ? [output] : read === "first" ? [output, other] : [other, output];
    this.#nodes.push({ op, domain, inputs, outputs, attributes });
    return output;
  }

  #constant(node: Node<"constant">): string {
    const { type, shape, data } = node.attributes;
    if (shape.length === 0 && type === "f32") return this.#context.scalar(data[0] ?? 0);
    if (data.byteLength <= this.#largest) return this.#tensor({ type, shape, data });
    const [, columns = 1] = shape;
    const parts = cutRows(shape, this.#largest).map(({ start, rows }) => {
      const part = data.subarray(start * columns, (start + rows) * columns);
      return { name: this.#tensor({ type, shape: [rows, columns], data: part }), start, rows };
    });
    this.#parts.set(node, parts);
    return parts[0]?.name ?? "";
  }

  #tensor({ type, shape, data }: OpAttributes["constant"]): string {
    const name = `c${String(this.#initializers.size)}`;
    const isOutside = this.#isExternal && data.byteLength >= SMALL_CONSTANT;
    const location = isOutside ? { location: name } : {};
    return this.#initializer(name, { type, shape, bytes: bytesOf(data), ...location });
  }

  #integers(values: readonly Dim[]): string {
    const name = `shape:${values.join(",")}`;
    if (values.every((value) => typeof value === "number")) {
      const data = BigInt64Array.from(values, BigInt);
      return this.#initializer(name, { type: "i64", shape: [values.length], bytes: bytesOf(data) });
    }
    this.#shapeInputs.set(name, { name, dims: values });
    return name;
  }

  #initializer(
    name: string,
    tensor: { type: ElementType; shape: readonly number[]; bytes: Uint8Array; location?: string },
  ): string {
    this.#initializers.set(name, { name, ...tensor });
    return name;
  }

  #nameOf(node: Node): string {
    const name = this.#names.get(node);
    if (name === undefined) throw new GraphError(`emit: a ${node.kind} is used before it is defined`);
    return name;
  }
}

/** Whether the rule of `node` knows what to do with a constant in parts as its input `index`. */
function readsParts(node: Node, index: number): boolean {
  return (node.kind === "gather" && index === 0) || (node.kind === "gemm" && index === 1);
}

function bytesOf(data: ArrayBufferView): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}
