/** The messages of ONNX (onnx.proto, IR version 10) that a graph needs, written with `pbf`. */
import { PbfWriter } from "pbf";

/** Element types as `TensorProto.DataType` numbers them. */
export const ELEMENT_TYPES = { f32: 1, i32: 6, i64: 7 } as const;
/** One of the keys of `ELEMENT_TYPES`. */
export type ElementType = keyof typeof ELEMENT_TYPES;

/** The value of an attribute: float, integer, integer list, text or graph, told apart by its key. */
export type AttributeValue =
  | { readonly float: number }
  | { readonly int: number }
  | { readonly ints: readonly number[] }
  | { readonly text: string }
  | { readonly graph: GraphMessage };

/** A `NodeProto`. */
export type NodeMessage = {
  readonly op: string;
  /** Empty for the standard operator set. */
  readonly domain: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: Readonly<Record<string, AttributeValue>>;
};

/** A `TensorProto`; with `location` the bytes stand outside the model under that name. */
export type TensorMessage = {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
  readonly location?: string;
};

/**
 * A `ValueInfoProto`; text dimensions are symbols, and those that are no plain symbol are left open. Without a shape even
 * the rank is left open.
 */
export type ValueMessage = {
  readonly name: string;
  readonly type: ElementType;
  readonly shape?: readonly (number | string)[];
};

/** A `GraphProto`. */
export type GraphMessage = {
  readonly nodes: readonly NodeMessage[];
  readonly initializers: readonly TensorMessage[];
  readonly inputs: readonly ValueMessage[];
  readonly outputs: readonly ValueMessage[];
};

/** A `ModelProto`. */
export type ModelMessage = GraphMessage & {
  readonly opsets: readonly { readonly domain: string; readonly version: number }[];
};

const IR_VERSION = 10;
/** `AttributeProto.AttributeType`. */
const ATTRIBUTE_TYPES = { float: 1, int: 2, text: 3, graph: 5, ints: 7 } as const;

/** The bytes of `model`. */
export function encodeModel(model: ModelMessage): Uint8Array {
  const writer = new PbfWriter();
  writer.writeVarintField(1, IR_VERSION);
  writer.writeStringField(2, "spyhop");
  writer.writeMessage(7, writeGraph, model);
  for (const opset of model.opsets) writer.writeMessage(8, writeOpset, opset);
  return writer.finish();
}

function writeOpset({ domain, version }: ModelMessage["opsets"][number], writer: PbfWriter): void {
  writer.writeStringField(1, domain);
  writer.writeVarintField(2, version);
}

function writeGraph(graph: GraphMessage, writer: PbfWriter): void {
  for (const node of graph.nodes) writer.writeMessage(1, writeNode, node);
  writer.writeStringField(2, "graph");
  for (const tensor of graph.initializers) writer.writeMessage(5, writeTensor, tensor);
  for (const value of graph.inputs) writer.writeMessage(11, writeValue, value);
  for (const value of graph.outputs) writer.writeMessage(12, writeValue, value);
}

function writeNode(node: NodeMessage, writer: PbfWriter): void {
  for (const name of node.inputs) writer.writeStringField(1, name);
  for (const name of node.outputs) writer.writeStringField(2, name);
  writer.writeStringField(3, node.outputs[0] ?? node.op);
  writer.writeStringField(4, node.op);
  for (const attribute of Object.entries(node.attributes)) writer.writeMessage(5, writeAttribute, attribute);
  if (node.domain) writer.writeStringField(7, node.domain);
}

function writeAttribute([name, value]: [string, AttributeValue], writer: PbfWriter): void {
  writer.writeStringField(1, name);
  if ("float" in value) {
    writer.writeFloatField(2, value.float);
    writer.writeVarintField(20, ATTRIBUTE_TYPES.float);
  } else if ("int" in value) {
    writer.writeVarintField(3, value.int);
    writer.writeVarintField(20, ATTRIBUTE_TYPES.int);
  } else if ("text" in value) {
    writer.writeStringField(4, value.text);
    writer.writeVarintField(20, ATTRIBUTE_TYPES.text);
  } else if ("graph" in value) {
    writer.writeMessage(6, writeGraph, value.graph);
    writer.writeVarintField(20, ATTRIBUTE_TYPES.graph);
  } else {
    for (const item of value.ints) writer.writeVarintField(8, item);
    writer.writeVarintField(20, ATTRIBUTE_TYPES.ints);
  }
}

function writeTensor(tensor: TensorMessage, writer: PbfWriter): void {
  for (const dim of tensor.shape) writer.writeVarintField(1, dim);
  writer.writeVarintField(2, ELEMENT_TYPES[tensor.type]);
  writer.writeStringField(8, tensor.name);
  if (tensor.location === undefined) {
    writer.writeBytesField(9, tensor.bytes);
    return;
  }
  writer.writeMessage(13, writeEntry, ["location", tensor.location]);
  writer.writeVarintField(14, 1);
}

function writeEntry([key, value]: readonly [string, string], writer: PbfWriter): void {
  writer.writeStringField(1, key);
  writer.writeStringField(2, value);
}

function writeValue(value: ValueMessage, writer: PbfWriter): void {
  writer.writeStringField(1, value.name);
  writer.writeMessage(2, writeType, value);
}

function writeType(value: ValueMessage, writer: PbfWriter): void {
  writer.writeMessage(1, writeTensorType, value);
}

function writeTensorType(value: ValueMessage, writer: PbfWriter): void {
  writer.writeVarintField(1, ELEMENT_TYPES[value.type]);
  if (value.shape) writer.writeMessage(2, writeShape, value.shape);
}

function writeShape(shape: readonly (number | string)[], writer: PbfWriter): void {
  for (const dim of shape) writer.writeMessage(1, writeDimension, dim);
}

function writeDimension(dim: number | string, writer: PbfWriter): void {
  if (typeof dim === "number") writer.writeVarintField(1, dim);
  else if (/^[A-Za-z]\w*$/.test(dim)) writer.writeStringField(2, dim);
}
