/** Sentence embeddings in a Node process, by the feature extraction of `@huggingface/transformers`; loaded when asked for. */
import { existsSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { ConfigError, describeError } from "../../base/errors.ts";
import { readStyle, type StyleSettings } from "./embedding-style.ts";

/** Texts to unit vectors; `role` says whether they ask or are asked for. */
export type Embedder = (texts: readonly string[], role: "query" | "passage") => Promise<Float32Array[]>;

/** Files without which a folder is no model. */
const FILES = ["config.json", "tokenizer.json", "tokenizer_config.json", "onnx/model.onnx"];

/** Outputs with a vector for each token. The library would also pool the logits of a model that embeds nothing. */
const TOKEN_VECTORS = ["last_hidden_state", "token_embeddings"];

/**
 * Opens the model `name`: a folder with the files of `FILES`, or a name on the Hugging Face hub, which is
 * downloaded. Vectors are of norm 1, made of those of the tokens as the model's folder or `settings` say. The embedder throws
 * a `ConfigError` where the model fails.
 * @throws {ConfigError} If it cannot be opened, or does not embed.
 */
export async function openEmbedder(name: string, settings: StyleSettings = AS_THE_MODEL_SAYS): Promise<Embedder> {
  const isFolder = requireFolder(name);
  const { pooling, prefixes } = readStyle(name, isFolder, settings);
  const extract = await openPipeline(name, isFolder);
  requireTokenVectors(name, extract.model.sessions as Sessions);
  const embed = async (texts: readonly string[]): Promise<Float32Array[]> => {
    const options = { pooling: POOLING_NAMES[pooling], normalize: true } as const;
    const vectors = await guard(`${name} fails`, () => extract([...texts], options));
    const [rows, width] = vectors.dims;
    const values = Float32Array.from(vectors.data as Iterable<number>);
    return Array.from({ length: rows ?? 0 }, (_, row) => values.slice(row * (width ?? 0), (row + 1) * (width ?? 0)));
  };
  return async (texts, role) => {
    const marked = texts.map((text) => prefixes[role] + text);
    if (pooling !== "last") return embed(marked);
    // The library takes the last column, which padding fills in all but the longest text of a batch.
    const vectors: Float32Array[] = [];
    for (const text of marked) vectors.push(...(await embed([text])));
    return vectors;
  };
}

const AS_THE_MODEL_SAYS: StyleSettings = { pooling: "", queryPrefix: "" };

/** The library's names. */
const POOLING_NAMES = { mean: "mean", cls: "cls", last: "last_token" } as const;

/** ONNX sessions by their file. */
type Sessions = Readonly<Record<string, { readonly outputNames: readonly string[] }>>;

function requireTokenVectors(name: string, sessions: Sessions): void {
  const outputs = Object.values(sessions).flatMap(({ outputNames }) => outputNames);
  if (TOKEN_VECTORS.some((output) => outputs.includes(output))) return;
  throw new ConfigError(
    `tasks.embedder: ${name} is no embedding model, it gives ${outputs.join(", ")} and not ${TOKEN_VECTORS.join(" or ")}; ${ADVICE}`,
  );
}

async function openPipeline(name: string, isFolder: boolean) {
  return guard(`cannot open ${name}`, async () => {
    const { env, pipeline } = await import("@huggingface/transformers");
    // The library asks the hub for some files of a local model that it does not find, unless this forbids it.
    env.allowRemoteModels = !isFolder;
    if (!isFolder) return await pipeline("feature-extraction", name);
    env.localModelPath = dirname(resolve(name));
    return await pipeline("feature-extraction", basename(resolve(name)), { local_files_only: true });
  });
}

/**
 * Whether `name` is a folder; else it is a name on the hub.
 * @throws {ConfigError} If it is a folder that lacks a file, or is no folder and looks like a path.
 */
function requireFolder(name: string): boolean {
  const found = statSync(name, { throwIfNoEntry: false });
  // What looks like a path is never asked for on the network.
  if (found === undefined && /^[./~]|\\/.test(name))
    throw new ConfigError(`tasks.embedder: no such folder ${name}; ${ADVICE}`);
  if (found === undefined) return false;
  if (!found.isDirectory()) throw new ConfigError(`tasks.embedder: ${name} is a file; ${ADVICE}`);
  const missing = FILES.find((file) => !existsSync(join(name, file)));
  if (missing !== undefined) throw new ConfigError(`tasks.embedder: ${name} has no ${missing}; ${ADVICE}`);
  return true;
}

/** What `work` gives; the library's errors become a line that says what failed. */
async function guard<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new ConfigError(`tasks.embedder: ${what}, ${describeError(cause)}; ${ADVICE}`, { cause });
  }
}

const ADVICE =
  "give the folder or the Hugging Face name of an ONNX embedding model, or leave it empty to rank by words";
