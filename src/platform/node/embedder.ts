/** Sentence embeddings in a Node process, by the feature extraction of `@huggingface/transformers`; loaded when asked for. */
import { existsSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { ConfigError, describeError } from "../../base/errors.ts";

/** Texts to unit vectors; `role` says whether they ask or are asked for. */
export type Embedder = (texts: readonly string[], role: "query" | "passage") => Promise<Float32Array[]>;

/** Models of the E5 family were trained with the role in front of each text (Wang et al., arXiv:2212.03533). */
const E5 = /(?:^|[^a-z0-9])e5(?:[^a-z0-9]|$)/i;

/**
 * Opens the model `name`: a folder with `tokenizer.json` and `onnx/model.onnx`, or a name on the Hugging Face hub, which is
 * downloaded. Vectors are means over tokens, of norm 1.
 * @throws {ConfigError} If it cannot be opened.
 */
export async function openEmbedder(name: string): Promise<Embedder> {
  const extract = await openPipeline(name);
  const isE5 = E5.test(name);
  return async (texts, role) => {
    const marked = isE5 ? texts.map((text) => `${role}: ${text}`) : [...texts];
    const vectors = await extract(marked, { pooling: "mean", normalize: true });
    const [rows, width] = vectors.dims;
    const values = Float32Array.from(vectors.data as Iterable<number>);
    return Array.from({ length: rows ?? 0 }, (_, row) => values.slice(row * (width ?? 0), (row + 1) * (width ?? 0)));
  };
}

async function openPipeline(name: string) {
  const isFolder = existsSync(name);
  // What looks like a path is never asked for on the network.
  if (!isFolder && /^[./~]|\\/.test(name)) throw new ConfigError(`tasks.embedder: no such folder ${name}; ${ADVICE}`);
  try {
    const { env, pipeline } = await import("@huggingface/transformers");
    if (!isFolder) return await pipeline("feature-extraction", name);
    env.localModelPath = dirname(resolve(name));
    return await pipeline("feature-extraction", basename(resolve(name)), { local_files_only: true });
  } catch (cause) {
    throw new ConfigError(`tasks.embedder: cannot open ${name}, ${describeError(cause)}; ${ADVICE}`, { cause });
  }
}

const ADVICE =
  "give the folder or the Hugging Face name of an ONNX embedding model, or leave it empty to rank by words";
