/**
 * A folder with a sentence-embedding model as transformers.js expects one, made of a few ONNX ops and the tokenizer of the
 * tiny model, and the same model written out in float64.
 */
import { readFileSync } from "node:fs";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { JsonValue } from "../../src/base/json.ts";
import { createRng } from "../../src/base/rng.ts";
import { encodeModel, type NodeMessage, type TensorMessage } from "../../src/onnx/proto.ts";
import { OPSET } from "../../src/onnx/rules.ts";
import { createTokenizer, type TextTokenizer } from "../../src/text/tokenizer.ts";

const TOKENIZER_FOLDER = "models/tiny";
const VOCABULARY = 1024;
const WIDTH = 16;

/** [V, D] token vectors. */
const TABLE = createTable();

function createTable(): Float32Array {
  const rng = createRng("embedding model");
  return Float32Array.from({ length: VOCABULARY * WIDTH }, () => 2 * rng.uniform() - 1);
}

/** Writes the model into `folder`; `output` is the name of its output. */
export async function writeEmbeddingModel(folder: string, output = "last_hidden_state"): Promise<void> {
  await mkdir(join(folder, "onnx"), { recursive: true });
  for (const file of ["tokenizer.json", "tokenizer_config.json"])
    await copyFile(join(TOKENIZER_FOLDER, file), join(folder, file));
  const config = { architectures: ["BertModel"], model_type: "bert", hidden_size: WIDTH, vocab_size: VOCABULARY };
  await writeFile(join(folder, "config.json"), JSON.stringify(config));
  await writeFile(join(folder, "onnx", "model.onnx"), encodeEmbedding(output));
}

/** Each token's vector e becomes e + e c, where c is the mean of e over the tokens that the mask keeps. */
function encodeEmbedding(output: string): Uint8Array {
  return encodeModel({
    opsets: [{ domain: "", version: OPSET }],
    inputs: [
      { name: "input_ids", type: "i64", shape: ["B", "T"] },
      { name: "attention_mask", type: "i64", shape: ["B", "T"] },
    ],
    initializers: [
      { name: "table", type: "f32", shape: [VOCABULARY, WIDTH], bytes: bytesOf(TABLE) },
      integers("last", 2),
      integers("tokens", 1),
    ],
    nodes: [
      op("Gather", [["table", "input_ids"], "e"]),
      op("Cast", [["attention_mask"], "kept"], { to: { int: 1 } }),
      op("Unsqueeze", [["kept", "last"], "mask"]),
      op("Mul", [["e", "mask"], "masked"]),
      op("ReduceSum", [["masked", "tokens"], "sum"], { keepdims: { int: 1 } }),
      op("ReduceSum", [["mask", "tokens"], "count"], { keepdims: { int: 1 } }),
      op("Div", [["sum", "count"], "c"]),
      op("Mul", [["e", "c"], "mixed"]),
      op("Add", [["e", "mixed"], output]),
    ],
    outputs: [{ name: output, type: "f32", shape: ["B", "T", WIDTH] }],
  });
}

type Wiring = readonly [inputs: readonly string[], output: string];

function op(name: string, [inputs, output]: Wiring, attributes: NodeMessage["attributes"] = {}): NodeMessage {
  return { op: name, domain: "", inputs, outputs: [output], attributes };
}

function integers(name: string, ...values: readonly number[]): TensorMessage {
  return { name, type: "i64", shape: [values.length], bytes: bytesOf(BigInt64Array.from(values, BigInt)) };
}

function bytesOf(data: ArrayBufferView): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

let tokenizer: TextTokenizer | undefined;

function openTokenizer(): TextTokenizer {
  const read = (file: string): JsonValue => JSON.parse(readFileSync(join(TOKENIZER_FOLDER, file), "utf8")) as JsonValue;
  return createTokenizer({ tokenizer: read("tokenizer.json"), config: read("tokenizer_config.json") });
}

/** The unit vector [D] of `text`: the mean, the first or the last of what the model makes of its tokens. */
export function expectedVector(text: string, pooling: "mean" | "cls" | "last" = "mean"): number[] {
  tokenizer ??= openTokenizer();
  const ids = tokenizer.encode(text);
  const at = (id: number, i: number): number => TABLE[id * WIDTH + i] ?? 0;
  const mean = (of: (id: number, i: number) => number): number[] =>
    Array.from({ length: WIDTH }, (_, i) => ids.reduce((sum, id) => sum + of(id, i), 0) / ids.length);
  const context = mean(at);
  const mixed = (id: number, i: number): number => at(id, i) * (1 + (context[i] ?? 0));
  const one = ids.at(pooling === "last" ? -1 : 0) ?? 0;
  const vector = pooling === "mean" ? mean(mixed) : Array.from({ length: WIDTH }, (_, i) => mixed(one, i));
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
}
